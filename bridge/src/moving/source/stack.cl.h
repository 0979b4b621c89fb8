/* y[s] = x_s for SOURCES arrays, element by element: a thread takes a run along axis 0 of one row of each of them, and
   reads them all before it writes the first.

   y is the place of the first slice; the others follow y_step elements apart. Before this text stand the parameters, the
   index space and EACH(DO), which is DO(0, x0) DO(1, x1) .... */

#define TAKE(s, x) const from_run run_##x = x##_LOAD(x + (x##_ROW + i * x##_s0));
#define GIVE(s, x) { \
    to_run given; \
    UNROLL for (int k = 0; k < V; k++) given.e[k] = run_##x.e[k]; \
    run_store(y + (y_row + i * y_s0 + s * y_step), given); \
  }
#define ONE(s, x) y[y_row + (i + k) * y_s0 + s * y_step] = x[x##_ROW + (i + k) * x##_s0];

KERNEL stack(PARAMETERS) {
  PROLOGUE
  for (idx z = (idx)GID(2); z < OUTER; z += (idx)GSZ(2)) {
    SPLIT(z)
    for (idx i1 = (idx)GID(1); i1 < n1; i1 += (idx)GSZ(1)) {
      const idx y_row = y_ROW;
      for (idx i = (idx)GID(0) * V; i < n0; i += (idx)GSZ(0) * V) {
        if (i + V <= n0) {
          EACH(TAKE)
          EACH(GIVE)
        } else {
          for (int k = 0; k < (int)(n0 - i); k++) { EACH(ONE) }
        }
      }
    }
  }
}

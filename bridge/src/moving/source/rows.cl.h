/* y = CONVERT(x0), element by element: a thread takes a run along axis 0 of one row.

   Before this text stand the parameters and the index space; BEGIN and END are what a thread does first and last. */

KERNEL rows(PARAMETERS) {
  PROLOGUE
  BEGIN
  for (idx z = (idx)GID(2); z < OUTER; z += (idx)GSZ(2)) {
    SPLIT(z)
    for (idx i1 = (idx)GID(1); i1 < n1; i1 += (idx)GSZ(1)) {
      const idx x0_row = x0_ROW, y_row = y_ROW;
      for (idx i = (idx)GID(0) * V; i < n0; i += (idx)GSZ(0) * V) {
        if (i + V <= n0) {
          const from_run taken = x0_LOAD(x0 + (x0_row + i * x0_s0));
          to_run given;
          UNROLL for (int k = 0; k < V; k++) given.e[k] = CONVERT(taken.e[k]);
          run_store(y + (y_row + i * y_s0), given);
        } else {
          for (int k = 0; k < (int)(n0 - i); k++) {
            y[y_row + (i + k) * y_s0] = CONVERT(x0[x0_row + (i + k) * x0_s0]);
          }
        }
      }
    }
  }
  END
}

/* y = EXPRESSION(x0, x1, ..., y), element by element.

   A thread takes TAKES runs along axis 0 of one row, and reads them all before it writes the first, so that enough of
   memory is under way. Before this text stand the parameters, the index space and
     INPUTS(DO)      DO(x0) DO(x1) ...
     EXPRESSION(OF)  in terms of OF(x0), OF(x1), ..., OF(y) */

#define ROW(name)      const idx name##_row = name##_ROW;
#define HOLD(name)     run name##_run[TAKES];
#define LOAD(name)     name##_run[t] = name##_LOAD(name + (name##_row + i * name##_s0));
#define IN_RUN(name)   name##_run[t].e[k]
#define IN_PLACE(name) name[name##_row + (i + k) * name##_s0]

KERNEL map(PARAMETERS) {
  PROLOGUE
  for (idx z = (idx)GID(2); z < OUTER; z += (idx)GSZ(2)) {
    SPLIT(z)
    for (idx i1 = (idx)GID(1); i1 < n1; i1 += (idx)GSZ(1)) {
      ROW(y)
      INPUTS(ROW)
      const idx step = (idx)GSZ(0) * V;
      for (idx first = (idx)GID(0) * V; first < n0; first += TAKES * step) {
        INPUTS(HOLD)
#if READS_Y
        HOLD(y)
#endif
        UNROLL for (int t = 0; t < TAKES; t++) {
          const idx i = first + t * step;
          if (i + V <= n0) {
            INPUTS(LOAD)
#if READS_Y
            LOAD(y)
#endif
          }
        }
        UNROLL for (int t = 0; t < TAKES; t++) {
          const idx i = first + t * step;
          if (i + V <= n0) {
            run result;
            UNROLL for (int k = 0; k < V; k++) result.e[k] = EXPRESSION(IN_RUN);
            run_store(y + (y_row + i * y_s0), result);
          } else if (i < n0) {
            for (int k = 0; k < (int)(n0 - i); k++) y[y_row + i + k] = EXPRESSION(IN_PLACE);
          }
        }
      }
    }
  }
}

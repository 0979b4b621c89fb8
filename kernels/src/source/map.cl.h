/* y = EXPRESSION(x0, x1, ..., y), element by element.

   A thread takes a run along axis 0 of ROWS rows. Before this text stand the parameters, the index space and
     INPUTS(DO)      DO(x0) DO(x1) ...
     EXPRESSION(OF)  in terms of OF(x0), OF(x1), ..., OF(y) */

#if ROWS > 1
  #define NEXT_ROW(name) (b * name##_s1)
#else
  #define NEXT_ROW(name) 0
#endif
#define ROW(name)      const idx name##_row = name##_ROW;
#define RUNS(name)     run name##_run[ROWS];
#define LOAD(name)     name##_run[b] = name##_LOAD(name + (name##_row + NEXT_ROW(name) + i * name##_s0));
#define IN_RUN(name)   name##_run[b].e[k]
#define IN_PLACE(name) name[name##_row + NEXT_ROW(name) + (i + k) * name##_s0]

KERNEL map(PARAMETERS) {
  AFTER_EARLIER_KERNELS
  PROLOGUE
  for (idx z = (idx)GID(2); z < OUTER; z += (idx)GSZ(2)) {
    SPLIT(z)
    for (idx i1 = (idx)GID(1) * ROWS; i1 < n1; i1 += (idx)GSZ(1) * ROWS) {
      ROW(y)
      INPUTS(ROW)
      for (idx i = (idx)GID(0) * V; i < n0; i += (idx)GSZ(0) * V) {
        if (i + V <= n0) {
          /* All rows are loaded before the first is stored. */
          INPUTS(RUNS)
#if READS_Y
          RUNS(y)
#endif
          UNROLL for (int b = 0; b < ROWS; b++) {
            if (i1 + b < n1) {
              INPUTS(LOAD)
#if READS_Y
              LOAD(y)
#endif
            }
          }
          UNROLL for (int b = 0; b < ROWS; b++) {
            if (i1 + b < n1) {
              run result;
              UNROLL for (int k = 0; k < V; k++) result.e[k] = EXPRESSION(IN_RUN);
              run_store(y + (y_row + NEXT_ROW(y) + i * y_s0), result);
            }
          }
        } else {
          for (int b = 0; b < ROWS && i1 + b < n1; b++) {
            for (int k = 0; k < (int)(n0 - i); k++) y[y_row + NEXT_ROW(y) + i + k] = EXPRESSION(IN_PLACE);
          }
        }
      }
    }
  }
}

/* y = CONVERT(x0), element by element: a thread takes TAKES runs along axis 0 of one row, and reads them all before it
   writes the first, so that enough of memory is under way.

   Before this text stand the parameters and the index space; BEGIN and END are what a thread does first and last. */

KERNEL rows(PARAMETERS) {
  AFTER_EARLIER_KERNELS
  PROLOGUE
  BEGIN
  for (idx z = (idx)GID(2); z < OUTER; z += (idx)GSZ(2)) {
    SPLIT(z)
    for (idx i1 = (idx)GID(1); i1 < n1; i1 += (idx)GSZ(1)) {
      const idx x0_row = x0_ROW, y_row = y_ROW;
      const idx step = (idx)GSZ(0) * V;
      for (idx first = (idx)GID(0) * V; first < n0; first += TAKES * step) {
        from_run taken[TAKES];
        UNROLL for (int t = 0; t < TAKES; t++) {
          const idx i = first + t * step;
          if (i + V <= n0) taken[t] = x0_LOAD(x0 + (x0_row + i * x0_s0));
        }
        UNROLL for (int t = 0; t < TAKES; t++) {
          const idx i = first + t * step;
          if (i + V <= n0) {
            to_run given;
            UNROLL for (int k = 0; k < V; k++) given.e[k] = CONVERT(taken[t].e[k]);
            run_store(y + (y_row + i * y_s0), given);
          } else if (i < n0) {
            for (int k = 0; k < (int)(n0 - i); k++) {
              y[y_row + (i + k) * y_s0] = CONVERT(x0[x0_row + (i + k) * x0_s0]);
            }
          }
        }
      }
    }
  }
  END
}

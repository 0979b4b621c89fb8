/* y = EXPRESSION(sum of bands applied to x0, y).

   A thread takes a run along axis 0 and, along axis 1, either one row or, if axis 1 has a short band, ROWS rows
   whose taps it loads once (a window). The special rows of axis 1 come first, each alone. All loads of a window
   are independent of each other and of every branch, so that many are on their way at once.
   Before this text stand the parameters, the index space, the bands and
     ROWS               rows of a window, 0 without
     BAND1_LEFT, BAND1_RIGHT   how far the window reaches beyond them
     ADD_OTHERS         adds the bands of all axes but axis 1 to `sum`: from `at`, `center`, c and i2, i3, ...
     ADD_BAND1          adds that of axis 1 */

#define IN_SUM(name) IN_SUM_##name
#define IN_SUM_x0 sum.e[e]
#define IN_SUM_y old.e[e]

/* y's run c of row i1 from its sum. */
#if READS_Y
  #define OLD run old = run_load(y + (y_ROW + c * y_s0));
#else
  #define OLD
#endif
#define STORE                                                                     \
  {                                                                               \
    run result;                                                                   \
    OLD                                                                           \
    UNROLL for (int e = 0; e < V; e++) result.e[e] = EXPRESSION(IN_SUM);          \
    run_store(y + (y_ROW + c * y_s0), result);                                    \
  }

KERNEL stencil(PARAMETERS) {
  PROLOGUE
#if ROWS > 0
  const idx common = n1 - BAND1_HEAD - BAND1_TAIL;
  const idx items = BAND1_HEAD + BAND1_TAIL + (common + ROWS - 1) / ROWS;
#else
  const idx items = n1;
#endif
  for (idx z = (idx)GID(2); z < OUTER; z += (idx)GSZ(2)) {
    SPLIT(z)
    for (idx item = (idx)GID(1); item < items; item += (idx)GSZ(1)) {
      for (idx c = (idx)GID(0) * V; c < n0; c += (idx)GSZ(0) * V) {
#if ROWS > 0
        if (item >= BAND1_HEAD + BAND1_TAIL) {
          const idx first = BAND1_HEAD + (item - BAND1_HEAD - BAND1_TAIL) * ROWS;
          run window[BAND1_LEFT + ROWS + BAND1_RIGHT];
          UNROLL for (int k = 0; k < BAND1_LEFT + ROWS + BAND1_RIGHT; k++) {
            const idx i1 = first + k - BAND1_LEFT;
            window[k] = run_zero();
            if (i1 >= 0 && i1 < n1) window[k] = x0_LOAD(x0 + (x0_ROW + c * x0_s0));
          }
          UNROLL for (int m = 0; m < ROWS; m++) {
            const idx i1 = first + m;
            if (i1 < n1 - BAND1_TAIL) {
              const run center = window[BAND1_LEFT + m];
              const GLOBAL elem* at = x0 + (x0_ROW + c * x0_s0);
              run sum = run_zero();
              UNROLL for (int t = 0; t < BAND1_TAPS; t++) {
                sum = run_add_scaled(sum, band1_weight(t), window[BAND1_LEFT + m + band1_offset(t)]);
              }
              ADD_OTHERS
              STORE
            }
          }
          continue;
        }
        const idx i1 = item < BAND1_HEAD ? item : n1 - BAND1_HEAD - BAND1_TAIL + item;
#else
        const idx i1 = item;
#endif
        const GLOBAL elem* at = x0 + (x0_ROW + c * x0_s0);
        const run center = x0_LOAD(at);
        run sum = run_zero();
        ADD_BAND1
        ADD_OTHERS
        STORE
      }
    }
  }
}

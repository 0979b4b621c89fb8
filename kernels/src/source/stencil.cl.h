/* y = EXPRESSION(sum of bands applied to x0, y).

   A thread takes a run along axis 0 and, along axis 1, either one row or, if axis 1 has a short band, ROWS rows
   whose taps it loads once (a window). The special rows of axis 1 come first, each alone. All loads of a window
   are independent of each other and of every branch, so that many are on their way at once.
   Before this text stand the parameters, the index space, the bands and
     ROWS               rows of a window, 0 without
     FIRST, LAST        how many first and last rows are alone: the special ones and, of a band that reaches few rows, those with
                        taps that may lie beyond the axis. There are at least ROWS others
     WITHIN             1 if windows lie within the axis therefore
     BAND1_LEFT, BAND1_RIGHT   how far the window reaches beyond its rows
     AT_AXIS_0          finds out what place c of axis 0 has of the band along it
     ADD_OTHERS         adds the bands of all axes but axis 1 to `sum`: from `at`, `center`, c and i2, i3, ...
     ADD_BAND1          adds that of axis 1
     NOTE(value)        what a thread adds up of a result, between DOTS_BEGIN and DOTS_END */

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
    UNROLL for (int e = 0; e < V; e++) {                                          \
      result.e[e] = EXPRESSION(IN_SUM);                                           \
      NOTE(result.e[e])                                                           \
    }                                                                             \
    run_store(y + (y_ROW + c * y_s0), result);                                    \
  }

#if ROWS == 0
  #define FIRST n1
  #define LAST 0
  #define WINDOWS 0
#else
  #define WINDOWS ((n1 - FIRST - LAST + ROWS - 1) / ROWS)
#endif

KERNEL stencil(PARAMETERS) {
  AFTER_EARLIER_KERNELS
  DOTS_BEGIN
  PROLOGUE
  const idx items = FIRST + LAST + WINDOWS, runs = n0 / V;
  EACH(2, z, OUTER) {
    SPLIT(z)
    EACH(1, item, items) {
      EACH(0, at_run, runs) {
        const idx c = at_run * V;
        AT_AXIS_0
        if (item < FIRST + LAST) {
          const idx i1 = item < FIRST ? item : n1 - FIRST - LAST + item;
          const GLOBAL elem* at = x0 + (x0_ROW + c * x0_s0);
          const run center = x0_LOAD(at);
          run sum = run_zero();
          ADD_BAND1
          ADD_OTHERS
          STORE
        }
#if ROWS > 0
        else {
          /* The last window lies as near to the end as it may, and stores but those rows that the one before has not. */
          const idx own = FIRST + (item - FIRST - LAST) * ROWS;
          const idx first = own < n1 - LAST - ROWS ? own : n1 - LAST - ROWS;
          run window[BAND1_LEFT + ROWS + BAND1_RIGHT];
          UNROLL for (int k = 0; k < BAND1_LEFT + ROWS + BAND1_RIGHT; k++) {
            const idx i1 = first + k - BAND1_LEFT;
  #if WITHIN
            window[k] = x0_LOAD(x0 + (x0_ROW + c * x0_s0));
  #else
            window[k] = run_zero();
            if (i1 >= 0 && i1 < n1) window[k] = x0_LOAD(x0 + (x0_ROW + c * x0_s0));
  #endif
          }
          UNROLL for (int m = 0; m < ROWS; m++) {
            const idx i1 = first + m;
            const run center = window[BAND1_LEFT + m];
            const GLOBAL elem* at = x0 + (x0_ROW + c * x0_s0);
            run sum = run_zero();
            UNROLL for (int t = 0; t < BAND1_TAPS; t++) {
              sum = run_add_scaled(sum, band1_weight(t), window[BAND1_LEFT + m + band1_offset(t)]);
            }
            ADD_OTHERS
            if (i1 >= own) STORE
          }
        }
#endif
      }
    }
  }
  DOTS_END(LID(0) + LSZ(0) * (LID(1) + LSZ(1) * LID(2)), (int)(GRP(0) + NGRP(0) * (GRP(1) + NGRP(1) * GRP(2))),
           (int)(NGRP(0) * NGRP(1) * NGRP(2)))
}

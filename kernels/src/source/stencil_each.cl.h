/* y + t * y_step = EXPRESSION(band t applied to x0, y + t * y_step), for several bands of one array.

   Threads take what those of stencil.cl.h take, whose macros stand before this text, and
     EACH_ALONE       makes row i1 of all bands, each by itself, from `at`, `center`, c, i1, i2, ..., and stores it
     EACH_IN_WINDOW   the same, where row m of `window` is that row */

#define IN_SUM(name) IN_SUM_##name
#define IN_SUM_x0 sum.e[e]
#define IN_SUM_y old.e[e]

#if READS_Y
  #define OLD run old = run_load(to);
#else
  #define OLD
#endif
#define STORE(number)                                                             \
  if (i1 >= own) {                                                                \
    GLOBAL elem* to = y + ((number) * y_step + (y_ROW + c * y_s0));               \
    run result;                                                                   \
    OLD                                                                           \
    UNROLL for (int e = 0; e < V; e++) result.e[e] = EXPRESSION(IN_SUM);          \
    run_store(to, result);                                                        \
  }
#define WINDOW_SUM                                                                \
  UNROLL for (int t = 0; t < BAND1_TAPS; t++) {                                   \
    sum = run_add_scaled(sum, band1_weight(t), window[BAND1_LEFT + m + band1_offset(t)]); \
  }

#if ROWS == 0
  #define FIRST n1
  #define LAST 0
  #define WINDOWS 0
#else
  #define WINDOWS ((n1 - FIRST - LAST + ROWS - 1) / ROWS)
#endif

KERNEL stencil_each(PARAMETERS) {
  AFTER_EARLIER_KERNELS
  PROLOGUE
  const idx items = FIRST + LAST + WINDOWS, runs = n0 / V;
  EACH(2, z, OUTER) {
    SPLIT(z)
    EACH(1, item, items) {
      EACH(0, at_run, runs) {
        const idx c = at_run * V;
        AT_AXIS_0
        if (item < FIRST + LAST) {
          const idx i1 = item < FIRST ? item : n1 - FIRST - LAST + item, own = 0;
          const GLOBAL elem* at = x0 + (x0_ROW + c * x0_s0);
          const run center = x0_LOAD(at);
          EACH_ALONE
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
            EACH_IN_WINDOW
          }
        }
#endif
      }
    }
  }
}

/* y = EXPRESSION(sum of terms, y), each term bands applied to an array of its own.

   A thread takes a run along axis 0 and, along axis 1, either one row or, if terms have short bands along axis 1, ROWS rows.
   It takes one term after the other: it holds the sums of all its rows, and of one term the rows that its taps reach (a
   window). Rows that are special to some term come first, each alone. Before this text stand the parameters, the index
   space, the terms and
     ROWS               rows of a thread, 0 for one without windows
     FIRST, LAST        how many first and last rows are alone: the special ones and, of bands that reach few rows, those with
                        taps that may lie beyond the axis. There are at least ROWS others
     WITHIN             1 if windows lie within the axis therefore
     AT_AXIS_0          finds out what place c of axis 0 has of the bands along it
     ADD_ROW            adds row i1 of all terms to `total`
     ADD_ROWS           adds rows from `first` on to `totals` */

#define IN_SUM(name) IN_SUM_##name
#define IN_SUM_x0 total.e[e]
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

#if ROWS == 0
  #define FIRST n1
  #define LAST 0
  #define WINDOWS 0
#else
  #define WINDOWS ((n1 - FIRST - LAST + ROWS - 1) / ROWS)
#endif

KERNEL stencil_sum(PARAMETERS) {
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
          const idx i1 = item < FIRST ? item : n1 - FIRST - LAST + item;
          run total = run_zero();
          ADD_ROW
          STORE
        }
#if ROWS > 0
        else {
          /* The last rows lie as near to the end as they may, and those are stored that the thread before has not. */
          const idx own = FIRST + (item - FIRST - LAST) * ROWS;
          const idx first = own < n1 - LAST - ROWS ? own : n1 - LAST - ROWS;
          run totals[ROWS];
          UNROLL for (int m = 0; m < ROWS; m++) totals[m] = run_zero();
          ADD_ROWS
          UNROLL for (int m = 0; m < ROWS; m++) {
            const idx i1 = first + m;
            if (i1 >= own) {
              const run total = totals[m];
              STORE
            }
          }
        }
#endif
      }
    }
  }
}

/* y = EXPRESSION(sum of terms, y), each term bands applied to an array of its own.

   A thread takes a run along axis 0 and, along axis 1, either one row or, if terms have short bands along axis 1, ROWS rows.
   It takes one term after the other: it holds the sums of all its rows, and of one term the rows that its taps reach (a
   window). Rows that are special to some term come first, each alone. Before this text stand the parameters, the index
   space, the terms and
     ROWS               rows of a thread, 0 for one without windows
     HEAD, TAIL         how many first and last rows are alone
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

KERNEL stencil_sum(PARAMETERS) {
  PROLOGUE
#if ROWS > 0
  const idx items = HEAD + TAIL + (n1 - HEAD - TAIL + ROWS - 1) / ROWS;
#else
  const idx items = n1;
#endif
  for (idx z = (idx)GID(2); z < OUTER; z += (idx)GSZ(2)) {
    SPLIT(z)
    for (idx item = (idx)GID(1); item < items; item += (idx)GSZ(1)) {
      for (idx c = (idx)GID(0) * V; c < n0; c += (idx)GSZ(0) * V) {
#if ROWS > 0
        if (item >= HEAD + TAIL) {
          const idx first = HEAD + (item - HEAD - TAIL) * ROWS;
          run totals[ROWS];
          UNROLL for (int m = 0; m < ROWS; m++) totals[m] = run_zero();
          ADD_ROWS
          UNROLL for (int m = 0; m < ROWS; m++) {
            const idx i1 = first + m;
            if (i1 < n1 - TAIL) {
              const run total = totals[m];
              STORE
            }
          }
          continue;
        }
        const idx i1 = item < HEAD ? item : n1 - HEAD - TAIL + item;
#else
        const idx i1 = item;
#endif
        run total = run_zero();
        ADD_ROW
        STORE
      }
    }
  }
}

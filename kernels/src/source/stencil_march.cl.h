/* y = EXPRESSION(sum of terms, y), each term bands applied to an array of its own, for short bands along axes 1 and 2, and any
   others.

   A thread takes a run along axis 0 of ROWS rows of axis 1, and goes along axis 2, MARCH places at most. Of each term it keeps
   the runs that the band of axis 2 reaches, so that each is loaded once for it, and loads the rows beside its own for that of
   axis 1. Rows that are special to some band of these axes, or so near to an end that a tap may lie beyond, are made one
   by one from memory when all others are done, which are straight code without a test. Before this text stand the parameters,
   the index space, the terms and
     ROWS, MARCH        rows of a thread, and places along axis 2
     WIDTH, HEIGHT, RESIDENT   threads of a group along axes 0 and 1, and groups that a processor is to hold at once
     FIRST1, LAST1, FIRST2, LAST2   how many first and last rows of axis 1, and of axis 2, are made one by one
     SPLIT_OUTER(z)     makes i3, i4, ... of the place z beyond axis 2
     AT_AXIS_0          finds out what place c of axis 0 has of the bands along it
     ADD_ROW            adds row i1 of place i2 of all terms to `total`
     MARCH_BEGIN, MARCH_LOAD, MARCH_ROWS, MARCH_STEP   of all terms: makes what a thread keeps of the places before i2, takes in what
                        i2 needs, adds rows from `first` on to `totals`, and goes on to the next place */

#define IN_SUM(name) IN_SUM_##name
#define IN_SUM_x0 total.e[e]
#define IN_SUM_y old.e[e]

/* A run of y, at `to`, from its sum. */
#if READS_Y
  #define OLD(to) run old = run_load(to);
#else
  #define OLD(to)
#endif
#define STORE(to)                                                                 \
  {                                                                               \
    run result;                                                                   \
    OLD(to)                                                                       \
    UNROLL for (int e = 0; e < V; e++) result.e[e] = EXPRESSION(IN_SUM);          \
    run_store(to, result);                                                        \
  }

KERNEL_OF(WIDTH, HEIGHT, RESIDENT) stencil_march(PARAMETERS) {
  AFTER_EARLIER_KERNELS
  PROLOGUE
  const idx parts = (n2 + MARCH - 1) / MARCH, items = parts * (OUTER / n2), groups = (n1 + ROWS - 1) / ROWS, runs = n0 / V;
  EACH(2, item, items) {
    const idx z = item / parts, begin = (item - z * parts) * MARCH;
    const idx end = begin + MARCH < n2 ? begin + MARCH : n2;
    SPLIT_OUTER(z)
    EACH(1, group, groups) {
      const idx first = group * ROWS;
      /* The places where all rows are common; none, if some of the rows are special everywhere. */
      const idx from = begin < FIRST2 ? FIRST2 : begin;
      idx to = end > n2 - LAST2 ? n2 - LAST2 : end;
      if (first < FIRST1 || first + ROWS > n1 - LAST1 || to < from) to = from;
      EACH(0, at_run, runs) {
        const idx c = at_run * V;
        AT_AXIS_0
        if (from < to) {
          const idx i1 = first;
          idx i2 = from;
          GLOBAL elem* store = y + (y_ROW + c * y_s0);
          MARCH_BEGIN
          for (; i2 < to; i2++) {
            run totals[ROWS];
            UNROLL for (int r = 0; r < ROWS; r++) totals[r] = run_zero();
            MARCH_LOAD
            MARCH_ROWS
            UNROLL for (int r = 0; r < ROWS; r++) {
              const run total = totals[r];
              STORE(store + r * y_s1)
            }
            store += y_s2;
            MARCH_STEP
          }
        }
        if (from > begin || to < end) {
          for (idx i2 = begin; i2 < end; i2++) {
            if (i2 >= from && i2 < to) continue;
            for (idx i1 = first; i1 < first + ROWS && i1 < n1; i1++) {
              run total = run_zero();
              ADD_ROW
              STORE(y + (y_ROW + c * y_s0))
            }
          }
        }
      }
    }
  }
}

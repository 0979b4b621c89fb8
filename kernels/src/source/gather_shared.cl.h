/* Rows of a few to many entries where neighbours in y are rows: P neighbouring threads share a row at one run, so that a table is
   read as it lies. THREADS = P * Q; a group takes Q rows at a time; all else as in gather.cl.h. */

#define Q (THREADS / P)

KERNEL gather_shared(PARAMETERS) {
  AFTER_EARLIER_KERNELS
  LOCAL_ARRAY(run, shared, THREADS);
  PROLOGUE
  const int thread = LID(0), p = thread % P, q = thread / P;
  for (idx z = (idx)GRP(2); z < OUTER; z += (idx)NGRP(2)) {
    OUTER_SPLIT(z)
    const idx from_x0 = x0_OUTER, from_y = y_OUTER;
    for (idx block = (idx)GRP(0) * Q; block < ROWS; block += (idx)NGRP(0) * Q) {
      const idx row = block + q;
      int takes = row < ROWS;
      place begin = 0, end = 0;
      if (takes) {
        begin = starts[row];
        end = starts[row + 1];
#if LONG > 0
        if (end - begin > LONG) {
          takes = 0;
          end = begin;
        }
#endif
      }
      for (idx i0 = (idx)GRP(1) * V; i0 < n0; i0 += (idx)NGRP(1) * V) {
        SUM_ENTRIES(begin, end)
        JOIN_SUMS(1)
        if (p == 0 && takes) STORE_ROW(row)
        BARRIER();
      }
    }
  }
}

/* Rows with many entries: those `long_rows` names. P threads of a group share a row at one run; Q runs are neighbours.
   THREADS = P * Q; all else as in gather.cl.h. */

#define Q (THREADS / P)

KERNEL gather_long(PARAMETERS) {
  AFTER_EARLIER_KERNELS
  LOCAL_ARRAY(run, shared, THREADS);
  PROLOGUE
  const int thread = LID(0), q = thread % Q, p = thread / Q;
  for (idx z = (idx)GRP(2); z < OUTER; z += (idx)NGRP(2)) {
    OUTER_SPLIT(z)
    const idx from_x0 = x0_OUTER, from_y = y_OUTER;
    for (idx number = (idx)GRP(1); number < LONG_ROWS; number += (idx)NGRP(1)) {
      const idx row = (idx)long_rows[number];
      const place begin = starts[row], end = starts[row + 1];
      for (idx block = (idx)GRP(0) * (Q * V); block < n0; block += (idx)NGRP(0) * (Q * V)) {
        const idx i0 = block + q * V;
        SUM_ENTRIES(begin, i0 < n0 ? end : begin)
        JOIN_SUMS(Q)
        if (p == 0 && i0 < n0) STORE_ROW(row)
        BARRIER();
      }
    }
  }
}

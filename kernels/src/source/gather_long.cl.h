/* Rows with many entries: those `long_rows` names. P threads of a group share a row at one run, the threads p = 0, 1, ...
   taking every P-th entry; Q runs are neighbours. Their sums are joined in an order that is always the same.
   THREADS = P * Q; all else as in gather.cl.h. */

#define Q (THREADS / P)

KERNEL gather_long(PARAMETERS) {
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
        run sum = run_zero();
        if (i0 < n0) {
          place entry = begin + p;
          for (; entry + 3 * P < end; entry += 4 * P) {
            ADD_ENTRIES(4, P)
          }
          for (; entry < end; entry += P) {
            ADD_ENTRIES(1, P)
          }
        }
        shared[thread] = sum;
        for (int half_way = P / 2; half_way > 0; half_way /= 2) {
          BARRIER();
          if (p < half_way) shared[thread] = run_sum(shared[thread], shared[thread + half_way * Q]);
        }
        if (p == 0 && i0 < n0) {
          sum = shared[thread];
          STORE_ROW(row)
        }
        BARRIER();
      }
    }
  }
}

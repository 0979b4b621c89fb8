/* The least and the largest finite element: `range` leaves those of each group of threads in `parts`, two by two, and
   `affine_of` makes of all the affine map that scales them. The elements' own text stands before this. */

#define MOST_THREADS 256
#define PLUS_INFINITY AS_F64((u64)0x7ff0000000000000ul)

/* Joins what the threads of a group found; thread 0 has it. Every thread of the group comes here. */
FN void group_range(LOCAL double* low, LOCAL double* high, int thread, int threads) {
  for (int half_way = threads / 2; half_way > 0; half_way /= 2) {
    BARRIER();
    if (thread < half_way) {
      if (low[thread + half_way] < low[thread]) low[thread] = low[thread + half_way];
      if (high[thread + half_way] > high[thread]) high[thread] = high[thread + half_way];
    }
  }
}

#define MEET(x)                                                                  \
  {                                                                              \
    const double v = wide_value(x);                                              \
    if ((AS_U64(v) & (~(u64)0 >> 1)) < (u64)0x7ff0000000000000ul) {              \
      if (v < least) least = v;                                                  \
      if (v > largest) largest = v;                                              \
    }                                                                            \
  }

KERNEL range(PARAMETERS) {
  AFTER_EARLIER_KERNELS
  LOCAL_ARRAY(double, low, MOST_THREADS);
  LOCAL_ARRAY(double, high, MOST_THREADS);
  x0 += x0_at;
  double least = PLUS_INFINITY, largest = -PLUS_INFINITY;
  for (idx z = (idx)GID(2); z < OUTER; z += (idx)GSZ(2)) {
    SPLIT(z)
    for (idx i1 = (idx)GID(1); i1 < n1; i1 += (idx)GSZ(1)) {
      const idx x0_row = x0_ROW;
      for (idx i = (idx)GID(0) * V; i < n0; i += (idx)GSZ(0) * V) {
        if (i + V <= n0) {
          const from_run taken = x0_LOAD(x0 + (x0_row + i * x0_s0));
          UNROLL for (int k = 0; k < V; k++) MEET(taken.e[k])
        } else {
          for (int k = 0; k < (int)(n0 - i); k++) MEET(x0[x0_row + (i + k) * x0_s0])
        }
      }
    }
  }
  const int thread = LID(0) + LSZ(0) * (LID(1) + LSZ(1) * LID(2));
  low[thread] = least;
  high[thread] = largest;
  group_range(low, high, thread, LSZ(0) * LSZ(1) * LSZ(2));
  if (thread == 0) {
    const i64 group = GRP(0) + NGRP(0) * (GRP(1) + NGRP(1) * GRP(2));
    parts[2 * group] = low[0];
    parts[2 * group + 1] = high[0];
  }
}

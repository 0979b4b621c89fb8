/* Rows that P threads p = 0, 1, ... of a group take together, each every P-th entry. */

/* The sum of the entries of thread p from `begin` to `end`. */
#define SUM_ENTRIES(begin, end)                                                   \
  run sum = run_zero();                                                           \
  {                                                                               \
    const place behind = end;                                                     \
    place entry = (begin) + p;                                                    \
    for (; entry + 3 * P < behind; entry += 4 * P) {                              \
      ADD_ENTRIES(4, P)                                                           \
    }                                                                             \
    for (; entry < behind; entry += P) {                                          \
      ADD_ENTRIES(1, P)                                                           \
    }                                                                             \
  }

/* Joins the sums of threads that are so far apart in the group, in an order that is always the same; thread p = 0 has the whole. */
#define JOIN_SUMS(apart)                                                          \
  shared[thread] = sum;                                                           \
  for (int half_way = P / 2; half_way > 0; half_way /= 2) {                       \
    BARRIER();                                                                    \
    if (p < half_way) shared[thread] = run_sum(shared[thread], shared[thread + half_way * (apart)]); \
  }                                                                               \
  sum = shared[thread];

/* A user's reduction. Before this text stand the parameters, the user's functions and
     OUTPUTS, KEPT_SPLIT(o)       results, and the indices of one along the kept axes
     RUNS, REDUCED_SPLIT(f)       elements of each result, and the indices of one along the reduced axes
     MAPPED                       the mapped element
     FINISH                       stores the result of `total`
     P, ALONG                     threads of a result; 1 if their numbers are consecutive, rather than those of consecutive results
     STAGE                        0: a result is made by one group; 1: by several, that leave their parts; 2: from parts */
#define Q (THREADS / P)

KERNEL reduction(PARAMETERS) {
  AFTER_EARLIER_KERNELS
  LOCAL_ARRAY(user_total, shared, THREADS);
  PROLOGUE
  const int thread = LID(0);
#if ALONG
  const int p = thread % P, q = thread / P, step = 1;
#else
  const int p = thread / Q, q = thread % Q, step = Q;
#endif
  for (idx block = (idx)GRP(0); block * Q < OUTPUTS; block += (idx)NGRP(0)) {
    const idx o = block * Q + q;
    user_total total = user_identity();
    if (o < OUTPUTS) {
#if STAGE == 2
      for (idx f = p; f < groups; f += P) total = user_combine(total, parts[o * groups + f]);
#else
      KEPT_SPLIT(o)
      const idx stride = (idx)NGRP(1) * P;
      for (idx f = (idx)GRP(1) * P + p; f < RUNS; f += stride) {
        REDUCED_SPLIT(f)
        total = user_combine(total, MAPPED);
      }
#endif
    }
    shared[thread] = total;
    for (int half_way = P / 2; half_way > 0; half_way /= 2) {
      BARRIER();
      if (p < half_way) shared[thread] = user_combine(shared[thread], shared[thread + half_way * step]);
    }
    if (p == 0 && o < OUTPUTS) {
      total = shared[thread];
#if STAGE == 1
      parts[o * groups + (idx)GRP(1)] = total;
#else
      KEPT_SPLIT(o)
      FINISH
#endif
    }
    /* Before the next results. */
    BARRIER();
  }
}

/* y = reduction of EXPRESSION(x0, x1, ...) over the reduced axes r0, r1, ..., for each index of the kept axes
   k0, k1, ....

   P threads walk the reduced axes of one result, in runs along r0. Where the neighbours of x0 lie along r0
   (ALONG), these threads are neighbours; where they lie along a kept axis, the threads of neighbouring results
   are. With PARTIAL the groups along y share the only result, and each leaves its part. Before this text stand
   the parameters and
     OUTPUTS, KEPT_SPLIT(o), x0_KEPT, y_KEPT      results, the indices k0, k1, ... of one, its places
     RUNS, REDUCED_SPLIT(f), x0_REDUCED           runs to walk, the indices r0, r1, ... of one, its places */

#define Q (THREADS / P)
#define LOAD(name)     const run name##_run = name##_LOAD(name + (name##_KEPT + name##_REDUCED));
#define IN_RUN(name)   name##_run.e[k]
#define IN_PLACE(name) name[name##_KEPT + name##_REDUCED + k * name##_r0]

KERNEL reduce(PARAMETERS) {
  LOCAL_ARRAY(total, shared, THREADS);
  PROLOGUE
  const int thread = LID(0);
#if ALONG
  const int p = thread % P, q = thread / P, step = 1;
#else
  const int p = thread / Q, q = thread % Q, step = Q;
#endif
  for (idx block = (idx)GRP(0); block * Q < OUTPUTS; block += (idx)NGRP(0)) {
    const idx o = block * Q + q;
    total sums[V];
    UNROLL for (int k = 0; k < V; k++) sums[k] = t_none();
    if (o < OUTPUTS) {
      KEPT_SPLIT(o)
      for (idx f = (idx)GRP(1) * P + p; f < RUNS; f += (idx)NGRP(1) * P) {
        REDUCED_SPLIT(f)
        if (r0 + V <= nr0) {
          INPUTS(LOAD)
          UNROLL for (int k = 0; k < V; k++) sums[k] = t_add(sums[k], EXPRESSION(IN_RUN));
        } else {
          for (int k = 0; k < (int)(nr0 - r0); k++) sums[0] = t_add(sums[0], EXPRESSION(IN_PLACE));
        }
      }
    }
    UNROLL for (int k = 1; k < V; k++) sums[0] = t_join(sums[0], sums[k]);
    shared[thread] = sums[0];
    group_join(shared, thread, p, step);
    if (p == 0 && o < OUTPUTS) {
#if PARTIAL
      y[GRP(1)] = shared[thread];
#else
      KEPT_SPLIT(o)
      y[y_KEPT] = t_result(shared[thread]);
#endif
    }
    BARRIER();
  }
}

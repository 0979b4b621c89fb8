/* y = reduction of EXPRESSION(x0, x1, ...) over the reduced axes r0, r1, ..., for each index of the kept axes
   k0, k1, ...; with MOMENTS above 1, of EXPRESSION times powers 0, 1, ... of WEIGHT, results y_moment apart.

   P threads walk the reduced axes of one result, in runs along r0. Where x0 is contiguous along r0
   (ALONG), these threads have consecutive numbers; where along a kept axis, the threads of consecutive results
   have. With PARTIAL the groups along y share results: each leaves its part of them, and with ACROSS_GROUPS the last one to begin
   joins them in a fixed order; without, join.cl.h does, of the only result. Before this text stand the parameters and
     OUTPUTS, KEPT_SPLIT(o), x0_KEPT, y_KEPT      results, the indices k0, k1, ... of one, its places
     RUNS, REDUCED_SPLIT(f), x0_REDUCED           runs to walk, the indices r0, r1, ... of one, its places
     WEIGHT(OF), y_moment                         with moments: what powers are of, and how far apart results are
     AT_ONCE                                      runs that a thread loads together
     EPILOGUES, EPILOGUE_LOADS(FIRST), EPILOGUE   whether something is computed of the only result y_value, what it loads, and it
     TAIL                                         1 if elements may be left behind the last run, r0 being all */

#define Q (THREADS / P)
/* Sums of a thread: one for each element of a run, unless moments are enough to be added side by side. */
#if MOMENTS == 1
  #define MOMENT(m) 0
  #define LANES V
#else
  #define MOMENT(m) (m) * y_moment
  #define LANES 1
#endif
#define RUNS_OF(name)  run name##_runs[AT_ONCE];
#define LOAD(name)     name##_runs[part] = name##_LOAD(name + (name##_KEPT + name##_REDUCED));
#define IN_RUN(name)   e_item(name##_runs[part].e[k])
#define IN_PLACE(name) e_item(name[name##_KEPT + name##_REDUCED])

#if MOMENTS == 1
  #define ADD_ITEM(OF, to) sums[0][to] = t_add(sums[0][to], EXPRESSION(OF));
  #define TOGETHER 1
  #define ADD_RUNS(there)                             \
    if (there) {                                      \
      UNROLL for (int k = 0; k < V; k++) { ADD_ITEM(IN_RUN, k) } \
    }
#else
  #define ADD_ITEM(OF, to)                            \
    elem power = EXPRESSION(OF);                      \
    const elem weight = WEIGHT(OF);                   \
    UNROLL for (int m = 0; m < MOMENTS; m++) {        \
      sums[m][0] = t_add(sums[m][0], power);          \
      power = e_mul(power, weight);                   \
    }
  /* Elements, those of a run or of several runs of one, are added by halves before they go to the sum: converting and adding each
     would take longer than memory. TOGETHER runs, from `part` on, of which those that are `there` count. */
  #define TOGETHER (V == 1 ? AT_ONCE : 1)
  #define HALVED   (TOGETHER * V)
  #define ADD_RUNS(there)                             \
    elem powers[HALVED], weights[HALVED];             \
    const int from = part;                            \
    UNROLL for (int i = 0; i < HALVED; i++) {         \
      const int part = from + i / V, k = i % V;       \
      powers[i] = weights[i] = e_make(R(0.0), R(0.0)); \
      if (there) {                                    \
        powers[i] = EXPRESSION(IN_RUN);               \
        weights[i] = WEIGHT(IN_RUN);                  \
      }                                               \
    }                                                 \
    UNROLL for (int m = 0; m < MOMENTS; m++) {        \
      elem parts_of[HALVED];                          \
      UNROLL for (int i = 0; i < HALVED; i++) parts_of[i] = powers[i]; \
      UNROLL for (int span = HALVED / 2; span > 0; span /= 2) {        \
        UNROLL for (int i = 0; i < span; i++) parts_of[i] = e_add(parts_of[i], parts_of[i + span]); \
      }                                               \
      sums[m][0] = t_add(sums[m][0], parts_of[0]);    \
      UNROLL for (int i = 0; i < HALVED; i++) powers[i] = e_mul(powers[i], weights[i]); \
    }
#endif
#if EPILOGUES
  #define LOAD_FOR_EPILOGUE EPILOGUE_LOADS(thread == 0)
  #define END_WITH_EPILOGUE                            \
    if (thread == 0) {                                 \
      const wide y_value = (wide)t_result(shared[0]);  \
      EPILOGUE                                         \
    }
#else
  #define LOAD_FOR_EPILOGUE
  #define END_WITH_EPILOGUE
#endif

KERNEL_OF(THREADS, 1, (MOMENTS > 1 ? 1 : 1024 / THREADS)) reduce(PARAMETERS) {
  AFTER_EARLIER_KERNELS
  LOCAL_ARRAY(total, shared, THREADS);
#if ACROSS_GROUPS
  LOCAL_ARRAY(int, last, 1);
#endif
  PROLOGUE
  const int thread = LID(0);
#if ALONG
  const int p = thread % P, q = thread / P, step = 1;
#else
  const int p = thread / Q, q = thread % Q, step = Q;
#endif
#if !PARTIAL
  LOAD_FOR_EPILOGUE
#endif
  for (idx block = (idx)GRP(0); block * Q < OUTPUTS; block += (idx)NGRP(0)) {
    const idx o = block * Q + q;
#if ACROSS_GROUPS
    const u32 ticket = thread == 0 ? ticket_take(parts, (int)block) : 0u;
#endif
    total sums[MOMENTS][LANES];
    UNROLL for (int m = 0; m < MOMENTS; m++) {
      UNROLL for (int k = 0; k < LANES; k++) sums[m][k] = t_none();
    }
    if (o < OUTPUTS) {
      KEPT_SPLIT(o)
      const idx stride = (idx)NGRP(1) * P;
      /* Several runs at once, so that their loads are on their way together: the last ones, too, with the first in place of
         those that are not there. */
      idx left = RUNS - ((idx)GRP(1) * P + p);
      for (; left > (AT_ONCE - 1) * stride; left -= AT_ONCE * stride) {
        const idx first = RUNS - left;
        INPUTS(RUNS_OF)
        UNROLL for (int part = 0; part < AT_ONCE; part++) {
          REDUCED_SPLIT(first + part * stride)
          INPUTS(LOAD)
        }
        UNROLL for (int part = 0; part < AT_ONCE; part += TOGETHER) { ADD_RUNS(1) }
      }
      if (left > 0) {
        const idx first = RUNS - left;
        INPUTS(RUNS_OF)
        UNROLL for (int part = 0; part < AT_ONCE; part++) {
          REDUCED_SPLIT(part * stride < left ? first + part * stride : first)
          INPUTS(LOAD)
        }
        UNROLL for (int part = 0; part < AT_ONCE; part += TOGETHER) { ADD_RUNS(part * stride < left) }
      }
#if TAIL
      if (GRP(1) == 0 && p == 0) {
        for (idx r0 = RUNS * V; r0 < nr0; r0++) { ADD_ITEM(IN_PLACE, 0) }
      }
#endif
    }
    UNROLL for (int m = 0; m < MOMENTS; m++) {
      UNROLL for (int k = 1; k < LANES; k++) sums[m][0] = t_join(sums[m][0], sums[m][k]);
      shared[thread] = sums[m][0];
      group_join(shared, thread, p, step);
#if PARTIAL
      if (p == 0 && o < OUTPUTS) {
  #if ACROSS_GROUPS
        part_leave(parts + ((m * OUTPUTS + o) * (int)NGRP(1) + (int)GRP(1)) * PART_WORDS, shared[thread]);
  #else
        t_store(parts + (m * OUTPUTS + o) * (int)NGRP(1) + (int)GRP(1), shared[thread]);
  #endif
      }
#else
      if (p == 0 && o < OUTPUTS) {
        KEPT_SPLIT(o)
        y[y_KEPT + MOMENT(m)] = t_result(shared[thread]);
      }
      END_WITH_EPILOGUE
#endif
      BARRIER();
    }
#if ACROSS_GROUPS
    if (is_last_ticket(parts, (int)block, (int)NGRP(1), ticket, thread, last)) {
      LOAD_FOR_EPILOGUE
      for (int m = 0; m < MOMENTS; m++) {
        total sum = t_none();
        if (o < OUTPUTS) {
          sum = parts_take(parts + (m * OUTPUTS + o) * (int)NGRP(1) * PART_WORDS, (int)NGRP(1), p, P);
        }
        shared[thread] = sum;
        group_join(shared, thread, p, step);
        if (p == 0 && o < OUTPUTS) {
          KEPT_SPLIT(o)
          y[y_KEPT + MOMENT(m)] = t_result(shared[thread]);
        }
        END_WITH_EPILOGUE
        BARRIER();
      }
    }
#endif
  }
}

/* y = EXPRESSION(one band along axis 1 applied to x0, y).

   A thread goes along a column, or a part of one, and holds the values that the taps of its next results reach: each is
   loaded once. The new ones of a step are asked for before it adds up the others, which takes as long as they are on their way.
   All rows are done by the formula of the common row, with zeros for the first and last columns that special rows fill
   differently; what rows have in these is added, and rows that differ elsewhere are made alone.
   Before this text stand the parameters, the last of them how many places a part has, a multiple of RESULTS, and
     THREADS            threads of a group, each with a column
     RESIDENT           groups that a processor is to hold at once
     RESULTS            places of a step
     FIRST_TAP, TAPS    the offset of the first tap; places up to the last tap
     tap_is(t), tap_weights   whether there is a tap at place t, and the weights of all places
     NOTE(value)        what a thread adds up of a result, between DOTS_BEGIN and DOTS_END
   and the macros of stencil_ends.cl.h. */

#define HELD (TAPS - 1)
#define LEN n1
#define STRIDE x0_s1

#define IN_SUM(name) IN_SUM_##name
#define IN_SUM_x0 sum.e[0]
#define IN_SUM_y old.e[0]
#if READS_Y
  #define OLD(value) old = value;
#else
  #define OLD(value)
#endif
/* What becomes of the place `to` with the sum `value` and what is there before, `was`. */
#define STORE(value, was)                                                         \
  {                                                                               \
    run sum, old, result;                                                         \
    sum.e[0] = value;                                                             \
    OLD(was)                                                                      \
    result.e[0] = EXPRESSION(IN_SUM);                                             \
    run_store(y + to, result);                                                    \
    NOTE(result.e[0])                                                             \
  }

KERNEL_OF(THREADS, 1, RESIDENT) stencil_column(PARAMETERS) {
  AFTER_EARLIER_KERNELS
  DOTS_BEGIN
  PROLOGUE
  FROM_FIRST_PLACES
  const idx line = (idx)GRP(0) * THREADS + LID(0);
  if (line < n0 * OUTER) {
    const idx z = line / n0, c = line - z * n0, i1 = 0;
    SPLIT(z)
    const idx begin = (idx)GRP(1) * part, end = begin + part < n1 ? begin + part : n1;
    idx next = begin + FIRST_TAP, from = x0_ROW + c * x0_s0 + next * x0_s1, to = y_ROW + c * y_s0 + begin * y_s1;
    elem held[HELD + RESULTS];
    UNROLL for (int k = 0; k < HELD; k++) {
      held[k] = e_zero();
      if (IS_COMMON(next)) held[k] = run_load(x0 + from).e[0];
      next += 1;
      from += x0_s1;
    }
    _Pragma("unroll 1") for (idx i = begin; i < end; i += RESULTS) {
      /* Without a test for each of them but near the ends. */
      if (next >= FIRST_COLUMNS && next + RESULTS <= n1 - LAST_COLUMNS) {
        UNROLL for (int q = 0; q < RESULTS; q++) {
          held[HELD + q] = run_load(x0 + from).e[0];
          from += x0_s1;
        }
      } else {
        UNROLL for (int q = 0; q < RESULTS; q++) {
          held[HELD + q] = e_zero();
          if (IS_COMMON(next + q)) held[HELD + q] = run_load(x0 + from).e[0];
          from += x0_s1;
        }
      }
      next += RESULTS;
#if READS_Y
      /* All before the first is stored: a load behind a store of the same array waits for it. */
      run olds[RESULTS];
      UNROLL for (int q = 0; q < RESULTS; q++) {
        if (i + q < end) olds[q] = run_load(y + (to + q * y_s1));
      }
#endif
      elem sums[RESULTS];
      UNROLL for (int q = 0; q < RESULTS; q++) sums[q] = e_zero();
      UNROLL for (int k = 0; k < HELD + RESULTS; k++) {
        UNROLL for (int q = 0; q < RESULTS; q++) {
          const int t = k - q;
          if (t >= 0 && t < TAPS && tap_is(t)) sums[q] = e_add_scaled(sums[q], tap_weights[t], held[k]);
        }
      }
#if END_COLUMNS > 0
      ADD_ENDS(i, x0 + (x0_ROW + c * x0_s0))
#endif
      if (i >= ALONE_FIRST && i + RESULTS <= end && i + RESULTS <= n1 - ALONE_LAST) {
        UNROLL for (int q = 0; q < RESULTS; q++) {
          STORE(sums[q], olds[q])
          to += y_s1;
        }
      } else {
        UNROLL for (int q = 0; q < RESULTS; q++) {
          if (i + q < end && !IS_ALONE(i + q)) STORE(sums[q], olds[q])
          to += y_s1;
        }
      }
      UNROLL for (int k = 0; k < HELD; k++) held[k] = held[k + RESULTS];
    }
#if ALONE_FIRST + ALONE_LAST > 0
    for (idx i = begin; i < end; i++) {
      if (!IS_ALONE(i)) i = n1 - ALONE_LAST;
      if (i >= end) break;
      const GLOBAL elem* at = x0 + (x0_ROW + c * x0_s0 + i * x0_s1);
      to = y_ROW + c * y_s0 + i * y_s1;
      ADD_ALONE(at, at, i)
      STORE(value, run_load(y + to))
    }
#endif
  }
  DOTS_END(LID(0), (int)(GRP(0) + NGRP(0) * GRP(1)), (int)(NGRP(0) * NGRP(1)))
}

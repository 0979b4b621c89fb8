/* Fourier transforms between real signals and half their spectra, in one pass: two samples are one complex number, so that POINTS is half of N.

   With a and b bins k and POINTS - k of the complex numbers' transform, the signal's are E + W O and conj(E - W O) there, with
   E = (a + conj b) / 2, O = (a - conj b) / 2i and W = exp(-pi i k / POINTS). The other way round, of bins a and b of a signal, those of the
   complex numbers are S + i W D and conj S + i conj(W D), with S = a + conj b and D = a - conj b.
   All exponents are negative: those of the other sign are the conjugates of the transform of conjugates.

   With cosines samples are in another order, even ones first, then odd ones back to front. Bin k times Q = exp(-pi i k / 2 N) has sum k as its
   real part and sum N - k as the imaginary one, with a minus; the other way round it is Q (y[k] + i y[N - k]) / 2, with negative exponents.
   Before this text stand the parameters and
     N                   points of the transform
     HALF                1 if the input is half a spectrum, 2 if the result is
     COSINES             the same of sums with cosines
     LARGE               1 if local memory is more than is given without being asked
     X_REAL, Y_REAL, X_ALIGN, Y_ALIGN  what x0 and y hold
     POSITIVE            1 if exponents are positive
     X_PAIRS             1 if samples 2 k and 2 k + 1 of lines are next to each other, aligned as one
     LOAD_ACROSS, STORE_ACROSS  1 if neighbours among threads take several lines
     PADS                1 if signals have elements behind their last point
     ROOTS_AT, HALVES_AT, QUARTERS_AT  where the table has the roots of one, W, and Q
     FIRST, STEPS_BEHIND, FINAL, STEPS_AHEAD  the first radix and the steps behind it; the last one and those before it
     ALL_STEPS           all steps
   and the texts of steps and samples. */

#if POSITIVE
  #define SIGNED(value) e_conj(value)
#else
  #define SIGNED(value) value
#endif

#define SAMPLE(k) ((k) < x_extent ? x_value(line_x[PLACE(k, x_turn, x_extent) * x0_s]).re : R(0.0))
/* Samples k and k + 1. */
#if COSINES
  #define SAMPLES(k) e_make(SAMPLE(ORDERED(k)), SAMPLE(ORDERED((k) + 1)))
#elif X_PAIRS
  #define SAMPLES(k) ((k) + 1 < x_extent ? PAIR_AT(line_x, k) : e_make(SAMPLE(k), R(0.0)))
#else
  #define SAMPLES(k) e_make(SAMPLE(k), SAMPLE((k) + 1))
#endif
/* A bin as it is. Those that are their own conjugates are real; the others stand for two. */
#define TAKEN(k) x_value(line_x[PLACE(k, x_turn, x_extent) * x0_s])
/* Bins that pairs are made of, of number i their line and which they are, and how many a thread takes at a time. */
#define BINS (POINTS / 2 + 1)
#define FOURS ((POINTS + 1) / 2)
#if LOAD_ACROSS
  #define OWN(i) ((i) % LINES)
  #define BIN_OF(i) ((i) / LINES)
#else
  #define OWN(i) ((i) / BINS)
  #define BIN_OF(i) ((i) % BINS)
#endif
#define AT_ONCE 4
#if COSINES
  /* Q of POINTS - k, of that of k. */
  #define Q_BEHIND(q) e_mul(e_make(EIGHTH, -EIGHTH), e_conj(q))
  #define EIGHTH R(0.70710678118654752440)
#endif

KERNEL_OF(THREADS, 1, 1) fft_pairs(PARAMETERS) {
#if LARGE
  LARGE_LOCAL_ARRAY(factor, held, LINES * PITCH);
#else
  LOCAL_ARRAY(factor, held, LINES * PITCH);
#endif
  PROLOGUE
  const int thread = LID(0);
  for (idx from = (idx)GRP(0) * LINES; from < count; from += (idx)NGRP(0) * LINES) {
#if HALF == 2 || COSINES == 2
    for (int b = thread; b < LINES * APART; b += THREADS) {
  #if LOAD_ACROSS
      const int own = b % LINES, turn = b / LINES;
  #else
      const int own = b / APART, turn = b % APART;
  #endif
      /* Lines beyond the last are that once more, and left. */
      const idx number = first_line + (from + own < count ? from + own : count - 1);
      LINE_SPLIT(number)
      const GLOBAL x_cell* line_x = x0 + x0_LINE;
      LOCAL factor* line = held + own * PITCH;
      const int first = PLACED(own, turn);
      elem v[FIRST];
      UNROLL for (int r = 0; r < FIRST; r++) {
        const idx k = 2 * (turn + r * APART);
        v[r] = SAMPLES(k);
      }
      BUTTERFLY(FIRST)(v);
      TURNED_FIRST(turn, v)
      LEAVE(FIRST, APART, line, first, v)
    }
    BARRIER();
    STEPS_BEHIND
    for (int i = thread; i < LINES * (POINTS / 2 + 1); i += THREADS) {
  #if STORE_ACROSS
      const int own = i % LINES, k = i / LINES;
  #else
      const int own = i / (POINTS / 2 + 1), k = i % (POINTS / 2 + 1);
  #endif
      if (from + own >= count) continue;
      const LOCAL factor* line = held + own * PITCH;
      const elem a = of_cell(line + PLACED(own, BIN(k))), w = OF_TABLE(HALVES_AT + k);
      const elem b = e_conj(of_cell(line + PLACED(own, BIN((k == 0 ? 0 : POINTS - k)))));
      const elem even = e_scale(R(0.5), e_add(a, b)), difference = e_scale(R(0.5), e_sub(a, b));
      const elem odd = e_mul(w, e_make(difference.im, -difference.re));
      const real weight = k == 0 ? scale : inner;
      LINE_SPLIT((first_line + from + own))
      GLOBAL y_cell* line_y = y + y_LINE;
  #if COSINES
      const elem q = OF_TABLE(QUARTERS_AT + k);
      const elem near = e_mul(q, e_scale(weight, e_add(even, odd)));
      STORE(k, e_re(near))
      if (k > 0) STORE(N - k, e_make(-near.im, R(0.0)))
      if (2 * k != POINTS) {
        const elem far = e_mul(Q_BEHIND(q), e_scale(inner, e_conj(e_sub(even, odd))));
        STORE(POINTS - k, e_re(far))
        if (k > 0) STORE(POINTS + k, e_make(-far.im, R(0.0)))
      }
  #else
      STORE(k, SIGNED(e_scale(weight, e_add(even, odd))))
      if (2 * k != POINTS) STORE(POINTS - k, SIGNED(e_scale(weight, e_conj(e_sub(even, odd)))))
  #endif
    }
#else
    /* A few at a time, whose loads are under way together. */
    for (int begin = thread; begin < LINES * BINS; begin += AT_ONCE * THREADS) {
      elem near[AT_ONCE], far[AT_ONCE];
      UNROLL for (int e = 0; e < AT_ONCE; e++) {
        const int i = begin + e * THREADS < LINES * BINS ? begin + e * THREADS : begin;
        const int own = OWN(i), k = BIN_OF(i);
        const idx number = first_line + (from + own < count ? from + own : count - 1);
        LINE_SPLIT(number)
        const GLOBAL x_cell* line_x = x0 + x0_LINE;
  #if COSINES
        near[e] = e_make(TAKEN(k).re, k > 0 ? TAKEN((N - k)).re : R(0.0));
        far[e] = e_make(TAKEN((POINTS - k)).re, TAKEN((POINTS + k)).re);
  #else
        near[e] = TAKEN(k);
        far[e] = TAKEN((POINTS - k));
  #endif
      }
      UNROLL for (int e = 0; e < AT_ONCE; e++) {
        const int i = begin + e * THREADS;
        if (i >= LINES * BINS) continue;
        LOCAL factor* line = held + OWN(i) * PITCH;
        const int k = BIN_OF(i);
        const elem w = OF_TABLE(HALVES_AT + k);
  #if COSINES
        const elem q = OF_TABLE(QUARTERS_AT + k), behind = e_scale(inner, e_mul(Q_BEHIND(q), far[e]));
        const elem a = k == 0 ? near[e] : e_scale(inner, e_mul(q, near[e]));
        const elem b = k == 0 ? e_re(behind) : e_conj(behind);
  #else
        const elem a = k == 0 ? e_re(near[e]) : e_scale(inner, SIGNED(near[e]));
        const elem b = k == 0 ? e_re(far[e]) : e_scale(inner, e_conj(SIGNED(far[e])));
  #endif
        const elem sum = e_add(a, b), difference = e_mul(w, e_sub(a, b));
        const int here = PLACED(OWN(i), k), there = PLACED(OWN(i), (POINTS - k));
        line[here] = to_cell(e_make(sum.re - difference.im, sum.im + difference.re));
        if (k > 0) line[there] = to_cell(e_make(sum.re + difference.im, difference.re - sum.im));
      }
    }
    BARRIER();
  #if COSINES
    ALL_STEPS
    /* Four samples, of a number and of the one as far from the other end. */
    for (int i = thread; i < LINES * FOURS; i += THREADS) {
    #if STORE_ACROSS
      const int own = i % LINES, low = i / LINES;
    #else
      const int own = i / FOURS, low = i % FOURS;
    #endif
      if (from + own >= count) continue;
      LINE_SPLIT((first_line + from + own))
      GLOBAL y_cell* line_y = y + y_LINE;
      const LOCAL factor* line = held + own * PITCH;
      const int high = POINTS - 1 - low;
      const elem a = of_cell(line + PLACED(own, BIN(low))), b = of_cell(line + PLACED(own, BIN(high)));
      const elem one = e_make(a.re, b.im), next = e_make(a.im, b.re);
      const idx k = 4 * low;
      STORE_SAMPLES(k, one)
      if (low < high) {
        STORE_SAMPLES(k + 2, next)
      }
    }
  #else
    STEPS_AHEAD
    for (int b = thread; b < LINES * (POINTS / FINAL); b += THREADS) {
  #if STORE_ACROSS
      const int own = b % LINES, low = b / LINES;
  #else
      const int own = b / (POINTS / FINAL), low = b % (POINTS / FINAL);
  #endif
      if (from + own >= count) continue;
      LINE_SPLIT((first_line + from + own))
      GLOBAL y_cell* line_y = y + y_LINE;
      const LOCAL factor* line = held + own * PITCH;
      const int first = PLACED(own, BIN(low));
      elem v[FINAL];
      TAKE(FINAL, 1, line, first, v)
      BUTTERFLY(FINAL)(v);
      UNROLL for (int r = 0; r < FINAL; r++) {
        const idx k = 2 * (low + r * (POINTS / FINAL));
        STORE_SAMPLES(k, v[r])
      }
    }
  #endif
  #if PADS
    /* What signals have behind their last point. */
    const idx lines = count - from < LINES ? count - from : LINES;
    for (idx i = thread; i < (y_extent - N) * lines; i += THREADS) {
      LINE_SPLIT((first_line + from + i % lines))
      GLOBAL y_cell* line_y = y + y_LINE;
      STORE(N + i / lines, e_zero())
    }
  #endif
#endif
    BARRIER();
  }
}

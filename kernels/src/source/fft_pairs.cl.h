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

#define SAMPLE(k) (X_HAS(k) ? x_value(line_x[X_AT(k)]).re : R(0.0))
/* Samples k and k + 1. */
#if COSINES
  #define SAMPLES(k) e_make(SAMPLE(ORDERED(k)), SAMPLE(ORDERED((k) + 1)))
#elif X_PAIRS
  #define SAMPLES(k) (X_HAS((k) + 1) ? PAIR_AT(line_x, k) : e_make(SAMPLE(k), R(0.0)))
#else
  #define SAMPLES(k) e_make(SAMPLE(k), SAMPLE((k) + 1))
#endif
/* A bin as it is. Those that are their own conjugates are real; the others stand for two. */
#define TAKEN(k) x_value(line_x[X_AT(k)])
/* Numbers k and OPPOSITE(k) are taken together, bins k and OPPOSITE_BIN(k) are: pair i, of transform OWN, is that of k. Number 0 is its own
   mirror image, as number POINTS / 2 is: these two are a pair. */
#define FOURS ((POINTS + 1) / 2)
#define OWN_LOADED(i) (LOAD_ACROSS ? (i) % LINES : (i) / FOURS)
#define PAIR_LOADED(i) (LOAD_ACROSS ? (i) / LINES : (i) % FOURS)
#define OWN_STORED(i) (STORE_ACROSS ? (i) % LINES : (i) / FOURS)
#define PAIR_STORED(i) (STORE_ACROSS ? (i) / LINES : (i) % FOURS)
#define OPPOSITE(k) ((k) > 0 ? POINTS - (k) : POINTS % 2 == 0 ? POINTS / 2 : 0)
#if COSINES == 1
  #define OPPOSITE_BIN(k) (POINTS - 1 - (k))
#else
  #define OPPOSITE_BIN(k) OPPOSITE(k)
#endif
#if COSINES
  /* Q of POINTS - k, of that of k. */
  #define Q_BEHIND(q) e_mul(e_make(EIGHTH, -EIGHTH), e_conj(q))
  #define EIGHTH R(0.70710678118654752440)
#endif

KERNEL_OF(THREADS, 1, RESIDENT) fft_pairs(PARAMETERS) {
  NUMBERS
  PROLOGUE
  const int thread = LID(0);
  EACH_GROUP(count) {
#if HALF == 2 || COSINES == 2
    EACH(b, LINES * APART) {
  #if LOAD_ACROSS
      const int own = b % LINES, turn = b / LINES;
  #else
      const int own = b / APART, turn = b % APART;
  #endif
      /* Lines beyond the last are that once more, and left. */
      const idx number = first_line + (from + own < count ? from + own : count - 1);
      LINE_SPLIT(number)
      const GLOBAL x_cell* line_x = x0 + x0_LINE;
      elem v[FIRST];
      UNROLL for (int r = 0; r < FIRST; r++) {
        const idx k = 2 * (turn + r * APART);
        v[r] = SAMPLES(k);
      }
      BUTTERFLY(FIRST)(v);
      TURNED_FIRST(turn, v)
      LEAVE_LOADED(own, turn, v)
    }
    BARRIER();
    STEPS_BEHIND
    TO_PAIRS
    EACH(i, LINES * FOURS) {
      const int own = OWN_STORED(i), k = PAIR_STORED(i);
      if (from + own >= count) continue;
      elem a, opposite;
      TAKE_PAIR(own, k, a, opposite)
      const elem w = OF_TABLE(HALVES_AT + k), b = e_conj(k == 0 ? a : opposite);
      const elem even = e_scale(R(0.5), e_add(a, b)), difference = e_scale(R(0.5), e_sub(a, b));
      const elem odd = e_mul(w, e_make(difference.im, -difference.re));
      const real weight = k == 0 ? scale : inner;
      LINE_SPLIT((first_line + from + own))
      GLOBAL y_cell* line_y = y + y_LINE;
  #if COSINES
      const elem q = OF_TABLE(QUARTERS_AT + k);
      const elem near = e_mul(q, e_scale(weight, e_add(even, odd)));
      const elem far = e_mul(Q_BEHIND(q), e_scale(inner, e_conj(e_sub(even, odd))));
      STORE(k, e_re(near))
      STORE(POINTS - k, e_re(far))
      if (k > 0) {
        STORE(N - k, e_make(-near.im, R(0.0)))
        STORE(POINTS + k, e_make(-far.im, R(0.0)))
      } else if (POINTS % 2 == 0) {
        const elem middle = e_mul(OF_TABLE(QUARTERS_AT + POINTS / 2), e_scale(inner, e_conj(opposite)));
        STORE(POINTS / 2, e_re(middle))
        STORE(N - POINTS / 2, e_make(-middle.im, R(0.0)))
      }
  #else
      STORE(k, SIGNED(e_scale(weight, e_add(even, odd))))
      STORE(POINTS - k, SIGNED(e_scale(weight, e_conj(e_sub(even, odd)))))
      if (POINTS % 2 == 0 && k == 0) STORE(POINTS / 2, SIGNED(e_scale(inner, e_conj(opposite))))
  #endif
    }
#else
    /* A few at a time, whose loads are under way together. */
    for (int begin = thread; begin < LINES * FOURS; begin += AT_ONCE * THREADS) {
      elem near[AT_ONCE], far[AT_ONCE];
      UNROLL for (int e = 0; e < AT_ONCE; e++) {
        const int i = begin + e * THREADS < LINES * FOURS ? begin + e * THREADS : begin;
        const int own = OWN_LOADED(i), k = PAIR_LOADED(i);
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
        if (i >= LINES * FOURS) continue;
        const int own = OWN_LOADED(i), k = PAIR_LOADED(i);
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
        const elem one = e_make(sum.re - difference.im, sum.im + difference.re);
        elem opposite = e_make(sum.re + difference.im, difference.re - sum.im);
        if (k == 0) {
          opposite = one;
  #if POINTS % 2 == 0
          const idx number = first_line + (from + own < count ? from + own : count - 1);
          LINE_SPLIT(number)
          const GLOBAL x_cell* line_x = x0 + x0_LINE;
    #if COSINES
          const elem bins = e_make(TAKEN(POINTS / 2).re, TAKEN((N - POINTS / 2)).re);
          const elem middle = e_mul(OF_TABLE(QUARTERS_AT + POINTS / 2), bins);
    #else
          const elem middle = SIGNED(TAKEN(POINTS / 2));
    #endif
          opposite = e_scale(R(2.0) * inner, middle);
  #endif
        }
        LEAVE_PAIR(e, own, k, one, opposite)
      }
    }
    BARRIER();
  #if COSINES
    ALL_STEPS
    TO_PAIRS
    /* Four samples, of a number and of the one as far from the other end. */
    EACH(i, LINES * FOURS) {
      const int own = OWN_STORED(i), low = PAIR_STORED(i);
      if (from + own >= count) continue;
      elem a, b;
      TAKE_PAIR(own, low, a, b)
      LINE_SPLIT((first_line + from + own))
      GLOBAL y_cell* line_y = y + y_LINE;
      const elem one = e_make(a.re, b.im), next = e_make(a.im, b.re);
      const idx k = 4 * low;
      STORE_SAMPLES(k, one)
      if (low < POINTS - 1 - low) {
        STORE_SAMPLES(k + 2, next)
      }
    }
  #else
    STEPS_AHEAD
    TO_STORED
    EACH(b, LINES * (POINTS / FINAL)) {
  #if STORE_ACROSS
      const int own = b % LINES, low = b / LINES;
  #else
      const int own = b / (POINTS / FINAL), low = b % (POINTS / FINAL);
  #endif
      if (from + own >= count) continue;
      elem v[FINAL];
      TAKE_STORED(own, low, v)
      BUTTERFLY(FINAL)(v);
      LINE_SPLIT((first_line + from + own))
      GLOBAL y_cell* line_y = y + y_LINE;
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

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
     FIRST, STEPS, FINAL the first radix, the steps between, and the last one
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
/* Butterflies `low` and OTHER of the first radix take numbers k and POINTS - k, those of the last one leave these bins, or bins k and
   POINTS - 1 - k: two are made together. The first two are each their own mirror image. */
#define COUPLES(P) ((POINTS / (P) + 1) / 2)
#define MIRRORED(low, many) ((low) > 0 ? (many) - (low) : (many) % 2 == 0 ? (many) / 2 : 0)
#define BEHIND_FINAL (POINTS / FINAL)
#define OTHER_FIRST(low) MIRRORED(low, APART)
#if COSINES == 1
  #define OTHER_FINAL(low) (BEHIND_FINAL - 1 - (low))
#else
  #define OTHER_FINAL(low) MIRRORED(low, BEHIND_FINAL)
#endif
#define OWN_FIRST(i) (LOAD_ACROSS ? (i) % LINES : (i) / COUPLES(FIRST))
#define LOW_FIRST(i) (LOAD_ACROSS ? (i) / LINES : (i) % COUPLES(FIRST))
#define OWN_FINAL(i) (STORE_ACROSS ? (i) % LINES : (i) / COUPLES(FINAL))
#define LOW_FINAL(i) (STORE_ACROSS ? (i) / LINES : (i) % COUPLES(FINAL))
#if COSINES
  /* Q of POINTS - k, of that of k. */
  #define Q_BEHIND(q) e_mul(e_make(EIGHTH, -EIGHTH), e_conj(q))
  #define EIGHTH R(0.70710678118654752440)
#endif

/* What becomes of numbers a and `opposite` of a transform's result: bins k and POINTS - k, or sums. */
#if COSINES
  #define STORE_BINS(k, near, far, weight)                                              \
    {                                                                                   \
      const elem q = OF_TABLE(QUARTERS_AT + k);                                         \
      const elem sums = e_mul(q, e_scale(weight, near));                                \
      const elem others = e_mul(Q_BEHIND(q), e_scale(inner, e_conj(far)));              \
      STORE(k, e_re(sums))                                                              \
      if (k > 0) STORE(N - k, e_make(-sums.im, R(0.0)))                                 \
      if (2 * k != POINTS) {                                                            \
        STORE(POINTS - k, e_re(others))                                                 \
        if (k > 0) STORE(POINTS + k, e_make(-others.im, R(0.0)))                        \
      }                                                                                 \
    }
#else
  #define STORE_BINS(k, near, far, weight)                                              \
    STORE(k, SIGNED(e_scale(weight, near)))                                             \
    if (2 * k != POINTS) STORE(POINTS - k, SIGNED(e_scale(weight, e_conj(far))))
#endif
#define STORE_COUPLE(bin, number, opposite)                                             \
  {                                                                                     \
    const int at = bin;                                                                 \
    const elem a = number, b = e_conj(opposite), w = OF_TABLE(HALVES_AT + at);          \
    const elem even = e_scale(R(0.5), e_add(a, b)), difference = e_scale(R(0.5), e_sub(a, b)); \
    const elem odd = e_mul(w, e_make(difference.im, -difference.re));                   \
    const elem near = e_add(even, odd), far = e_sub(even, odd);                         \
    const real weight = at == 0 ? scale : inner;                                        \
    STORE_BINS(at, near, far, weight)                                                   \
  }

/* What is read of bins k and POINTS - k, or sums; and the numbers that these become. */
#if COSINES
  #define TAKE_COUPLE_OF(k, near, far)                                          \
    near = e_make(TAKEN(k).re, k > 0 ? TAKEN((N - k)).re : R(0.0));             \
    far = e_make(TAKEN((POINTS - k)).re, TAKEN((POINTS + k)).re);
  #define BINS_OF(k, near, far)                                                 \
    const elem q = OF_TABLE(QUARTERS_AT + k), behind = e_scale(inner, e_mul(Q_BEHIND(q), far)); \
    const elem a = k == 0 ? near : e_scale(inner, e_mul(q, near));              \
    const elem b = k == 0 ? e_re(behind) : e_conj(behind);
#else
  #define TAKE_COUPLE_OF(k, near, far) \
    near = TAKEN(k);                   \
    far = TAKEN((POINTS - k));
  #define BINS_OF(k, near, far)                                              \
    const elem a = k == 0 ? e_re(near) : e_scale(inner, SIGNED(near));       \
    const elem b = k == 0 ? e_re(far) : e_scale(inner, e_conj(SIGNED(far)));
#endif
#define MAKE_COUPLE(bin, near, far)                                      \
  {                                                                      \
    const int at = bin;                                                  \
    const elem w = OF_TABLE(HALVES_AT + at);                             \
    BINS_OF(at, near, far)                                               \
    const elem sum = e_add(a, b), difference = e_mul(w, e_sub(a, b));    \
    near = e_make(sum.re - difference.im, sum.im + difference.re);       \
    far = e_make(sum.re + difference.im, difference.re - sum.im);        \
  }

KERNEL_OF(THREADS, 1, RESIDENT) fft_pairs(PARAMETERS) {
  AFTER_EARLIER_KERNELS
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
    STEPS
    TO_STORED_COUPLES
    EACH(i, LINES * COUPLES(FINAL)) {
      const int own = OWN_FINAL(i), low = LOW_FINAL(i);
      if (from + own >= count) continue;
      elem v[FINAL], other[FINAL];
      TAKE_COUPLE(own, low, OTHER_FINAL(low), v, other)
      BUTTERFLY(FINAL)(v);
      BUTTERFLY(FINAL)(other);
      LINE_SPLIT((first_line + from + own))
      GLOBAL y_cell* line_y = y + y_LINE;
      UNROLL for (int r = 0; r < FINAL; r++) {
        const elem mirrored = low > 0 ? other[FINAL - 1 - r] : v[(FINAL - r) % FINAL];
        if (low > 0 || 2 * r <= FINAL) STORE_COUPLE(low + r * BEHIND_FINAL, v[r], mirrored)
      }
      if (low == 0 && BEHIND_FINAL % 2 == 0) {
        UNROLL for (int r = 0; 2 * r < FINAL; r++) {
          STORE_COUPLE(BEHIND_FINAL / 2 + r * BEHIND_FINAL, other[r], other[FINAL - 1 - r])
        }
      }
    }
#else
    EACH(i, LINES * COUPLES(FIRST)) {
      const int own = OWN_FIRST(i), low = LOW_FIRST(i);
      const idx number = first_line + (from + own < count ? from + own : count - 1);
      LINE_SPLIT(number)
      const GLOBAL x_cell* line_x = x0 + x0_LINE;
      elem v[FIRST], other[FIRST];
      UNROLL for (int r = 0; r < FIRST; r++) {
        const int k = low + r * APART;
        TAKE_COUPLE_OF(k, v[r], other[FIRST - 1 - r])
      }
      UNROLL for (int r = 0; r < FIRST; r++) MAKE_COUPLE(low + r * APART, v[r], other[FIRST - 1 - r])
      if (low == 0) {
        UNROLL for (int r = 0; r < FIRST; r++) {
          elem mirrored;
          const int k = OTHER_FIRST(0) + r * APART;
          TAKE_COUPLE_OF(k, other[r], mirrored)
          MAKE_COUPLE(k, other[r], mirrored)
        }
      }
      BUTTERFLY(FIRST)(v);
      BUTTERFLY(FIRST)(other);
      TURNED_FIRST(low, v)
      TURNED_FIRST(OTHER_FIRST(low), other)
      LEAVE_COUPLE(own, low, OTHER_FIRST(low), v, other)
    }
    BARRIER();
    STEPS
  #if COSINES
    TO_STORED_COUPLES
    /* Four samples, of a number and of the one as far from the other end. */
    EACH(i, LINES * COUPLES(FINAL)) {
      const int own = OWN_FINAL(i), low = LOW_FINAL(i);
      if (from + own >= count) continue;
      elem v[FINAL], other[FINAL];
      TAKE_COUPLE(own, low, OTHER_FINAL(low), v, other)
      BUTTERFLY(FINAL)(v);
      BUTTERFLY(FINAL)(other);
      LINE_SPLIT((first_line + from + own))
      GLOBAL y_cell* line_y = y + y_LINE;
      UNROLL for (int r = 0; r < FINAL; r++) {
        const int near = 2 * r < FINAL, number = low + r * BEHIND_FINAL;
        if (!near && low == OTHER_FINAL(low)) continue;
        const elem a = near ? v[r] : other[FINAL - 1 - r], b = near ? other[FINAL - 1 - r] : v[r];
        const int high = POINTS - 1 - number, first = near ? number : high, last = near ? high : number;
        const elem one = e_make(a.re, b.im), next = e_make(a.im, b.re);
        const idx k = 4 * first;
        STORE_SAMPLES(k, one)
        if (first < last) {
          STORE_SAMPLES(k + 2, next)
        }
      }
    }
  #else
    TO_STORED
    EACH(b, LINES * BEHIND_FINAL) {
    #if STORE_ACROSS
      const int own = b % LINES, low = b / LINES;
    #else
      const int own = b / BEHIND_FINAL, low = b % BEHIND_FINAL;
    #endif
      if (from + own >= count) continue;
      elem v[FINAL];
      TAKE_STORED(own, low, v)
      BUTTERFLY(FINAL)(v);
      LINE_SPLIT((first_line + from + own))
      GLOBAL y_cell* line_y = y + y_LINE;
      UNROLL for (int r = 0; r < FINAL; r++) {
        const idx k = 2 * (low + r * BEHIND_FINAL);
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

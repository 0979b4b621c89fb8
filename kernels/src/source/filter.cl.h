/* y = EXPRESSION(a long filter along an axis applied to x0, y).

   An axis is divided into BLOCKS parts of RESULTS places. A group takes one part of LINES lines: it loads SAMPLES samples of each, the last
   of which are those of its results, transforms them in local memory, multiplies by the filter's spectrum, transforms back and stores what
   no sample beyond the first has come round to.
   Of real lines two samples are one complex number. The spectrum of the line is made of that of these numbers, and the other way round:
   with a and b bins k and POINTS - k, it is E + W O and conj(E - W O) there, with E = (a + conj b) / 2, O = (a - conj b) / 2i and
   W = exp(-i pi k / POINTS).
   Before this text stand the parameters and
     RESULTS             results of a part
     POINTS, PITCH       complex numbers of a line, and from one line to the next
     THREADS, LINES      threads and lines of a group
     OVERLAP             samples of a part before those of its results
     X_REAL, Y_REAL, X_ALIGN, Y_ALIGN  what x0 and y hold
     LOAD_ACROSS, STORE_ACROSS  1 if neighbours among threads take several lines
     ROOTS_AT, HALVES_AT, RESPONSE_AT  where the table has roots of one, W, and the spectrum, times 1 / POINTS
     X_PAIRS, Y_PAIRS    1 if samples 2 k and 2 k + 1 of lines are next to each other, aligned as one, and parts are whole lines
     PAIRS               1 if two samples of real lines are one complex number
     FIRST, STEPS_BEHIND, STEPS_BACK  the first radix, whose butterflies take what is loaded and leave what is stored; the other steps, and
                         these the other way round
   and the text of steps. Among the parameters are how far before its first result a part's samples begin, the elements
   of a line, the number of lines, and that of parts of a line. */

/* Sample s of a part that begins at place `from` of a line. */
#define LOADED(s) (from + (s) >= 0 && from + (s) < extent ? x_value(line_x[(from + (s)) * x0_s]) : e_zero())
/* The result of sample s. */
#define STORE(s, result)                                         \
  if ((s) >= OVERLAP && (s) < OVERLAP + RESULTS && from + before + (s) - (OVERLAP) < extent) { \
    const elem value = result;                                   \
    GLOBAL y_cell* to = line_y + (from + before + (s) - (OVERLAP)) * y_s; \
    OLD(to)                                                      \
    *to = y_of(EXPRESSION(NEW));                                 \
  }

KERNEL_OF(THREADS, 1, RESIDENT) filter(PARAMETERS) {
  AFTER_EARLIER_KERNELS
  NUMBERS
  PROLOGUE
  const int thread = LID(0);
  const idx together = (count + LINES - 1) / LINES;
  for (idx group = (idx)GRP(0); group < together * blocks; group += (idx)NGRP(0)) {
    const idx block = group / together, first_line = (group - block * together) * LINES;
    const idx from = block * RESULTS - before;
    for (int b = thread; b < LINES * APART; b += THREADS) {
#if LOAD_ACROSS
      const int own = b % LINES, turn = b / LINES;
#else
      const int own = b / APART, turn = b % APART;
#endif
      /* Lines beyond the last are that once more, and left. */
      const idx number = first_line + own < count ? first_line + own : count - 1;
      LINE_SPLIT(number)
      const GLOBAL x_cell* line_x = x0 + x0_LINE;
      LOCAL factor* line = held + own * PITCH;
      const int first = PLACED(own, turn);
      elem v[FIRST];
      UNROLL for (int r = 0; r < FIRST; r++) {
        const idx at = turn + r * APART;
#if PAIRS && X_PAIRS
        v[r] = 2 * at + 1 < extent ? PAIR_AT(line_x, 2 * at) : e_make(LOADED(2 * at).re, R(0.0));
#elif PAIRS
        v[r] = e_make(LOADED(2 * at).re, LOADED(2 * at + 1).re);
#else
        v[r] = LOADED(at);
#endif
      }
      BUTTERFLY(FIRST)(v);
      TURNED_FIRST(turn, v)
      LEAVE(FIRST, APART, line, first, v)
    }
    BARRIER();
    STEPS_BEHIND
#if PAIRS
    for (int i = thread; i < LINES * (POINTS / 2 + 1); i += THREADS) {
      const int own = i / (POINTS / 2 + 1), k = i % (POINTS / 2 + 1), other = k == 0 ? 0 : POINTS - k;
      LOCAL factor* line = held + own * PITCH;
      LOCAL factor *near = line + PLACED(own, BIN(k)), *far = line + PLACED(own, BIN(other));
      const elem a = of_cell(near), b = e_conj(of_cell(far)), w = OF_TABLE(HALVES_AT + k);
      const elem even = e_scale(R(0.5), e_add(a, b)), difference = e_scale(R(0.5), e_sub(a, b));
      const elem odd = e_mul(w, e_make(difference.im, -difference.re));
      /* Bins k and POINTS - k of the line, filtered; of the latter the conjugate. */
      const elem low = e_mul(e_add(even, odd), OF_TABLE(RESPONSE_AT + k));
      const elem high = e_mul(e_sub(even, odd), e_conj(OF_TABLE(RESPONSE_AT + POINTS - k)));
      const elem sum = e_scale(R(0.5), e_add(low, high));
      const elem turned = e_mul(e_scale(R(0.5), e_sub(low, high)), e_conj(w));
      /* The conjugates of sum + i turned, and of what stands at POINTS - k. */
      if (k > 0) *far = to_cell(e_make(sum.re + turned.im, sum.im - turned.re));
      *near = to_cell(e_make(sum.re - turned.im, -sum.im - turned.re));
    }
#else
    for (int i = thread; i < LINES * POINTS; i += THREADS) {
      const int own = i / POINTS, k = i % POINTS;
      LOCAL factor* bin = held + own * PITCH + PLACED(own, BIN(k));
      *bin = to_cell(e_conj(e_mul(of_cell(bin), OF_TABLE(RESPONSE_AT + k))));
    }
#endif
    BARRIER();
    STEPS_BACK
    for (int b = thread; b < LINES * APART; b += THREADS) {
#if STORE_ACROSS
      const int own = b % LINES, turn = b / LINES;
#else
      const int own = b / APART, turn = b % APART;
#endif
      if (first_line + own >= count) continue;
      LINE_SPLIT((first_line + own))
      GLOBAL y_cell* line_y = y + y_LINE;
      const LOCAL factor* line = held + own * PITCH;
      const int first = PLACED(own, turn);
      elem v[FIRST];
      TAKE(FIRST, APART, line, first, v)
      TURNED_FIRST(turn, v)
      BUTTERFLY(FIRST)(v);
      UNROLL for (int r = 0; r < FIRST; r++) {
        const idx at = turn + r * APART;
        /* The conjugates of results. */
#if PAIRS && Y_PAIRS && !READS_Y
        if (2 * at + 1 < extent) {
          PUT_PAIR(line_y, 2 * at, v[r].re, -v[r].im)
        } else STORE(2 * at, e_make(v[r].re, R(0.0)))
#elif PAIRS
        STORE(2 * at, e_make(v[r].re, R(0.0)))
        STORE(2 * at + 1, e_make(-v[r].im, R(0.0)))
#else
        STORE(at, e_conj(v[r]))
#endif
      }
    }
    BARRIER();
  }
}

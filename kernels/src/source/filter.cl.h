/* y = EXPRESSION(a long filter along an axis applied to x0, y).

   An axis is divided into BLOCKS parts of RESULTS places. A group takes one part of LINES lines: it loads SAMPLES samples of each, the last
   of which are those of its results, transforms them in local memory, multiplies by the filter's spectrum, transforms back and stores what
   no sample beyond the first has come round to.
   Of real lines two samples are one complex number. The spectrum of the line is made of that of these numbers, and the other way round:
   with a and b bins k and POINTS - k, it is E + W O and conj(E - W O) there, with E = (a + conj b) / 2, O = (a - conj b) / 2i and
   W = exp(-i pi k / POINTS).
   Before this text stand the parameters and
     SAMPLES, RESULTS, POINTS, PITCH  samples and results of a part; complex numbers of a line, and from one line to the next
     THREADS, LINES      threads and lines of a group
     TAPS                the taps
     X_REAL, Y_REAL, X_ALIGN, Y_ALIGN  what x0 and y hold
     LOAD_ACROSS, STORE_ACROSS  1 if neighbours among threads take several lines
     LARGE               1 if local memory is more than is given without being asked
     ROOTS_AT, HALVES_AT, RESPONSE_AT  where the table has roots of one, W, and the spectrum, times 1 / POINTS
     STAGES              the radices of a transform
   and the text of stages. Among the parameters are how far before its first result a part's samples begin, the elements
   of a line, the number of lines, and that of parts of a line. */

#if X_REAL
  #define SAMPLE(own, k) (((LOCAL real*)(held + (own) * PITCH))[k])
#else
  #define SAMPLE(own, k) held[(own) * PITCH + (k)]
#endif
/* Sample k of what is the conjugate of a line's results. */
#if Y_REAL
  #define RESULT(own, k) e_make((k) & 1 ? -SAMPLE(own, k) : SAMPLE(own, k), R(0.0))
#else
  #define RESULT(own, k) e_conj(SAMPLE(own, k))
#endif

#define NEW(name) NEW_##name
#define NEW_x0 value
#define NEW_y old

KERNEL_OF(THREADS, 1, 1) filter(PARAMETERS) {
#if LARGE
  LARGE_LOCAL_ARRAY(elem, held, LINES * PITCH);
#else
  LOCAL_ARRAY(elem, held, LINES * PITCH);
#endif
  PROLOGUE
  const int thread = LID(0);
  const idx together = (count + LINES - 1) / LINES;
  for (idx group = (idx)GRP(0); group < together * blocks; group += (idx)NGRP(0)) {
    const idx block = group / together, first = (group - block * together) * LINES;
    const idx begin = block * RESULTS, from = begin - before;
    for (int i = thread; i < LINES * SAMPLES; i += THREADS) {
#if LOAD_ACROSS
      const int own = i % LINES, at = i / LINES;
#else
      const int own = i / SAMPLES, at = i % SAMPLES;
#endif
      const idx k = from + at;
#if X_REAL
      real value = R(0.0);
#else
      elem value = e_zero();
#endif
      if (first + own < count && k >= 0 && k < extent) {
        const idx line = first + own;
        LINE_SPLIT(line)
#if X_REAL
        value = x0[x0_LINE + k * x0_s];
#else
        value = x_value(x0[x0_LINE + k * x0_s]);
#endif
      }
      SAMPLE(own, at) = value;
    }
    BARRIER();
    STAGES
#if X_REAL
    for (int i = thread; i < LINES * (POINTS / 2 + 1); i += THREADS) {
      const int own = i / (POINTS / 2 + 1), k = i % (POINTS / 2 + 1), other = k == 0 ? 0 : POINTS - k;
      LOCAL elem* line = held + own * PITCH;
      const elem a = line[k], b = e_conj(line[other]), w = OF_TABLE(HALVES_AT + k);
      const elem even = e_scale(R(0.5), e_add(a, b)), difference = e_scale(R(0.5), e_sub(a, b));
      const elem odd = e_mul(w, e_make(difference.im, -difference.re));
      /* Bins k and POINTS - k of the line, filtered; of the latter the conjugate. */
      const elem low = e_mul(e_add(even, odd), OF_TABLE(RESPONSE_AT + k));
      const elem high = e_mul(e_sub(even, odd), e_conj(OF_TABLE(RESPONSE_AT + POINTS - k)));
      const elem sum = e_scale(R(0.5), e_add(low, high));
      const elem turned = e_mul(e_scale(R(0.5), e_sub(low, high)), e_conj(w));
      /* The conjugates of sum + i turned, and of what stands at POINTS - k. */
      line[k] = e_make(sum.re - turned.im, -sum.im - turned.re);
      line[other] = e_make(sum.re + turned.im, sum.im - turned.re);
      if (k == 0) line[0] = e_make(sum.re - turned.im, -sum.im - turned.re);
    }
#else
    for (int i = thread; i < LINES * POINTS; i += THREADS) {
      const int own = i / POINTS, k = i % POINTS;
      LOCAL elem* bin = held + own * PITCH + k;
      *bin = e_conj(e_mul(*bin, OF_TABLE(RESPONSE_AT + k)));
    }
#endif
    BARRIER();
    STAGES
    for (int i = thread; i < LINES * RESULTS; i += THREADS) {
#if STORE_ACROSS
      const int own = i % LINES, at = i / LINES;
#else
      const int own = i / RESULTS, at = i % RESULTS;
#endif
      const idx k = begin + at, line = first + own;
      if (line < count && k < extent) {
        const elem value = RESULT(own, TAPS - 1 + at);
        LINE_SPLIT(line)
        GLOBAL y_cell* to = y + (y_LINE + k * y_s);
#if READS_Y
        const elem old = y_value(*to);
#endif
        *to = y_of(EXPRESSION(NEW));
      }
    }
    BARRIER();
  }
}

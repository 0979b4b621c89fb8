/* y = EXPRESSION(a long filter along an axis applied to x0, y), of samples that threads hold.

   An axis is divided into parts of RESULTS places. A group takes one of so many lines, PARTS neighbours of each: of real lines two parts are
   the real and the imaginary part of one signal, since a real filter keeps them apart. A signal has POINTS = 256 RADIX samples, of which
   the first TAPS - 1 come before those of its results, and each of the group's 256 threads has 16 numbers at a time. With n = t + 256 r and
   t = u + 16 s for a sample, k + RADIX (l + 16 m) for a bin, w(N) = exp(-2 pi i / N),
     bin = sum over u of w(16)^um w(256)^ul sum over s of w(16)^sl w(POINTS)^tk sum over r of w(RADIX)^rk sample,
   and back the same sums in the other order, of conjugates. So bins are multiplied by the filter's spectrum where the last sum leaves
   them, and samples need not be put in order.
   Before this text stand the parameters, butterflies and
     RADIX, LINES        the numbers that a thread has of a line at first; 16 / RADIX
     RESULTS, TAPS, PARTS, RESIDENT
     X_REAL, Y_REAL, X_ALIGN, Y_ALIGN  what x0 and y hold
     RESPONSE_AT         where the table has the spectrum, times 1 / POINTS, as threads take it: behind w(POINTS)^t for all t and w(256)^u
   Among the parameters are how far before its first result a part's samples begin, the elements of a line, the number of lines, and
   that of parts of a line, PARTS together. */

#define POINTS (256 * RADIX)

/* Of the 256 numbers of a sum over r: number u + 16 s, and number u of those that have 16 l before them. Rows of 16 are turned so that
   threads side by side find them in different banks. */
#define ACROSS(s) (256 * set + own + 16 * (s))
#define ALONG(l, u) (256 * set + 16 * (l) + ((l) ^ (u)))

/* A result at place k of a line that begins at y. */
#define STORE(k, result)                   \
  if ((k) < extent) {                      \
    const elem value = result;             \
    GLOBAL y_cell* to = line_y + (k) * y_s; \
    OLD(to)                                \
    *to = y_of(EXPRESSION(NEW));           \
  }

KERNEL_OF(256, 1, RESIDENT) filter_held(PARAMETERS) {
  AFTER_EARLIER_KERNELS
  LOCAL_ARRAY(factor, held, 4096);
  PROLOGUE
  const int t = LID(0), set = t / 16, own = t % 16;
  const elem first_root = OF_TABLE(t), second_root = OF_TABLE(256 + own);
  const elem first_square = e_mul(first_root, first_root), first_fourth = e_mul(first_square, first_square);
  const elem second_square = e_mul(second_root, second_root), second_fourth = e_mul(second_square, second_square);
  const idx together = (count + LINES - 1) / LINES;
  for (idx group = (idx)GRP(0); group < together * blocks; group += (idx)NGRP(0)) {
    const idx block = group / together, first = (group - block * together) * LINES;
    const idx begin = block * (RESULTS * PARTS), from = begin - before + t;
    elem v[16];
    UNROLL for (int i = 0; i < LINES; i++) {
      const idx line = first + i < count ? first + i : count - 1;
      LINE_SPLIT(line)
      const GLOBAL x_cell* line_x = x0 + x0_LINE;
      UNROLL for (int r = 0; r < RADIX; r++) {
        const idx k = from + 256 * r;
#if X_REAL
        const idx next = k + RESULTS;
        real re = R(0.0), im = R(0.0);
        if (k >= 0 && k < extent) re = line_x[k * x0_s];
        if (next >= 0 && next < extent) im = line_x[next * x0_s];
        v[i * RADIX + r] = e_make(re, im);
#else
        v[i * RADIX + r] = e_zero();
        if (k >= 0 && k < extent) v[i * RADIX + r] = x_value(line_x[k * x0_s]);
#endif
      }
    }
    UNROLL for (int i = 0; i < LINES; i++) {
      BUTTERFLY(RADIX)(v + i * RADIX);
      TURN(v + i * RADIX, RADIX, first_root, first_fourth)
    }
    UNROLL for (int i = 0; i < 16; i++) held[256 * i + t] = to_cell(v[i]);
    BARRIER();
    UNROLL for (int s = 0; s < 16; s++) v[s] = of_cell(held + ACROSS(s));
    butterfly_16(v);
    TURN(v, 16, second_root, second_fourth)
    BARRIER();
    UNROLL for (int l = 0; l < 16; l++) held[ALONG(l, own)] = to_cell(v[l]);
    BARRIER();
    UNROLL for (int u = 0; u < 16; u++) v[u] = of_cell(held + ALONG(own, u));
    butterfly_16(v);
    UNROLL for (int m = 0; m < 16; m++) {
      v[m] = e_conj(e_mul(v[m], OF_TABLE(RESPONSE_AT + 16 * RADIX * m + t % (16 * RADIX))));
    }
    butterfly_16(v);
    TURN(v, 16, second_root, second_fourth)
    /* These places no other thread has taken anything from. */
    UNROLL for (int u = 0; u < 16; u++) held[ALONG(own, u)] = to_cell(v[u]);
    BARRIER();
    UNROLL for (int l = 0; l < 16; l++) v[l] = of_cell(held + ALONG(l, own));
    butterfly_16(v);
    BARRIER();
    UNROLL for (int s = 0; s < 16; s++) held[ACROSS(s)] = to_cell(v[s]);
    BARRIER();
    UNROLL for (int i = 0; i < 16; i++) v[i] = of_cell(held + 256 * i + t);
    UNROLL for (int i = 0; i < LINES; i++) {
      TURN(v + i * RADIX, RADIX, first_root, first_fourth)
      BUTTERFLY(RADIX)(v + i * RADIX);
    }
    UNROLL for (int i = 0; i < LINES; i++) {
      const idx line = first + i;
      if (line >= count) continue;
      LINE_SPLIT(line)
      GLOBAL y_cell* line_y = y + y_LINE;
      UNROLL for (int r = 0; r < RADIX; r++) {
        const int at = t + 256 * r - (TAPS - 1);
        if (at < 0 || at >= RESULTS) continue;
        const elem sum = v[i * RADIX + r];
        const idx k = begin + at;
#if Y_REAL
        STORE(k, e_make(sum.re, R(0.0)))
        STORE(k + RESULTS, e_make(-sum.im, R(0.0)))
#else
        STORE(k, e_conj(sum))
#endif
      }
    }
  }
}

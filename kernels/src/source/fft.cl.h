/* A pass of discrete Fourier transforms, of POINTS points each.

   A line has PARTS transforms in a pass: number j takes the elements j, j + STRIDE, j + 2 STRIDE, .... DONE is the product of
   the points of all passes before. Its result k goes to the place (j / DONE) DONE POINTS + j % DONE + k DONE, so that the last pass leaves
   results in order. A group has LINES transforms at a time.
   Of a spectrum and its mirror image one half is computed. From real samples on, the results of the first pass are each other's conjugates: k
   and DIGIT - k of its DIGIT points. The first half of them goes on, so that DONE counts fewer, and bins that are not there are conjugates of
   those that are. Back to real samples, transforms mirror each other, j / DONE = b and STRIDE / DONE - b: the first half of them is made, and
   what they would have left is the conjugate of what the others have, times exp(2 pi i (j % DONE) / DONE).
   All exponents are negative: those of the other sign are the conjugates of the transform of conjugates.
   Before this text stand the parameters and
     N                   points that signals are transformed to, fewer than a line's where lines are convolved
     LENGTH              elements of a line between passes
     STRIDE              PARTS, or what it was if all transforms were made
     TWO                 1 if transform j is numbers 2 j and 2 j + 1, whose results are real: of the first plus i times the second
     HALVES, DIGIT       1 if half of the first pass's results goes on, 2 if half of the transforms are made; points of the first pass
     POINTS, PITCH       elements of a transform, and from one to the next in local memory
     THREADS, LINES      threads and transforms of a group
     FROM_USER, TO_USER  1 if this pass reads the input, writes the result; else arrays of whole lines
     X_REAL, Y_REAL, X_ALIGN, Y_ALIGN  what these hold
     POSITIVE            1 if exponents are positive
     HALF                1 if the input is half a spectrum, 2 if the result is
     COSINES             1 if the input has sums of a signal's products with cosines, 2 if the result has: real parts of bins k times
                         exp(-pi i k / 2 N), of samples in another order, even ones first, then odd ones back to front. The other way
                         round these products with the sums are bins, and real parts of what they come to are samples in that order
     LINES_FIRST         1 if neighbours among a group's transforms are of several lines
     LOAD_ACROSS, STORE_ACROSS  1 if neighbours among threads take several transforms
     ROOTS_AT, PASS_AT   where the table has roots of one: of POINTS, and of the points of all passes up to this one
     COARSE_AT           where it has every FINE-th of those, if it has not all of them
     LAST, PADS          1 if this is the last pass of a transform, and if signals have elements behind their last point
     CHIRP               1 in the first transform of a convolution, 2 in the second
     QUARTERS_AT         where the table has exp(-pi i k / 2 N)
     CHIRP_AT, RESPONSE_AT  what lines are multiplied by before it and behind, what their transform is
     FIRST, FINAL, STEPS the first radix, whose butterflies take what is loaded; the last one, whose butterflies leave what is stored; and
                         STEP(radix, product of the radices before, of those behind, where its numbers come from, the radix before) ...
                         for those between. If there is one alone, it stands between two ones
   and the texts of steps and samples. */

/* Lines that are convolved are longer than signals. */
#if CHIRP
  #define IS_POINT(k) ((k) < N)
#else
  #define IS_POINT(k) 1
#endif
/* Transform s of a pass: its line and its number there. */
#if PARTS == 1
  #define SPLIT(s) const idx line = s, j = 0;
#elif LINES_FIRST
  #define SPLIT(s) const idx line = s % count, j = s / count;
#else
  #define SPLIT(s) const idx line = s / PARTS, j = s % PARTS;
#endif
/* Which result of the passes before stands at a place among DONE, how many there would be, and whether it is its own mirror image. */
#if HALVES == 1
  #define KEPT (DIGIT / 2 + 1)
#endif
#if HALVES == 1 && DONE > 1
  #define WHOLE(low) ((low) / KEPT * DIGIT + (low) % KEPT)
  #define ALL_DONE (DONE / KEPT * DIGIT)
  #define MIRRORS(low) (2 * ((low) % KEPT) % DIGIT == 0)
#else
  #define WHOLE(low) (low)
  #define ALL_DONE DONE
#endif
/* Roots of one, of ALL_DONE POINTS. */
#ifdef COARSE_AT
  #define OF_PASS(k) e_mul(OF_TABLE(PASS_AT + (k) % FINE), OF_TABLE(COARSE_AT + (k) / FINE))
#else
  #define OF_PASS(k) OF_TABLE(PASS_AT + (k))
#endif
/* The place of element k of a line between passes. */
#if LINES_FIRST
  #define ROOM_PLACE(k) ((k) * count + line)
#else
  #define ROOM_PLACE(k) (line * LENGTH + (k))
#endif

KERNEL_OF(THREADS, 1, RESIDENT) fft(PARAMETERS) {
  AFTER_EARLIER_KERNELS
  NUMBERS
  PROLOGUE
  const int thread = LID(0);
  const idx all = count * PARTS;
  EACH_GROUP(all) {
    EACH(b, LINES * APART) {
#if LOAD_ACROSS
      const int own = b % LINES, turn = b / LINES;
#else
      const int own = b / APART, turn = b % APART;
#endif
      /* Transforms beyond the last are that once more, and left. */
      const idx number = from + own < all ? from + own : all - 1;
      SPLIT(number)
#if FROM_USER
      LINE_SPLIT((first_line + line))
      const GLOBAL x_cell* line_x = x0 + x0_LINE;
#endif
#if DONE > 1
      const idx low = TWO ? 2 * j : WHOLE(j % DONE);
#endif
#if HALVES == 2 && !FROM_USER
      const elem back = e_conj(OF_PASS(POINTS * low));
#endif
#if TWO
      const elem back_of_other = e_conj(OF_PASS(POINTS * (low + 1)));
#endif
      elem v[FIRST];
      UNROLL for (int r = 0; r < FIRST; r++) {
        const int at = turn + r * APART;
        const idx k = j + (idx)at * STRIDE;
        elem value = e_zero();
#if FROM_USER
  #if HALF == 1
        const idx bin = k <= N / 2 ? k : N - k;
        const int there = IS_POINT(k);
  #else
        const idx bin = COSINES == 2 ? ORDERED(k) : k;
        const int there = IS_POINT(k) && X_HAS(bin);
  #endif
        if (there) {
          value = x_value(line_x[X_AT(bin)]);
  #if HALF == 1
          /* A bin that is its own conjugate is real; the others stand for two. */
          value = bin == 0 || 2 * bin == N ? e_make(value.re, R(0.0)) : e_scale(inner, value);
          if (k > N / 2) value = e_conj(value);
  #elif COSINES == 1
          value = e_scale((k == 0 ? R(1.0) : R(2.0) * inner) * value.re, OF_TABLE(QUARTERS_AT + k));
  #endif
  #if POSITIVE
          value = e_conj(value);
  #endif
  #if CHIRP
          value = e_mul(value, OF_TABLE(CHIRP_AT + k));
  #endif
        }
#elif TWO
        const int mirrored = 2 * at > POINTS;
        const idx place = ROOM_PLACE((idx)(mirrored ? POINTS - at : at) * DONE + 2 * j);
        elem one = x_value(x0[place]), other = x_value(x0[place + ROOM_PLACE(1) - ROOM_PLACE(0)]);
        if (mirrored) {
          one = e_mul(e_conj(one), back);
          other = e_mul(e_conj(other), back_of_other);
        }
        other = e_mul(other, OF_PASS(at));
        value = e_make(one.re - other.im, one.im + other.re);
#elif HALVES == 2
        const int mirrored = 2 * (k / DONE) > STRIDE / DONE * POINTS;
        value = x_value(x0[mirrored ? ROOM_PLACE((idx)STRIDE * POINTS - k / DONE * DONE + k % DONE) : ROOM_PLACE(k)]);
        if (mirrored) value = e_mul(e_conj(value), back);
#else
        value = x_value(x0[ROOM_PLACE(k)]);
#endif
        v[r] = value;
      }
#if DONE > 1
      /* Element `at` times the root of ALL_DONE POINTS to the power at times low. */
      const elem begin = OF_PASS(turn * low), root = OF_PASS(APART * low);
      const elem fourth = OF_PASS((FIRST > 4 ? (idx)4 * APART * low : 0));
      UNROLL for (int r = 0; r < FIRST; r++) v[r] = e_mul(v[r], begin);
      TURN(v, FIRST, root, fourth)
#endif
      BUTTERFLY(FIRST)(v);
      TURNED_FIRST(turn, v)
      LEAVE_LOADED(own, turn, v)
    }
    BARRIER();
    STEPS
    TO_STORED
    EACH_STORED(b, LINES * (POINTS / FINAL)) {
#if STORE_ACROSS
      const int own = b % LINES, low = b / LINES;
#else
      const int own = b / (POINTS / FINAL), low = STORED(b % (POINTS / FINAL));
#endif
      if (from + own >= all) continue;
      elem v[FINAL];
      TAKE_STORED(own, low, v)
      BUTTERFLY(FINAL)(v);
      SPLIT((from + own))
#if TO_USER
      LINE_SPLIT((first_line + line))
      GLOBAL y_cell* line_y = y + y_LINE;
#endif
      UNROLL for (int r = 0; r < FINAL; r++) {
        const int at = low + r * (POINTS / FINAL);
        elem value = v[r];
#if TO_USER && TWO
        const idx k = 2 * j + (idx)at * DONE;
        STORE_SAMPLES(k, value)
#elif TO_USER
        idx k = WHOLE(j % DONE) + (idx)at * ALL_DONE;
  #if HALVES == 1
        if (2 * k > N) {
          k = MIRRORS(j % DONE) ? N : N - k;
          value = e_conj(value);
        }
  #endif
        const idx to_bin = COSINES == 1 ? ORDERED(k) : k;
        if (IS_POINT(k) && Y_HAS(to_bin)) {
  #if CHIRP
          value = e_mul(e_conj(value), OF_TABLE(CHIRP_AT + k));
  #endif
  #if POSITIVE
          value = e_conj(value);
  #endif
  #if HALF == 2
          value = e_scale(k == 0 || 2 * k == N ? scale : inner, value);
  #elif COSINES == 2
          value = e_re(e_scale(k == 0 ? scale : inner, e_mul(value, OF_TABLE(QUARTERS_AT + k))));
  #else
          value = e_scale(scale, value);
  #endif
          STORE(to_bin, value)
        }
#elif HALVES == 1 && DONE == 1
        if (at < KEPT) y[ROOM_PLACE(j * KEPT + at)] = y_of(value);
#else
        const idx k = (j - j % DONE) * POINTS + j % DONE + (idx)at * DONE;
  #if CHIRP == 1 && LAST
        value = e_conj(e_mul(value, OF_TABLE(RESPONSE_AT + k)));
  #endif
        y[ROOM_PLACE(k)] = y_of(value);
#endif
      }
    }
#if TO_USER && PADS
    /* What signals have behind their last point. */
    const idx behind = (y_extent - N + PARTS - 1) / PARTS;
    const idx lines = all - from < LINES ? all - from : LINES;
    for (idx i = thread; i < behind * lines; i += THREADS) {
      SPLIT((from + i % lines))
      const idx k = N + j + i / lines * PARTS;
      if (k < y_extent) {
        LINE_SPLIT((first_line + line))
        GLOBAL y_cell* line_y = y + y_LINE;
        STORE(k, e_zero())
      }
    }
#endif
    BARRIER();
  }
}

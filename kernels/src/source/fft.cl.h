/* A pass of discrete Fourier transforms: of POINTS points each, in local memory.

   A line of LENGTH points has PARTS transforms in a pass: number j takes the elements j, j + PARTS, j + 2 PARTS, .... DONE is the product of
   the points of all passes before. Its result k goes to the place (j / DONE) DONE POINTS + j % DONE + k DONE, so that the last pass leaves
   results in order. A group has LINES transforms at a time.
   All exponents are negative: those of the other sign are the conjugates of the transform of conjugates.
   Before this text stand the parameters and
     N                   points that signals are transformed to; LENGTH, or less where lines are convolved
     POINTS, PITCH       elements of a transform, and from one to the next in local memory
     THREADS, LINES      threads and transforms of a group
     FROM_USER, TO_USER  1 if this pass reads the input, writes the result; else arrays of whole lines
     X_REAL, Y_REAL, X_ALIGN, Y_ALIGN  what these hold
     POSITIVE            1 if exponents are positive
     HALF                1 if the input is half a spectrum, 2 if the result is
     LINES_FIRST         1 if neighbours among a group's transforms are of several lines
     LOAD_ACROSS, STORE_ACROSS  1 if neighbours among threads take several transforms
     ROOTS_AT, PASS_AT   where the table has roots of one: of POINTS, and of POINTS DONE
     COARSE_AT           where it has every FINE-th of those, if it has not all of them
     LAST, PADS          1 if this is the last pass of a transform, and if signals have elements behind their last point
     CHIRP               1 in the first transform of a convolution, 2 in the second
     CHIRP_AT, RESPONSE_AT  what lines are multiplied by before it and behind, what their transform is
     STAGES              STAGE(radix, product of the radices before, butterflies of a thread) ...
   and the text of stages. */

/* Transform s of a pass: its line and its number there. */
#if PARTS == 1
  #define SPLIT(s) const idx line = s, j = 0;
#elif LINES_FIRST
  #define SPLIT(s) const idx line = s % count, j = s / count;
#else
  #define SPLIT(s) const idx line = s / PARTS, j = s % PARTS;
#endif
/* The place of element k of a line between passes. */
#if LINES_FIRST
  #define ROOM_PLACE(k) ((k) * count + line)
#else
  #define ROOM_PLACE(k) (line * LENGTH + (k))
#endif

#define NEW(name) NEW_##name
#define NEW_x0 value
#define NEW_y old

KERNEL_OF(THREADS, 1, 1) fft(PARAMETERS) {
  LOCAL_ARRAY(elem, held, LINES * PITCH);
  PROLOGUE
  const int thread = LID(0);
  const idx all = count * PARTS;
  for (idx from = (idx)GRP(0) * LINES; from < all; from += (idx)NGRP(0) * LINES) {
    for (int i = thread; i < LINES * POINTS; i += THREADS) {
#if LOAD_ACROSS
      const int own = i % LINES, at = i / LINES;
#else
      const int own = i / POINTS, at = i % POINTS;
#endif
      elem value = e_zero();
      if (from + own < all) {
        SPLIT((from + own))
        const idx k = j + (idx)at * PARTS;
#if FROM_USER
        const idx number = first_line + line;
        LINE_SPLIT(number)
  #if HALF == 1
        const idx bin = k <= N / 2 ? k : N - k;
        const int there = k < N;
  #else
        const idx bin = k;
        const int there = k < N && k < x_extent;
  #endif
        if (there) {
          const idx place = bin + x_turn < x_extent ? bin + x_turn : bin + x_turn - x_extent;
          value = x_value(x0[x0_LINE + place * x0_s]);
  #if HALF == 1
          /* A bin that is its own conjugate is real; the others stand for two. */
          value = bin == 0 || 2 * bin == N ? e_make(value.re, R(0.0)) : e_scale(inner, value);
          if (k > N / 2) value = e_conj(value);
  #endif
  #if POSITIVE
          value = e_conj(value);
  #endif
  #if CHIRP
          value = e_mul(value, OF_TABLE(CHIRP_AT + k));
  #endif
        }
#else
        value = x_value(x0[ROOM_PLACE(k)]);
#endif
#if DONE > 1
        const idx turn = (idx)at * (j % DONE);
  #ifdef COARSE_AT
        value = e_mul(value, e_mul(OF_TABLE(PASS_AT + turn % FINE), OF_TABLE(COARSE_AT + turn / FINE)));
  #else
        value = e_mul(value, OF_TABLE(PASS_AT + turn));
  #endif
#endif
      }
      held[own * PITCH + at] = value;
    }
    BARRIER();
    STAGES
    for (int i = thread; i < LINES * POINTS; i += THREADS) {
#if STORE_ACROSS
      const int own = i % LINES, at = i / LINES;
#else
      const int own = i / POINTS, at = i % POINTS;
#endif
      if (from + own < all) {
        SPLIT((from + own))
        const idx k = (j - j % DONE) * POINTS + j % DONE + (idx)at * DONE;
        elem value = held[own * PITCH + at];
#if TO_USER
        if (k < N && k < y_extent) {
  #if CHIRP
          value = e_mul(e_conj(value), OF_TABLE(CHIRP_AT + k));
  #endif
  #if POSITIVE
          value = e_conj(value);
  #endif
  #if HALF == 2
          value = e_scale(k == 0 || 2 * k == N ? scale : inner, value);
  #else
          value = e_scale(scale, value);
  #endif
          const idx number = first_line + line;
          LINE_SPLIT(number)
          const idx place = k + y_turn < y_extent ? k + y_turn : k + y_turn - y_extent;
          GLOBAL y_cell* to = y + (y_LINE + place * y_s);
  #if READS_Y
          const elem old = y_value(*to);
  #endif
          *to = y_of(EXPRESSION(NEW));
        }
#else
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
    for (idx i = thread; i < behind * LINES; i += THREADS) {
      const int own = (int)(i % LINES);
      if (from + own < all) {
        SPLIT((from + own))
        const idx k = N + j + i / LINES * PARTS;
        if (k < y_extent) {
          const elem value = e_zero();
          const idx number = first_line + line;
          LINE_SPLIT(number)
          const idx place = k + y_turn < y_extent ? k + y_turn : k + y_turn - y_extent;
          GLOBAL y_cell* to = y + (y_LINE + place * y_s);
  #if READS_Y
          const elem old = y_value(*to);
  #endif
          *to = y_of(EXPRESSION(NEW));
        }
      }
    }
#endif
    BARRIER();
  }
}

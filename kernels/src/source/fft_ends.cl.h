/* What stands before a library's Fourier transform and behind it: lines of an array become those of room, and back.

   Element k of line number `line` of room is that of place ROOM_PLACE(k). A thread takes one element of a line at a time; neighbours among
   threads are so in memory.
   Before this text stand the parameters and
     BEHIND              1 to read room and write the result; else to read the input and write room
     X_REAL, Y_REAL, X_ALIGN, Y_ALIGN  what x0 and y hold
     ACROSS              1 if lines lie side by side
     BINS                1 if the input is half a spectrum of real numbers, 2 if all of one; 3 if the result is half a spectrum, 4 if
                         all of one, of which room has half
     CONJUGATE           1 to take the conjugate
     SCALES              1 to multiply by scale
     SIDE_0, SIDE_1      threads of a group along what is side by side, and along the other
   and among the parameters n, the points of the transform, and extent, the elements of a line that are written. */

#if ACROSS
  #define ROOM_PLACE(k, elements) ((k) * count + line)
#else
  #define ROOM_PLACE(k, elements) (line * (elements) + (k))
#endif

#define NEW(name) NEW_##name
#define NEW_x0 value
#define NEW_y old

/* Element k of an array whose first one is number `turn`. */
#define TURNED(k, turn, extent) ((k) + (turn) < (extent) ? (k) + (turn) : (k) + (turn) - (extent))

KERNEL_OF(SIDE_0, SIDE_1, 1) fft_ends(PARAMETERS) {
  PROLOGUE
  const idx step_0 = (idx)NGRP(0) * SIDE_0, step_1 = (idx)NGRP(1) * SIDE_1;
  const idx first_0 = (idx)GRP(0) * SIDE_0 + LID(0), first_1 = (idx)GRP(1) * SIDE_1 + LID(1);
#if ACROSS
  for (idx k = first_1; k < extent; k += step_1) {
    for (idx line = first_0; line < count; line += step_0) {
#else
  for (idx line = first_1; line < count; line += step_1) {
    for (idx k = first_0; k < extent; k += step_0) {
#endif
      const idx number = first_line + line;
      LINE_SPLIT(number)
#if BEHIND
  #if BINS == 4
      elem value = x_value(x0[ROOM_PLACE(2 * k <= n ? k : n - k, n / 2 + 1)]);
      if (2 * k > n) value = e_conj(value);
  #elif BINS == 3
      elem value = x_value(x0[ROOM_PLACE(k, n / 2 + 1)]);
  #else
      elem value = e_zero();
      if (k < n) value = x_value(x0[ROOM_PLACE(k, n)]);
  #endif
  #if CONJUGATE
      value = e_conj(value);
  #endif
  #if BINS == 3
      value = e_scale(k == 0 || 2 * k == n ? scale : inner, value);
  #else
      value = e_scale(scale, value);
  #endif
      GLOBAL y_cell* to = y + (y_LINE + TURNED(k, y_turn, y_extent) * y_s);
  #if READS_Y
      const elem old = y_value(*to);
  #endif
      *to = y_of(EXPRESSION(NEW));
#else
      elem value = e_zero();
      if (k < x_extent) value = x_value(x0[x0_LINE + TURNED(k, x_turn, x_extent) * x0_s]);
  #if BINS == 1
      /* A bin that is its own conjugate is real; the others stand for two. */
      value = k == 0 || 2 * k == n ? e_make(value.re, R(0.0)) : e_scale(inner, value);
  #elif BINS == 2
      {
        /* What real parts come from is half of the bin and of the conjugate of that on the other side. */
        const idx other = k == 0 ? 0 : n - k;
        const elem there = x_value(x0[x0_LINE + TURNED(other, x_turn, x_extent) * x0_s]);
        value = e_scale(R(0.5), e_add(value, e_conj(there)));
      }
  #endif
  #if CONJUGATE
      value = e_conj(value);
  #endif
  #if SCALES
      value = e_scale(scale, value);
  #endif
      y[ROOM_PLACE(k, extent)] = y_of(value);
#endif
    }
  }
}

/* What stands before a library's Fourier transform and behind it: lines of an array become those of room, and back.

   In room lines are contiguous, one behind the other. Where they lie side by side in the array, groups carry tiles through local memory, so
   that both are read and written along what is contiguous there.
   Before this text stand the parameters and
     BEHIND              1 to read room and write the result; else to read the input and write room
     X_REAL, Y_REAL, X_ALIGN, Y_ALIGN  what x0 and y hold
     ACROSS              1 if lines lie side by side in the array
     BINS                1 if the input is half a spectrum of real numbers, 2 if all of one; 3 if the result is half a spectrum, 4 if
                         all of one, of which room has half
     OUTER               1 if lines are transformed along axes of outer_0 and outer_1 elements, too, of which lines of outer_1 are next to
                         each other; arrays then have one axis of lines, k0
     CONJUGATE           1 to take the conjugate
     SCALES              1 to multiply by scale
     SIDE_0, SIDE_1      threads of a group along what is side by side, and along the other
     LINES               lines that a thread has under way, where they do not lie side by side
   and among the parameters n, the points of the transform, and extent, the elements of a line that are written. */

#define TILE SIDE_0

/* Element k of an array whose first one is number `turn`. */
#define TURNED(k, turn, extent) ((k) + (turn) < (extent) ? (k) + (turn) : (k) + (turn) - (extent))
#define X_AT(k) x_value(x0[x0_LINE + TURNED(k, x_turn, x_extent) * x0_s])
/* Element k of a line of room that has so many. */
#define ROOM_AT(k, elements) x_value(x0[line * (elements) + (k)])

FN int is_single(idx k, idx n) { return k == 0 || 2 * k == n; }
FN elem conj_where(int is, elem value) { return is ? e_conj(value) : value; }

/* Element k of a line, as it is read. */
#if BEHIND && BINS == 4
  #define TAKEN(k) conj_where(2 * (k) > n, ROOM_AT(2 * (k) <= n ? (k) : n - (k), n / 2 + 1))
#elif BEHIND && BINS == 3
  #define TAKEN(k) ROOM_AT(k, n / 2 + 1)
#elif BEHIND
  #define TAKEN(k) ((k) < n ? ROOM_AT(k, n) : e_zero())
#elif BINS == 2
  /* What real parts come from is half of the bin and of the conjugate of that on the other side. */
  #define TAKEN(k) ((k) < x_extent ? e_scale(R(0.5), e_add(X_AT(k), e_conj(X_AT((k) == 0 ? 0 : n - (k))))) : e_zero())
#elif BINS == 1 && OUTER
  /* Of lines together these bins are the conjugates of those on the other side, so that what comes from them is real. */
  #define MIRRORED(k) x_value(x0[mirrored(number, outer_0, outer_1) * x0_k0 + TURNED(k, x_turn, x_extent) * x0_s])
  #define TAKEN(k) (is_single(k, n) ? e_scale(R(0.5), e_add(X_AT(k), e_conj(MIRRORED(k)))) : (k) < x_extent ? X_AT(k) : e_zero())
#else
  #define TAKEN(k) ((k) < x_extent ? X_AT(k) : e_zero())
#endif

/* The line on the other side along all outer axes. */
FN idx mirrored(idx number, idx outer_0, idx outer_1) {
  const idx rest = number / outer_1, i1 = number % outer_1;
  const idx block = rest / outer_0, i0 = rest % outer_0;
  return (block * outer_0 + (i0 == 0 ? 0 : outer_0 - i0)) * outer_1 + (i1 == 0 ? 0 : outer_1 - i1);
}

/* What becomes of it on the way. */
FN elem changed(elem value, idx k, idx n, real scale, real inner) {
#if BINS == 1
  /* A bin that is its own conjugate is real, if it is of one line; the others stand for two. */
  if (!is_single(k, n)) value = e_scale(inner, value);
  #if !OUTER
  else value = e_make(value.re, R(0.0));
  #endif
#endif
#if CONJUGATE
  value = e_conj(value);
#endif
#if BINS == 3
  value = e_scale(is_single(k, n) ? scale : inner, value);
#elif BEHIND || SCALES
  value = e_scale(scale, value);
#endif
  return value;
}

/* Writes it. */
#if BEHIND
  #define GIVE(k, value) { GLOBAL y_cell* to = y + (y_LINE + TURNED(k, y_turn, y_extent) * y_s); OLD(to) *to = y_of(EXPRESSION(NEW)); }
#else
  #define GIVE(k, value) y[line * extent + (k)] = y_of(value);
#endif
#define CHANGED(k) changed(TAKEN(k), k, n, scale, inner)

/* A tile has a row for each line; imaginary parts, if there are any, stand behind all real ones. The extra column spreads the columns of
   a tile over the banks of local memory. */
#define CELLS (TILE * (TILE + 1))
/* Elements of a tile that a thread takes. */
#define OF_TILE (TILE / SIDE_1)
#if (BEHIND && Y_REAL) || (!BEHIND && X_REAL)
  #define PUT(at, value) tile[at] = (value).re;
  #define GOT(at) e_make(tile[at], R(0.0))
  #define PARTS 1
#else
  #define PUT(at, value) { const elem put = value; tile[at] = put.re; tile[CELLS + (at)] = put.im; }
  #define GOT(at) e_make(tile[at], tile[CELLS + (at)])
  #define PARTS 2
#endif

KERNEL_OF(SIDE_0, SIDE_1, 1) fft_ends(PARAMETERS) {
  AFTER_EARLIER_KERNELS
#if ACROSS
  LOCAL_ARRAY(real, tile, PARTS * CELLS);
#endif
  PROLOGUE
  const int near = LID(0), far = LID(1);
#if ACROSS
  for (idx first_k = (idx)GRP(1) * TILE; first_k < extent; first_k += (idx)NGRP(1) * TILE) {
    for (idx first = (idx)GRP(0) * TILE; first < count; first += (idx)NGRP(0) * TILE) {
      /* Neighbours among threads are so where is read, and then where is written. All reads of a thread are under way together. */
      elem values[OF_TILE];
      UNROLL for (int at = 0; at < OF_TILE; at++) {
        const int place = far + at * SIDE_1;
        const idx line = first + (BEHIND ? place : near), k = first_k + (BEHIND ? near : place);
        const idx number = first_line + (line < count ? line : 0);
        LINE_SPLIT(number)
        values[at] = e_zero();
        if (line < count && k < extent) values[at] = CHANGED(k);
      }
      UNROLL for (int at = 0; at < OF_TILE; at++) {
        const int place = far + at * SIDE_1;
        PUT((BEHIND ? place * (TILE + 1) + near : near * (TILE + 1) + place), values[at])
      }
      BARRIER();
      UNROLL for (int at = 0; at < OF_TILE; at++) {
        const int place = far + at * SIDE_1;
        const idx line = first + (BEHIND ? near : place), k = first_k + (BEHIND ? place : near);
        const idx number = first_line + (line < count ? line : 0);
        LINE_SPLIT(number)
        if (line < count && k < extent) {
          const elem value = GOT((BEHIND ? near * (TILE + 1) + place : place * (TILE + 1) + near));
          GIVE(k, value)
        }
      }
      BARRIER();
    }
  }
#else
  /* Several lines at a time, so that a thread has several reads under way. */
  for (idx first = (idx)GRP(1) * (SIDE_1 * LINES); first < count; first += (idx)NGRP(1) * (SIDE_1 * LINES)) {
    for (idx k = (idx)GRP(0) * SIDE_0 + near; k < extent; k += (idx)NGRP(0) * SIDE_0) {
      elem values[LINES];
      UNROLL for (int at = 0; at < LINES; at++) {
        const idx line = first + at * SIDE_1 + far;
        const idx number = first_line + (line < count ? line : 0);
        LINE_SPLIT(number)
        values[at] = e_zero();
        if (line < count) values[at] = CHANGED(k);
      }
      UNROLL for (int at = 0; at < LINES; at++) {
        const idx line = first + at * SIDE_1 + far;
        const idx number = first_line + (line < count ? line : 0);
        LINE_SPLIT(number)
        const elem value = values[at];
        if (line < count) GIVE(k, value)
      }
    }
  }
#endif
}

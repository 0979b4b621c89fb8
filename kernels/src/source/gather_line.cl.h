/* y = EXPRESSION(sum of the entries of a row times the columns of x0 that they name, y), where rows lie side by side in y, and
   columns in x0.

   A group takes all columns of LINES indices of the other axes into local memory, so that neighbouring threads read neighbours,
   and its rows from there; what a row names is loaded once for all of them. Before this text stand what is before gather.cl.h
   and
     LINE      columns
     W, WIDE_ALIGN   elements that are loaded in one access, and the alignment of those whose place in x0 is a multiple of W
     TAKEN     accesses that a thread has on their way at once
     AT_ONCE   rows of which a thread loads what they name before it goes on
     THREADS   threads of a group */

typedef struct ALIGNED(WIDE_ALIGN) { cell e[W]; } access;

/* The most accesses that lie within a line, and the place of one; the elements before them are fewer than W, as are those
   behind. A line begins in local memory as it does between two accesses, so that these are aligned there, too. */
#define WHOLE (LINE / W)
#define PITCH ((LINE + W - 1 + W - 1) / W * W)
#define BEFORE(from) ((int)(((from) % W + W) % W))
#define LEAD(from) ((W - BEFORE(from)) % W)
#define OF_LINES(one, count) (LINES == 1 ? 0 : (one) / ((count) > 0 ? (count) : 1))

#if WEIGHTED
  #define NAME_WEIGHT(m, k) weights[(m) * PLACES + k] = factors[(i64)k * ROWS + row];
  #define ADD_PLACE(m, k) sum = run_add_scaled(sum, weights[(m) * PLACES + k], part);
#else
  #define NAME_WEIGHT(m, k)
  #define ADD_PLACE(m, k) sum = k == 0 ? part : run_sum(sum, part);
#endif

/* What rows from `first` on name; behind the last row, what the last one does. */
#define NAME_ROWS                                                                 \
  UNROLL for (int m = 0; m < AT_ONCE; m++) {                                      \
    const idx row = first + m * THREADS < ROWS ? first + m * THREADS : ROWS - 1;  \
    UNROLL for (int k = 0; k < PLACES; k++) {                                     \
      named[m * PLACES + k] = (int)indices[(i64)k * ROWS + row];                  \
      NAME_WEIGHT(m, k)                                                           \
    }                                                                             \
  }

KERNEL gather_line(PARAMETERS) {
  AFTER_EARLIER_KERNELS
  LOCAL_ARRAY(access, lines, LINES * PITCH / W);
  LOCAL_ARRAY(idx, from_x0s, LINES);
  LOCAL_ARRAY(idx, from_ys, LINES);
  PROLOGUE
  const int thread = LID(0);
  LOCAL cell* columns = (LOCAL cell*)lines;
  for (idx block = (idx)GRP(0) * LINES; block < n0 * OUTER; block += (idx)NGRP(0) * LINES) {
    const int count = n0 * OUTER - block < LINES ? (int)(n0 * OUTER - block) : LINES;
    if (thread < count) {
      const idx i0 = (block + thread) % n0;
      OUTER_SPLIT((block + thread) / n0)
      from_x0s[thread] = x0_OUTER + i0 * x0_s0;
      from_ys[thread] = y_OUTER + i0 * y_s0;
    }
    BARRIER();
    int named[AT_ONCE * PLACES];
#if WEIGHTED
    weight weights[AT_ONCE * PLACES];
#endif
    idx first = thread;
    NAME_ROWS
    for (int some = thread; some < count * WHOLE; some += TAKEN * THREADS) {
      access parts[TAKEN];
      int places[TAKEN];
      UNROLL for (int m = 0; m < TAKEN; m++) {
        const int one = some + m * THREADS, line = OF_LINES(one, WHOLE);
        places[m] = -1;
        if (one < count * WHOLE) {
          const idx from_x0 = from_x0s[line];
          const int at = LEAD(from_x0) + (one - line * WHOLE) * W;
          if (at + W <= LINE) {
            parts[m] = *(const GLOBAL access*)(x0 + (from_x0 + at));
            places[m] = line * PITCH + BEFORE(from_x0) + at;
          }
        }
      }
      UNROLL for (int m = 0; m < TAKEN; m++) {
        if (places[m] >= 0) lines[places[m] / W] = parts[m];
      }
    }
#if W > 1
    /* The elements before the first access and behind the last one. */
    for (int one = thread; one < count * 2 * W; one += THREADS) {
      const int line = one / (2 * W), e = one % W;
      const idx from_x0 = from_x0s[line];
      const int lead = LEAD(from_x0), at = one % (2 * W) < W ? e : lead + (LINE - lead) / W * W + e;
      if (at < LINE && (at < lead || one % (2 * W) >= W)) columns[line * PITCH + BEFORE(from_x0) + at] = x0[from_x0 + at];
    }
#endif
    BARRIER();
    /* Without an assignment between barrier and loop, PoCL (version 3) skips the loop when it does not optimise. */
    for (first = thread; first < ROWS; first += AT_ONCE * THREADS) {
      if (first != thread) { NAME_ROWS }
      for (int line = 0; line < count; line++) {
        const idx from_x0 = from_x0s[line], from_y = from_ys[line], i0 = 0;
        const LOCAL cell* near = columns + (line * PITCH + BEFORE(from_x0));
        UNROLL for (int m = 0; m < AT_ONCE; m++) {
          const idx row = first + m * THREADS;
          if (row < ROWS) {
            run sum = run_zero();
            UNROLL for (int k = 0; k < PLACES; k++) {
              if (FULL || named[m * PLACES + k] >= 0) {
                run part;
                part.e[0] = cell_value(near[named[m * PLACES + k]]);
                ADD_PLACE(m, k)
              }
            }
            STORE_ROW(row)
          }
        }
      }
    }
    BARRIER();
  }
}

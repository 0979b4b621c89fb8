/* y = EXPRESSION(sum of the entries of a row times the columns of x0 that they name, y), where rows name columns far apart.

   A group takes all columns of one index of the other axes into local memory, so that neighbouring threads read neighbours, and
   its rows from there. Before this text stand what is before gather.cl.h and
     LINE      columns, side by side in x0
     W, WIDE_ALIGN   elements that are loaded in one access, and the alignment of those whose place in x0 is a multiple of W
     AT_ONCE   accesses, and rows, of which a thread loads what they need before it goes on
     THREADS   threads of a group */

typedef struct ALIGNED(WIDE_ALIGN) { elem e[W]; } access;

KERNEL gather_line(PARAMETERS) {
  LOCAL_ARRAY(elem, columns, LINE);
  PROLOGUE
  const int thread = LID(0);
  for (idx line = (idx)GRP(0); line < n0 * OUTER; line += (idx)NGRP(0)) {
    const idx i0 = line % n0;
    OUTER_SPLIT(line / n0)
    const idx from_x0 = x0_OUTER + i0 * x0_s0, from_y = y_OUTER;
    /* Accesses from the last multiple of W before the line on. */
    const int before = (int)((from_x0 % W + W) % W), count = (before + LINE + W - 1) / W;
    const GLOBAL elem* from = x0 + (from_x0 - before);
    for (int first = thread; first < count; first += AT_ONCE * THREADS) {
      access parts[AT_ONCE];
      UNROLL for (int m = 0; m < AT_ONCE; m++) {
        const int at = (first + m * THREADS) * W;
        if (at >= before && at + W <= before + LINE) {
          parts[m] = *(const GLOBAL access*)(from + at);
        } else {
          UNROLL for (int e = 0; e < W; e++) {
            if (at + e >= before && at + e < before + LINE) parts[m].e[e] = from[at + e];
          }
        }
      }
      UNROLL for (int m = 0; m < AT_ONCE; m++) {
        const int at = (first + m * THREADS) * W - before;
        UNROLL for (int e = 0; e < W; e++) {
          if (at + e >= 0 && at + e < LINE) columns[at + e] = parts[m].e[e];
        }
      }
    }
    BARRIER();
    for (idx first = thread; first < ROWS; first += AT_ONCE * THREADS) {
      place named[AT_ONCE * PLACES];
#if WEIGHTED
      weight weights[AT_ONCE * PLACES];
#endif
      UNROLL for (int m = 0; m < AT_ONCE; m++) {
        const idx row = first + m * THREADS;
        UNROLL for (int k = 0; k < PLACES; k++) {
          if (row < ROWS) {
            named[m * PLACES + k] = indices[(i64)k * ROWS + row];
#if WEIGHTED
            weights[m * PLACES + k] = factors[(i64)k * ROWS + row];
#endif
          }
        }
      }
      UNROLL for (int m = 0; m < AT_ONCE; m++) {
        const idx row = first + m * THREADS;
        if (row < ROWS) {
          run sum = run_zero();
          UNROLL for (int k = 0; k < PLACES; k++) {
            const place column = named[m * PLACES + k];
            if (column >= 0) {
              run part;
              part.e[0] = columns[column];
#if WEIGHTED
              sum = run_add_scaled(sum, weights[m * PLACES + k], part);
#else
              if (k == 0) sum = part;
              else sum = run_sum(sum, part);
#endif
            }
          }
          STORE_ROW(row)
        }
      }
    }
    BARRIER();
  }
}

/* y = EXPRESSION(one short band along axis 1 applied to x0, y), where the rows of both lie one behind the other without gaps
   and begin at odd places.

   All rows are taken as one line and cut into lines of `step` elements, a multiple of V near n0: their runs are aligned, and
   what lies above or below an element lies SHIFT places to the left or right of it in the next line. A thread takes the
   same run of ROWS lines, and loads what its taps reach, in whole runs, before it stores the first. Before this text stand
   the parameters, the index space, the band along axis 1, whose special rows, if there are any, are straight code, and
     SHIFT         n0 - step
     FIRST, LAST   how many first and last rows of axis 1 are special or have taps that may lie beyond it */

#define IN_SUM(name) IN_SUM_##name
#define IN_SUM_x0 sum.e[e]
#define IN_SUM_y old.e[e]
#define LATE (items < 2 ? 0 : 2)
#define HELD (BAND1_LEFT + ROWS + BAND1_RIGHT)

/* Whether a tap of a thread's rows reads line k of those it holds, on the side of `sign` of its own run. */
FN int line_side(int k, int sign) {
  int reads = 0;
  UNROLL for (int t = 0; t < BAND1_TAPS; t++) {
    const int m = k - BAND1_LEFT - (int)band1_offset(t);
    if (m >= 0 && m < ROWS && sign * (int)band1_offset(t) * SHIFT > 0) reads = 1;
  }
  return reads;
}

/* Row i of the band at place p. */
FN elem line_row(const GLOBAL elem* x0, idx p, idx i, idx n0, idx n1) {
  elem sum = e_zero();
#if BAND1_STRAIGHT
  UNROLL for (int line = 0; line < BAND1_HEAD + BAND1_TAIL; line++) {
    if (i == (line < BAND1_HEAD ? line : n1 - BAND1_HEAD - BAND1_TAIL + line)) {
      UNROLL for (int t = 0; t < BAND1_MOST; t++) {
        if (t >= band1_special_taps(line)) continue;
        sum = e_add_scaled(sum, band1_special_weight(line, t), x0[p + band1_special_offset(line, t) * n0]);
      }
      return sum;
    }
  }
#endif
  UNROLL for (int t = 0; t < BAND1_TAPS; t++) {
    const idx j = i + band1_offset(t);
    if (j >= 0 && j < n1) sum = e_add_scaled(sum, band1_weight(t), x0[p + band1_offset(t) * n0]);
  }
  return sum;
}

KERNEL stencil_line(PARAMETERS) {
  AFTER_EARLIER_KERNELS
  PROLOGUE
  const idx rows = n0 * n1, all = rows * OUTER, runs = step / V;
  EACH(2, z, OUTER) {
    /* The block's first element, and that after its last; lines begin with the run that holds the first. */
    const idx begin = z * rows, end = begin + rows, aligned = begin - begin % V;
    EACH(1, turn, items) {
      /* The last lines are among the first that are begun: rows near the ends take longer. */
      const idx item = turn < LATE ? items - LATE + turn : turn - LATE;
      EACH(0, at_run, runs) {
        const idx f = aligned + item * ROWS * step + at_run * V;
        if (f >= begin + FIRST * n0 && f + (ROWS - 1) * step + V <= end - LAST * n0
            && f >= BAND1_LEFT * step + V && f + (ROWS - 1 + BAND1_RIGHT) * step + 2 * V <= all) {
          /* Runs to the left of a thread's own, its own, those to the right. */
          elem near[HELD][3 * V];
          UNROLL for (int k = 0; k < HELD; k++) {
            const GLOBAL elem* at = x0 + (f + (k - BAND1_LEFT) * step);
            UNROLL for (int side = -1; side <= 1; side++) {
              if (side == 0 || line_side(k, side)) {
                const run part = run_load(at + side * V);
                UNROLL for (int e = 0; e < V; e++) near[k][(1 + side) * V + e] = part.e[e];
              }
            }
          }
#if READS_Y
          run before[ROWS];
          UNROLL for (int m = 0; m < ROWS; m++) before[m] = run_load(y + (f + m * step));
#endif
          UNROLL for (int m = 0; m < ROWS; m++) {
            run sum = run_zero(), result;
            UNROLL for (int t = 0; t < BAND1_TAPS; t++) {
              UNROLL for (int e = 0; e < V; e++) {
                const int k = BAND1_LEFT + m + (int)band1_offset(t), place = V + e + (int)band1_offset(t) * SHIFT;
                sum.e[e] = e_add_scaled(sum.e[e], band1_weight(t), near[k][place]);
              }
            }
#if READS_Y
            const run old = before[m];
#endif
            UNROLL for (int e = 0; e < V; e++) result.e[e] = EXPRESSION(IN_SUM);
            run_store(y + (f + m * step), result);
          }
        } else {
          for (int m = 0; m < ROWS; m++) {
            /* All loads before the first store. */
            run sum;
            UNROLL for (int e = 0; e < V; e++) {
              const idx p = f + m * step + e;
              sum.e[e] = e_zero();
              if (p >= begin && p < end) sum.e[e] = line_row(x0, p, (p - begin) / n0, n0, n1);
            }
            UNROLL for (int e = 0; e < V; e++) {
              const idx p = f + m * step + e;
              if (p >= begin && p < end) {
#if READS_Y
                run old;
                old.e[e] = y[p];
#endif
                y[p] = EXPRESSION(IN_SUM);
              }
            }
          }
        }
      }
    }
  }
}

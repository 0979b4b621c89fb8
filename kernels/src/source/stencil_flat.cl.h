/* y = EXPRESSION(one band along axis 0 applied to x0, y), where the rows of both lie one behind the other without gaps.

   All rows are taken as one line: its runs are aligned wherever rows begin. A thread takes a run and those around it, and
   where its row ends it finds by the column. Before this text stand the parameters, the index space and the band along axis 0,
   whose special rows, if there are any, are straight code. */

#define IN_SUM(name) IN_SUM_##name
#define IN_SUM_x0 sum.e[e]
#define IN_SUM_y old.e[e]
#if READS_Y
  #define OLD run old = flat_load(y, f, all);
#else
  #define OLD
#endif
/* Elements before the run, and all that a thread holds. */
#define BEFORE (BAND0_LEFT * V)
#define HELD ((BAND0_LEFT + 1 + BAND0_RIGHT) * V)

#if READS_Y
/* The run at place f of the line; zeros where the line has ended. */
FN run flat_load(const GLOBAL elem* from, idx f, idx all) {
  if (f + V <= all) return run_load(from + f);
  run part = run_zero();
  UNROLL for (int e = 0; e < V; e++) {
    if (f + e < all) part.e[e] = from[f + e];
  }
  return part;
}
#endif

#if BAND0_STRAIGHT
/* Row c, whose value in the line is near[at], if it is special; else `sum`. */
FN elem flat_special(elem sum, const elem* near, int at, idx c, idx n) {
  UNROLL for (int line = 0; line < BAND0_HEAD + BAND0_TAIL; line++) {
    if (c == (line < BAND0_HEAD ? line : n - BAND0_HEAD - BAND0_TAIL + line)) {
      sum = e_zero();
      UNROLL for (int t = 0; t < BAND0_MOST; t++) {
        if (t >= band0_special_taps(line)) continue;
        sum = e_add_scaled(sum, band0_special_weight(line, t), near[at + band0_special_offset(line, t)]);
      }
    }
  }
  return sum;
}
#endif

/* Adds the taps of the common row. */
#define ADD_TAPS(sum, from)                                                       \
  UNROLL for (int t = 0; t < BAND0_TAPS; t++) {                                   \
    UNROLL for (int e = 0; e < V; e++) {                                          \
      sum.e[e] = e_add_scaled(sum.e[e], band0_weight(t), from[BEFORE + e + band0_offset(t)]); \
    }                                                                             \
  }

KERNEL stencil_flat(PARAMETERS) {
  AFTER_EARLIER_KERNELS
  PROLOGUE
  const idx all = n0 * n1, f = (idx)GID(0) * V;
  if (f >= all) return;
  elem near[HELD];
  /* Without a branch for each of its loads, so that they are on their way at once. */
  if (f >= BEFORE && f + (BAND0_RIGHT + 1) * V <= all) {
    UNROLL for (int b = -BAND0_LEFT; b <= BAND0_RIGHT; b++) {
      const run part = run_load(x0 + f + b * V);
      UNROLL for (int e = 0; e < V; e++) near[BEFORE + b * V + e] = part.e[e];
    }
  } else {
    UNROLL for (int k = 0; k < HELD; k++) {
      const idx at = f + k - BEFORE;
      near[k] = e_zero();
      if (at >= 0 && at < all) near[k] = x0[at];
    }
  }
  const idx first = (idx)((u32)f % (u32)n0);
  run sum = run_zero(), result;
  if (first >= INNER_FIRST && first + V <= n0 - INNER_LAST) {
    ADD_TAPS(sum, near)
  } else {
    /* The row's values and those of the next row, whose first elements may be the run's last. */
    elem here[HELD], there[HELD];
    UNROLL for (int k = 0; k < HELD; k++) {
      const idx c = first + k - BEFORE;
      here[k] = c >= 0 && c < n0 ? near[k] : e_zero();
      there[k] = c >= n0 ? near[k] : e_zero();
    }
    run next = run_zero();
    ADD_TAPS(sum, here)
    ADD_TAPS(next, there)
    UNROLL for (int e = 0; e < V; e++) {
      if (first + e >= n0) sum.e[e] = next.e[e];
#if BAND0_STRAIGHT
      sum.e[e] = flat_special(sum.e[e], near, BEFORE + e, first + e < n0 ? first + e : first + e - n0, n0);
#endif
    }
  }
  OLD
  UNROLL for (int e = 0; e < V; e++) result.e[e] = EXPRESSION(IN_SUM);
  if (f + V <= all) {
    run_store(y + f, result);
  } else {
    UNROLL for (int e = 0; e < V; e++) {
      if (f + e < all) y[f + e] = result.e[e];
    }
  }
}

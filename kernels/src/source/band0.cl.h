/* The band along axis 0, along which runs lie; its macros are those of band.cl.h with 0 in their names, and
     BAND0_NEAR               1 if the taps of a run's elements lie in few runs around it
     BAND0_LEFT, BAND0_RIGHT  how many runs to its left and right */

#if BAND0_STRAIGHT
/* sum + a special row, that of element e of the run. */
FN elem band0_special(elem sum, const elem* near, int line, int e) {
  UNROLL for (int t = 0; t < BAND0_MOST; t++) {
    if (t >= band0_special_taps(line)) continue;
    const int place = BAND0_LEFT * V + e + band0_special_offset(line, t);
    sum = e_add_scaled(sum, band0_special_weight(line, t), near[place]);
  }
  return sum;
}
#endif

/* sum + the band's rows c, c + 1, ..., applied to the elements around `at`, the place of row c, where the run `center` is. */
FN run band0_add(run sum, const GLOBAL elem* at, idx stride TERM_PARAMETERS, run center, idx c, idx n TABLE_PARAMETERS) {
  run total = sum;
#if BAND0_NEAR
  elem near[(BAND0_LEFT + 1 + BAND0_RIGHT) * V];
  UNROLL for (int b = -BAND0_LEFT; b <= BAND0_RIGHT; b++) {
    const idx j = c + b * V;
    run part = run_zero();
    if (b == 0) part = center;
    else if (j >= 0 && j < n) part = TERM_RUN(b * V);
    UNROLL for (int e = 0; e < V; e++) near[(b + BAND0_LEFT) * V + e] = part.e[e];
  }
  UNROLL for (int t = 0; t < BAND0_TAPS; t++) {
    UNROLL for (int e = 0; e < V; e++) {
      total.e[e] = e_add_scaled(total.e[e], band0_weight(t), near[BAND0_LEFT * V + e + band0_offset(t)]);
    }
  }
#else
  BAND0_UNROLL for (int t = 0; t < BAND0_TAPS; t++) {
    UNROLL for (int e = 0; e < V; e++) {
      const idx j = c + e + band0_offset(t);
      if (j >= 0 && j < n) {
        total.e[e] = e_add_scaled(total.e[e], band0_weight(t), TERM_ITEM(e + band0_offset(t)));
      }
    }
  }
#endif
#if BAND0_STRAIGHT
  /* The first run and the last hold all special rows. */
  if (c == 0) {
    UNROLL for (int e = 0; e < BAND0_HEAD; e++) total.e[e] = band0_special(sum.e[e], near, e, e);
  }
  if (c + V == n) {
    UNROLL for (int line = BAND0_HEAD; line < BAND0_HEAD + BAND0_TAIL; line++) {
      const int e = V - BAND0_HEAD - BAND0_TAIL + line;
      total.e[e] = band0_special(sum.e[e], near, line, e);
    }
  }
#elif BAND0_HEAD + BAND0_TAIL > 0
  if (c < BAND0_HEAD || c + V > n - BAND0_TAIL) {
    UNROLL for (int e = 0; e < V; e++) {
      const idx i = c + e;
      if (i < BAND0_HEAD || i >= n - BAND0_TAIL) {
        const int line = 1 + (int)(i < BAND0_HEAD ? i : i - n + BAND0_HEAD + BAND0_TAIL);
        elem special = sum.e[e];
        for (int k = (int)band0_start(line); k < (int)band0_start(line + 1); k++) {
          special = e_add_scaled(special, band0_weights(k), TERM_ITEM(e + band0_offsets(k)));
        }
        total.e[e] = special;
      }
    }
  }
#endif
  return total;
}

/* One band for threads that take runs of a line of rows. The text is repeated for each, band_ and BAND_ with the number of the axis
   in them, and apart_ too. Before it stand, beside what band.cl.h names,
     BAND_STEP      the step along the axis, modulo V */

/* The band's common row for the run at `at`, which lies `before` places after an aligned one. */
FN run apart_run(const GLOBAL elem* at, idx stride, int before) {
  run sum = run_zero();
  UNROLL for (int t = 0; t < BAND_TAPS; t++) {
    /* How far the taps of the run lie behind an aligned place. */
    const int behind = (((int)band_offset(t) * BAND_STEP - before) % V + V) % V;
    const GLOBAL elem* from = at + (band_offset(t) * stride - behind);
    const run one = run_load(from);
    run part = one;
    if (behind > 0) {
      const run other = run_load(from + V);
      UNROLL for (int e = 0; e < V; e++) part.e[e] = behind + e < V ? one.e[(behind + e) % V] : other.e[(behind + e) % V];
    }
    sum = run_add_scaled(sum, band_weight(t), part);
  }
  return sum;
}

/* Row i, whose place is `at`. What lies outside the axis is not touched. */
FN elem apart_element(const GLOBAL elem* at, idx stride, idx i, idx n) {
  elem sum = e_zero();
#if BAND_STRAIGHT
  UNROLL for (int line = 0; line < BAND_HEAD + BAND_TAIL; line++) {
    if (i == (line < BAND_HEAD ? line : n - BAND_HEAD - BAND_TAIL + line)) {
      UNROLL for (int t = 0; t < BAND_MOST; t++) {
        if (t >= band_special_taps(line)) continue;
        sum = e_add_scaled(sum, band_special_weight(line, t), at[band_special_offset(line, t) * stride]);
      }
      return sum;
    }
  }
#endif
  UNROLL for (int t = 0; t < BAND_TAPS; t++) {
    const idx j = i + band_offset(t);
    if (j >= 0 && j < n) sum = e_add_scaled(sum, band_weight(t), at[band_offset(t) * stride]);
  }
  return sum;
}

/* One band along an axis other than the innermost. The text is repeated for each, band_ and BAND_ with the
   number of the axis in them. Before it stand
     BAND_TAPS, band_offset(t), band_weight(t)         the taps of a common row
     BAND_HEAD, BAND_TAIL                              how many first and last rows are special
     BAND_STRAIGHT                                     1 if special rows are straight code: of BAND_MOST taps
     band_special_taps(line), band_special_offset(line, t), band_special_weight(line, t)
     band_start(line), band_offsets(k), band_weights(k)   else where the taps of line 1, 2, ... (the special
                                                       rows) begin in the tables, and the tables
     BAND_UNROLL                                       UNROLL if the taps are few
     TERM_RUN(k), TERM_ITEM(k)                         the run and the element k steps from `at` along the axis
     TERM_PARAMETERS                                   what they take beside `at` and `stride` */

/* sum + row i of the band, applied to the runs around `at`, the place of row i. What lies outside the
   axis is not touched. Neighbours lie `stride` apart. */
FN run band_add(run sum, const GLOBAL elem* at, idx stride TERM_PARAMETERS, idx i, idx n TABLE_PARAMETERS) {
#if BAND_STRAIGHT
  UNROLL for (int line = 0; line < BAND_HEAD + BAND_TAIL; line++) {
    if (i == (line < BAND_HEAD ? line : n - BAND_HEAD - BAND_TAIL + line)) {
      UNROLL for (int t = 0; t < BAND_MOST; t++) {
        if (t >= band_special_taps(line)) continue;
        const run part = TERM_RUN(band_special_offset(line, t));
        sum = run_add_scaled(sum, band_special_weight(line, t), part);
      }
      return sum;
    }
  }
#elif BAND_HEAD + BAND_TAIL > 0
  if (i < BAND_HEAD || i >= n - BAND_TAIL) {
    const int line = 1 + (int)(i < BAND_HEAD ? i : i - n + BAND_HEAD + BAND_TAIL);
    for (int k = (int)band_start(line); k < (int)band_start(line + 1); k++) {
      sum = run_add_scaled(sum, band_weights(k), TERM_RUN(band_offsets(k)));
    }
    return sum;
  }
#endif
  BAND_UNROLL for (int t = 0; t < BAND_TAPS; t++) {
    const idx j = i + band_offset(t);
    if (j >= 0 && j < n) sum = run_add_scaled(sum, band_weight(t), TERM_RUN(band_offset(t)));
  }
  return sum;
}

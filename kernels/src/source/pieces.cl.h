/* One band of many special rows, or of some that lie far from both ends, as pieces: rows with the same taps. The text
   is repeated for each, band_ and BAND_ with the number of the axis in them. Before it stand
     BAND_LINES                          how many pieces
     band_begin(line)                    the first row of a piece, 0 of the first
     band_start(line)                    where its taps begin in the tables; of line BAND_LINES where all end
     band_offsets(k), band_weights(k)    the tables
     TERM_RUN(k), TERM_ITEM(k), TERM_PARAMETERS   as in band.cl.h */

/* The piece with row i. */
FN int band_line(idx i TABLE_PARAMETERS) {
  int line = 0, behind = BAND_LINES;
  while (behind - line > 1) {
    const int middle = line + (behind - line) / 2;
    if (band_begin(middle) <= i) line = middle; else behind = middle;
  }
  return line;
}

#if BAND_INNERMOST
/* sum + the band's rows c, c + 1, ..., applied to the elements around `at`, the place of row c. */
FN run band_add(run sum, const GLOBAL elem* at, idx stride TERM_PARAMETERS, run center, idx c, idx n TABLE_PARAMETERS) {
  for (int e = 0; e < V; e++) {
    const int line = band_line(c + e TABLE_ARGUMENTS);
    const int end = (int)band_start(line + 1);
    for (int k = (int)band_start(line); k < end; k++) {
      const idx j = c + e + band_offsets(k);
      if (j >= 0 && j < n) sum.e[e] = e_add_scaled(sum.e[e], band_weights(k), TERM_ITEM(e + band_offsets(k)));
    }
  }
  return sum;
}
#else
/* sum + row i of the band, applied to the runs around `at`, the place of row i. Neighbours lie `stride` apart. */
FN run band_add(run sum, const GLOBAL elem* at, idx stride TERM_PARAMETERS, idx i, idx n TABLE_PARAMETERS) {
  const int line = band_line(i TABLE_ARGUMENTS);
  const int end = (int)band_start(line + 1);
  for (int k = (int)band_start(line); k < end; k++) {
    const idx j = i + band_offsets(k);
    if (j >= 0 && j < n) sum = run_add_scaled(sum, band_weights(k), TERM_RUN(band_offsets(k)));
  }
  return sum;
}
#endif

/* The band along axis 0 for a thread that stays at one place there while it goes along other axes: what the place has of the
   band is found out once, by band0_at, and band0_add_row adds it. Before this text stands band0.cl.h, and
     BAND0_PLACES             how many places lie between the first tap of any row and the last, if a run is one element and these
                              are few; else 0
     BAND0_BEFORE             how many of them lie before the row's own
     band0_has(line, k), band0_at_place(line, k)   whether line 0 (the common row), 1, 2, ... (the special ones) has a tap at
                              place k, and its weight */

#if BAND0_PLACES
typedef struct { weight w[BAND0_PLACES]; int has[BAND0_PLACES]; } band0_row;

/* Row c. Neither a tap that is missing nor one beyond the axis is loaded: what stands there may be anything. */
FN band0_row band0_at(idx c, idx n) {
  band0_row row;
  UNROLL for (int k = 0; k < BAND0_PLACES; k++) {
    row.w[k] = band0_at_place(0, k);
    row.has[k] = band0_has(0, k);
  }
  UNROLL for (int line = 0; line < BAND0_HEAD + BAND0_TAIL; line++) {
    if (c == (line < BAND0_HEAD ? line : n - BAND0_HEAD - BAND0_TAIL + line)) {
      UNROLL for (int k = 0; k < BAND0_PLACES; k++) {
        row.w[k] = band0_at_place(line + 1, k);
        row.has[k] = band0_has(line + 1, k);
      }
    }
  }
  UNROLL for (int k = 0; k < BAND0_PLACES; k++) {
    const idx j = c + k - BAND0_BEFORE;
    row.has[k] = row.has[k] && j >= 0 && j < n;
  }
  return row;
}

/* sum + the band's row, applied to the elements around `at`, where the run `center` is. */
FN run band0_add_row(run sum, const GLOBAL elem* at, idx stride TERM_PARAMETERS, run center, band0_row row TABLE_PARAMETERS) {
  UNROLL for (int k = 0; k < BAND0_PLACES; k++) {
    elem a = e_zero();
    if (row.has[k]) {
      if (k == BAND0_BEFORE) a = center.e[0];
      else a = TERM_ITEM(k - BAND0_BEFORE);
    }
    sum.e[0] = e_add_scaled(sum.e[0], row.w[k], a);
  }
  return sum;
}
#else
typedef struct { idx c; idx n; } band0_row;
FN band0_row band0_at(idx c, idx n) {
  band0_row row;
  row.c = c;
  row.n = n;
  return row;
}
FN run band0_add_row(run sum, const GLOBAL elem* at, idx stride TERM_PARAMETERS, run center, band0_row row TABLE_PARAMETERS) {
  return band0_add(sum, at, stride TERM_ARGUMENTS, center, row.c, row.n TABLE_ARGUMENTS);
}
#endif

/* Rows near the ends of a band's axis, for kernels that do the formula of its common row in every row: some are made alone, and
   some columns are left out of the common formula and added. Before this text stand
     SPECIAL_FIRST, SPECIAL_LAST   how many first and last rows are special in the tables, and
     ALONE_FIRST, ALONE_LAST       how many are made alone
     SPECIAL_TABLES     1 if these are in tables as those of band.cl.h
     ALONE_NEAR         1 if all their taps lie in the tile
     SPECIAL(sum, at, i)  else adds special row i, whose place is `at`, to the run `sum`
     FIRST_COLUMNS, LAST_COLUMNS   how many first and last columns the common formula leaves out
     END_COLUMNS        the larger of these
     FIRST_ROWS, LAST_ROWS         how many rows from each end on have anything there, and
     end_weights        what they have, at the first end and then at the last: row after row from the end on, column after column
   and kernels say
     LEN, STRIDE        the axis, and the step along it in x
     RESULTS            rows that a thread has the sums of, in `sums` */

/* Before a loop that stays one, which is compiled sooner. */
#define ROLLED _Pragma("unroll 1")

/* Taps of a long row that a thread loads before it adds the first. */
#define AT_ONCE 8

/* Whether row i is made alone, and whether column i is one of the common formula. */
#if ALONE_FIRST + ALONE_LAST > 0
  #define IS_ALONE(i) ((i) < ALONE_FIRST || (i) >= LEN - ALONE_LAST)
#else
  #define IS_ALONE(i) 0
#endif
#define IS_COMMON(i) ((i) >= FIRST_COLUMNS && (i) < LEN - LAST_COLUMNS)

/* Row i, which is made alone and whose place in x is `at`, into `value`; of long ones some taps at once. `near` is where the
   first tap of a common row would be in the tile. */
#if ALONE_NEAR
  #define ALONE_PART(near, at, entry) FROM_SLOT((near)[STEP * (int)(BAND_OFFSET(entry) - FIRST_TAP)])
#else
  #define ALONE_PART(near, at, entry) run_load((at) + BAND_OFFSET(entry) * STRIDE).e[0]
#endif
#if SPECIAL_TABLES
  #define ADD_ALONE(near, at, i)                                                        \
    const int special = 1 + (int)((i) < ALONE_FIRST ? (i) : (i) - LEN + SPECIAL_FIRST + SPECIAL_LAST); \
    const int after = (int)BAND_START(special + 1);                           \
    elem value = e_zero();                                                        \
    for (int first = (int)BAND_START(special); first < after; first += AT_ONCE) { \
      elem parts[AT_ONCE];                                                        \
      UNROLL for (int q = 0; q < AT_ONCE; q++) {                                  \
        if (first + q < after) parts[q] = ALONE_PART(near, at, first + q); \
      }                                                                           \
      UNROLL for (int q = 0; q < AT_ONCE; q++) {                                  \
        if (first + q < after) value = e_add_scaled(value, BAND_WEIGHT(first + q), parts[q]); \
      }                                                                           \
    }
#else
  #define ADD_ALONE(near, at, i)                                                        \
    run special = run_zero();                                                     \
    SPECIAL(special, at, i)                                                       \
    const elem value = special.e[0];
#endif

#if END_COLUMNS > 0
/* Adds what the rows from row `begin` of the line `from` on have in the columns that the common formula leaves out. */
  #define ADD_ENDS(begin, from)                                                   \
    ROLLED for (int end = 0; end < 2; end++) {                                    \
      const idx outermost = end == 0 ? 0 : LEN - 1, inwards = end == 0 ? 1 : -1;  \
      const idx ending = end == 0 ? FIRST_ROWS : LAST_ROWS;                       \
      const idx nearest = end == 0 ? (begin) : LEN - (begin) - RESULTS;           \
      if (nearest < ending) {                                                     \
        elem column[END_COLUMNS];                                                 \
        UNROLL for (int k = 0; k < END_COLUMNS; k++) {                            \
          column[k] = run_load((from) + (outermost + inwards * k) * STRIDE).e[0]; \
        }                                                                         \
        UNROLL for (int u = 0; u < RESULTS; u++) {                                \
          const idx row = ((begin) + u - outermost) * inwards;                    \
          if (row >= 0 && row < ending) {                                         \
            UNROLL for (int k = 0; k < END_COLUMNS; k++) {                        \
              const weight w = end_weights[((int)row + end * FIRST_ROWS) * END_COLUMNS + k]; \
              if (!weight_is_zero(w)) sums[u] = e_add_scaled(sums[u], w, column[k]); \
            }                                                                     \
          }                                                                       \
        }                                                                         \
      }                                                                           \
    }
#endif

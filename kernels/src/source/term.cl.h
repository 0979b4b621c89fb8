/* One term of a sum: `total` + AFTER(bands applied to the runs TERM_RUN). The text is repeated for each, TERM_ with the number
   of the term in it. Before it stand the bands of the term and
     TERM_AT                  makes `at` (and `before`), the places of run c of row i1
     TERM_WEIGHTED            1 if the sum of its bands is multiplied before it is added
     TERM_AFTER(sum)          what it is then
     TERM_LEFT, TERM_RIGHT    how far its window reaches, if it has one; TERM_TAPS, TERM_WEIGHT(t), TERM_OFFSET(t): its taps
     TERM_MARCHED             adds the band of axis 1 to `sum`: from `at`, `center`, c and i1, i2, ...
     TERM_OTHERS              adds those of all other axes
   and it makes TERM_ROW, which adds row i1 to `total`, and TERM_ROWS, which adds rows from `first` on to `totals`. */

#if TERM_WEIGHTED
  #define TERM_BEGIN(from) run_zero()
  #define TERM_END(from, sum) run_add(from, TERM_AFTER(sum))
#else
  #define TERM_BEGIN(from) from
  #define TERM_END(from, sum) sum
#endif

#define TERM_ROW(total)                                                           \
  {                                                                               \
    TERM_AT                                                                       \
    const run center = TERM_CENTER;                                               \
    run sum = TERM_BEGIN(total);                                                  \
    TERM_MARCHED                                                                  \
    TERM_OTHERS                                                                   \
    total = TERM_END(total, sum);                                                 \
  }

#if TERM_WINDOW
#if WITHIN
  #define TERM_IF_WITHIN
#else
  #define TERM_IF_WITHIN if (i1 >= 0 && i1 < n1)
#endif
#define TERM_ROWS                                                                 \
  {                                                                               \
    run window[TERM_LEFT + ROWS + TERM_RIGHT];                                    \
    UNROLL for (int k = 0; k < TERM_LEFT + ROWS + TERM_RIGHT; k++) {              \
      const idx i1 = first + k - TERM_LEFT;                                       \
      window[k] = run_zero();                                                     \
      TERM_IF_WITHIN {                                                            \
        TERM_AT                                                                   \
        window[k] = TERM_CENTER;                                                  \
      }                                                                           \
    }                                                                             \
    UNROLL for (int m = 0; m < ROWS; m++) {                                       \
      const idx i1 = first + m;                                                   \
      const run center = window[TERM_LEFT + m];                                   \
      TERM_AT                                                                     \
      run sum = TERM_BEGIN(totals[m]);                                            \
      UNROLL for (int t = 0; t < TERM_TAPS; t++) {                                \
        sum = run_add_scaled(sum, TERM_WEIGHT(t), window[TERM_LEFT + m + TERM_OFFSET(t)]); \
      }                                                                           \
      TERM_OTHERS                                                                 \
      totals[m] = TERM_END(totals[m], sum);                                       \
    }                                                                             \
  }
#else
#define TERM_ROWS                                                                 \
  UNROLL for (int m = 0; m < ROWS; m++) {                                         \
    const idx i1 = first + m;                                                     \
    TERM_ROW(totals[m])                                                           \
  }
#endif

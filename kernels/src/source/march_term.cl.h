/* One term of a sum for threads that go along axis 2. The text is repeated for each, TERM_ with the tag of the term in it. Before
   it stands term.cl.h with what it takes, and
     TERM_BACK, TERM_AHEAD   how far its band along axis 2 reaches, 0 without one
     TERM_LEFT, TERM_RIGHT   the same along axis 1
     TERM_START              makes pointers to run c of row i1 of place i2 of its arrays, which TERM_STEP moves to the next place
     TERM_NEAR(k, p)         makes `at` (and `before`), the places of run c k rows and p places further
     TERM_ALONG_1(sum), TERM_ALONG_2(sum)   add the common row of these bands: from `rows` and `kept`, around r
     TERM_REST               adds the bands of all other axes */

#define TERM_KEPT (TERM_BACK + 1 + TERM_AHEAD)
#define TERM_BESIDE (TERM_LEFT + ROWS + TERM_RIGHT)

/* All but the last of what place i2 needs lie one further down: the last is loaded, and all are moved up, before they are used. */
#define TERM_MARCH_BEGIN                                                          \
  TERM_START                                                                      \
  run TERM_kept[TERM_KEPT][ROWS];                                                 \
  UNROLL for (int k = 1; k < TERM_KEPT; k++) {                                    \
    UNROLL for (int r = 0; r < ROWS; r++) {                                       \
      TERM_NEAR(r, k - 1 - TERM_BACK)                                             \
      TERM_kept[k][r] = TERM_CENTER;                                              \
    }                                                                             \
  }

#define TERM_MARCH_LOAD                                                           \
  UNROLL for (int r = 0; r < ROWS; r++) {                                         \
    UNROLL for (int k = 0; k + 1 < TERM_KEPT; k++) TERM_kept[k][r] = TERM_kept[k + 1][r]; \
    TERM_NEAR(r, TERM_AHEAD)                                                      \
    TERM_kept[TERM_KEPT - 1][r] = TERM_CENTER;                                    \
  }

#define TERM_MARCH_ROWS                                                           \
  {                                                                               \
    run rows[TERM_BESIDE];                                                        \
    UNROLL for (int k = 0; k < TERM_BESIDE; k++) {                                \
      if (k >= TERM_LEFT && k < TERM_LEFT + ROWS) {                               \
        rows[k] = TERM_kept[TERM_BACK][k - TERM_LEFT];                            \
      } else {                                                                    \
        TERM_NEAR(k - TERM_LEFT, 0)                                               \
        rows[k] = TERM_CENTER;                                                    \
      }                                                                           \
    }                                                                             \
    UNROLL for (int r = 0; r < ROWS; r++) {                                       \
      const idx i1 = first + r;                                                   \
      const run center = rows[TERM_LEFT + r];                                     \
      TERM_NEAR(r, 0)                                                             \
      run sum = TERM_BEGIN(totals[r]);                                            \
      TERM_ALONG_1(sum)                                                           \
      TERM_ALONG_2(sum)                                                           \
      TERM_REST                                                                   \
      totals[r] = TERM_END(totals[r], sum);                                       \
    }                                                                             \
  }

/* Steps of transforms whose numbers are all in local memory.

   Before this text stand those of steps, and
     MIX(own)             JOIN(CELL(n), MIX(own)) is the place of number n of transform `own` */

#if LARGE
  #define NUMBERS LARGE_LOCAL_ARRAY(factor, held, LINES * PITCH);
#else
  #define NUMBERS LOCAL_ARRAY(factor, held, LINES * PITCH);
#endif
#define PLACED(own, n) JOIN(CELL(n), MIX(own))

/* The first of the transforms that a group has at a time, of so many. */
#define EACH_GROUP(all) for (idx from = (idx)GRP(0) * LINES; from < (all); from += (idx)NGRP(0) * LINES)
/* What a thread has of so many. */
#define EACH(b, many) for (int b = thread; b < (many); b += THREADS)

/* Numbers of a line from the place of the first on. */
#define TAKE(P, BEHIND, line, first, v) \
  UNROLL for (int r = 0; r < P; r++) (v)[r] = of_cell(line + JOIN(first, CELL(r * (BEHIND))));
#define LEAVE(P, BEHIND, line, first, v) \
  UNROLL for (int r = 0; r < P; r++) line[JOIN(first, CELL(r * (BEHIND)))] = to_cell((v)[r]);

#define EACH_OF(P, BEHIND, work)                                             \
  EACH(b, LINES * (POINTS / P)) {                                            \
    const int own = b / (POINTS / P), j = b % (POINTS / P), turn = j % BEHIND; \
    const int first = PLACED(own, (j - turn) * P + turn);                    \
    LOCAL factor* line = held + own * PITCH;                                 \
    elem v[P];                                                               \
    TAKE(P, BEHIND, line, first, v)                                          \
    work                                                                     \
    LEAVE(P, BEHIND, line, first, v)                                         \
  }                                                                          \
  BARRIER();

#define STEP(P, BEFORE, BEHIND, from, PRIOR) EACH_OF(P, BEHIND, butterfly_##P(v); TURNED_BY(P, BEFORE, BEHIND, turn, v))
#define BACK(P, BEFORE, BEHIND) EACH_OF(P, BEHIND, TURNED_BY(P, BEFORE, BEHIND, turn, v) butterfly_##P(v);)

/* Numbers of the first step's butterflies, and of the last one's; of two of them. */
#define LEAVE_LOADED(own, turn, v)                \
  {                                               \
    LOCAL factor* line = held + (own) * PITCH;    \
    const int first = PLACED(own, turn);          \
    LEAVE(FIRST, APART, line, first, v)           \
  }
#define STORED(b) (b)
#define EACH_STORED(b, many) EACH(b, many)
#define TO_STORED
#define TAKE_STORED(own, low, v)                     \
  {                                                  \
    const LOCAL factor* line = held + (own) * PITCH; \
    const int first = PLACED(own, BIN(low));         \
    TAKE(FINAL, 1, line, first, v)                   \
  }
#define TO_STORED_COUPLES
#define LEAVE_COUPLE(own, low, mirrored, v, w) \
  LEAVE_LOADED(own, low, v)                    \
  LEAVE_LOADED(own, (mirrored), w)
#define TAKE_COUPLE(own, low, mirrored, v, w) \
  TAKE_STORED(own, low, v)                    \
  TAKE_STORED(own, (mirrored), w)

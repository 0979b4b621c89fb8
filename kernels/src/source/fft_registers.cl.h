/* Steps of transforms whose numbers are in registers, as those in local memory are (fft_steps.cl.h). From one step to the next numbers
   go through local memory, which has room for their real parts first, then for their imaginary ones: half of what all of them take.
   Where it has room for a quarter only, one half of the threads exchange theirs, then the other half.

   A thread has butterflies `thread`, thread + THREADS, ... of each step, as many as there are rounds; number r of butterfly `times`
   of radix P is numbers[times P + r]. Where numbers are in local memory while they are given and taken:
     LOADED   those that a thread loads by butterflies of the first radix
     STEPPED  those of a step's butterflies
     STORED   those of the last step's, whose results are stored
     LOADED_COUPLES, STORED_COUPLES  those of two butterflies of the first step's, or of the last one's, that are made together
   Before this text stands what stands before that of steps in local memory, and
     HELD             numbers of a thread
     HALVED           1 if threads exchange numbers by halves: three steps of one butterfly a thread, of which the second has FINAL times FIRST
     BEFORE_FINAL     the radix before the last
     COUPLES(P), OWN_FIRST(i), LOW_FIRST(i), OTHER_FIRST(low), OWN_FINAL(i), ...  of butterflies that are made together */

#if LARGE
  #define NUMBERS                                  \
    LARGE_LOCAL_ARRAY(real, held, LINES * PITCH);  \
    elem numbers[HELD];
#else
  #define NUMBERS                                  \
    LOCAL_ARRAY(real, held, LINES * PITCH);        \
    elem numbers[HELD];
#endif

/* There are as many groups as it takes: what groups do over and over would be kept in registers. */
#define EACH_GROUP(all)                   \
  const idx from = (idx)GRP(0) * LINES;   \
  if (from < (all))

#define ROUNDS(many) (((many) + THREADS - 1) / THREADS)
#define EACH(b, many)                                                                           \
  UNROLL for (int times = 0, b = thread; times < ROUNDS(many); times++, b += THREADS)           \
    if ((many) % THREADS == 0 || b < (many))

#define MANY_LOADED(P) (LINES * (POINTS / (P)))
#define MANY_STEPPED(P) MANY_LOADED(P)
#define MANY_STORED(P) MANY_LOADED(P)
#define MANY_LOADED_COUPLES(P) (LINES * COUPLES(P))
#define MANY_STORED_COUPLES(P) MANY_LOADED_COUPLES(P)

/* The first number of butterfly j of a step. */
#define STEPPED_NUMBER(j, P, BEHIND) ((j) / (BEHIND) * (BEHIND) * (P) + (j) % (BEHIND))

/* Where the first number of butterfly b is, and that of number r. */
#define FIRST_LOADED(b, P, BEHIND)        \
  const int own = LOAD_ACROSS ? b % LINES : b / (POINTS / (P)); \
  const int first = CELL((LOAD_ACROSS ? b / LINES : b % (POINTS / (P))));
#define FIRST_STEPPED(b, P, BEHIND)                                                     \
  const int own = b / (POINTS / (P)), j = b % (POINTS / (P)); \
  const int first = CELL(STEPPED_NUMBER(j, P, BEHIND));
#define FIRST_STORED(b, P, BEHIND)                                                   \
  const int own = STORE_ACROSS ? b % LINES : b / (POINTS / (P));                     \
  const int low = STORE_ACROSS ? b / LINES : b % (POINTS / (P)), first = CELL(BIN(low));
#define FIRST_LOADED_COUPLES(b, P, BEHIND)         \
  const int own = OWN_FIRST(b), low = LOW_FIRST(b); \
  const int first = CELL(low), other = CELL(OTHER_FIRST(low));
#define FIRST_STORED_COUPLES(b, P, BEHIND)         \
  const int own = OWN_FINAL(b), low = LOW_FINAL(b); \
  const int first = CELL(BIN(low)), other = CELL(BIN(OTHER_FINAL(low)));
#define NEXT_LOADED(r, P, BEHIND) first + CELL((r) * (BEHIND))
#define NEXT_STEPPED(r, P, BEHIND) NEXT_LOADED(r, P, BEHIND)
#define NEXT_STORED(r, P, BEHIND) NEXT_LOADED(r, P, BEHIND)
#define NEXT_LOADED_COUPLES(r, P, BEHIND) ((r) < (P) ? first : other) + CELL((r) % (P) * (BEHIND))
#define NEXT_STORED_COUPLES(r, P, BEHIND) NEXT_LOADED_COUPLES(r, P, BEHIND)
#define OF_LOADED(P) (P)
#define OF_STEPPED(P) (P)
#define OF_STORED(P) (P)
#define OF_LOADED_COUPLES(P) (2 * (P))
#define OF_STORED_COUPLES(P) (2 * (P))

#define MOVE(PLACES, P, BEHIND, one)                                 \
  EACH(b, MANY_##PLACES(P)) {                                        \
    FIRST_##PLACES(b, P, BEHIND)                                     \
    LOCAL real* line = held + own * PITCH;                           \
    UNROLL for (int r = 0; r < OF_##PLACES(P); r++) {                \
      const int number = times * OF_##PLACES(P) + r;                 \
      LOCAL real* cell = line + (NEXT_##PLACES(r, P, BEHIND));       \
      one                                                            \
    }                                                                \
  }

#if HALVED
  /* Numbers n on their way to the second step stay among those of equal n % FINAL, on their way to the third among those of equal
     n / (BEFORE_FINAL FINAL): so many of these sets belong to the first half of the threads, the others to the second. A thread is in one
     half where it gives numbers and where it takes them. */
  #define FIRST_SETS(AFTER) ((((AFTER) > 1 ? FINAL : FIRST) + 1) / 2)
  #define SET(n, AFTER) ((AFTER) > 1 ? (n) % FINAL : (n) / (BEFORE_FINAL * FINAL))
  #define HALF_CELL(n, of, AFTER)                                                           \
    ((AFTER) > 1 ? (n) / FINAL * FIRST_SETS(AFTER) + (n) % FINAL - (of) * FIRST_SETS(AFTER) \
                 : (n) - (of) * FIRST_SETS(AFTER) * BEFORE_FINAL * FINAL)
  #define NUMBER_LOADED(b, P, BEHIND) (b)
  #define NUMBER_STEPPED(b, P, BEHIND) STEPPED_NUMBER(b, P, BEHIND)
  #define NUMBER_STORED(b, P, BEHIND) BIN(STORED(b))
  #define EACH_LOADED(b, many) EACH(b, many)
  #define EACH_STEPPED(b, many) EACH(b, many)
  /* The butterflies of the third step that leave bins of the first half of the first radix, then the others: each half as the second step's
     threads have it, of which some have none. */
  #define HALF_THREADS (FIRST_SETS(1) * FINAL)
  #define HALF_STORED (FIRST_SETS(1) * BEFORE_FINAL)
  #define EACH_STORED(b, many)                                                                           \
    UNROLL for (int times = 0, b = thread < HALF_THREADS ? thread : thread - HALF_THREADS + HALF_STORED; \
                times < 1; times++)                                                                      \
      if (thread < HALF_THREADS ? b < HALF_STORED : b < (many))
  #define OTHER_SETS (FIRST - FIRST_SETS(1))
  #define STORED(b)                                                        \
    ((b) < HALF_STORED ? (b) % FIRST_SETS(1) + (b) / FIRST_SETS(1) * FIRST \
                       : FIRST_SETS(1) + ((b) - HALF_STORED) % OTHER_SETS  \
                           + ((b) - HALF_STORED) / OTHER_SETS * FIRST)
  #define MOVE_HALF(PLACES, P, BEHIND, AFTER, of, one)                  \
    EACH_##PLACES(b, MANY_##PLACES(P)) {                                \
      const int n = NUMBER_##PLACES(b, P, BEHIND);                      \
      if (SET(n, AFTER) / FIRST_SETS(AFTER) == (of)) {                  \
        LOCAL real* first = held + HALF_CELL(n, of, AFTER);             \
        UNROLL for (int r = 0; r < (P); r++) {                          \
          const int number = times * (P) + r;                           \
          LOCAL real* cell = first + HALF_CELL(r * (BEHIND), 0, AFTER); \
          one                                                           \
        }                                                               \
      }                                                                 \
    }
  #define HALF_PART(from, P, BEHIND, to, Q, AFTER, part, of)             \
    MOVE_HALF(from, P, BEHIND, AFTER, of, *cell = numbers[number].part;) \
    BARRIER();                                                           \
    MOVE_HALF(to, Q, AFTER, AFTER, of, numbers[number].part = *cell;)    \
    BARRIER();
  #define PART(from, P, BEHIND, to, Q, AFTER, part)   \
    HALF_PART(from, P, BEHIND, to, Q, AFTER, part, 0) \
    HALF_PART(from, P, BEHIND, to, Q, AFTER, part, 1)
#else
  #define STORED(b) (b)
  #define EACH_STORED(b, many) EACH(b, many)
  #define PART(from, P, BEHIND, to, Q, AFTER, part)      \
    MOVE(from, P, BEHIND, *cell = numbers[number].part;) \
    BARRIER();                                           \
    MOVE(to, Q, AFTER, numbers[number].part = *cell;)    \
    BARRIER();
#endif
#define EXCHANGE(from, P, BEHIND, to, Q, AFTER) \
  PART(from, P, BEHIND, to, Q, AFTER, re)       \
  PART(from, P, BEHIND, to, Q, AFTER, im)

#define STEP(P, BEFORE, BEHIND, from, PRIOR)                                      \
  EXCHANGE(from, PRIOR, (BEHIND) * (P), STEPPED, P, BEHIND)                       \
  EACH(b, MANY_STEPPED(P)) {                                                      \
    const int turn = b % (POINTS / (P)) % (BEHIND);                               \
    elem v[P];                                                                    \
    UNROLL for (int r = 0; r < (P); r++) v[r] = numbers[times * (P) + r];         \
    butterfly_##P(v);                                                             \
    TURNED_BY(P, BEFORE, BEHIND, turn, v)                                         \
    UNROLL for (int r = 0; r < (P); r++) numbers[times * (P) + r] = v[r];         \
  }

#define LEAVE_LOADED(own, turn, v) UNROLL for (int r = 0; r < FIRST; r++) numbers[times * FIRST + r] = (v)[r];
#define TO_STORED EXCHANGE(STEPPED, BEFORE_FINAL, FINAL, STORED, FINAL, 1)
#define TAKE_STORED(own, low, v) UNROLL for (int r = 0; r < FINAL; r++) (v)[r] = numbers[times * FINAL + r];
#define TO_STORED_COUPLES EXCHANGE(STEPPED, BEFORE_FINAL, FINAL, STORED_COUPLES, FINAL, 1)
#define LEAVE_COUPLE(own, low, mirrored, v, w)                       \
  UNROLL for (int r = 0; r < FIRST; r++) {                           \
    numbers[2 * FIRST * times + r] = (v)[r];                         \
    numbers[2 * FIRST * times + FIRST + r] = (w)[r];                 \
  }
#define TAKE_COUPLE(own, low, mirrored, v, w)                        \
  UNROLL for (int r = 0; r < FINAL; r++) {                           \
    (v)[r] = numbers[2 * FINAL * times + r];                         \
    (w)[r] = numbers[2 * FINAL * times + FINAL + r];                 \
  }

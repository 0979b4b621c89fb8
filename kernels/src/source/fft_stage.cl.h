/* One radix of transforms of POINTS points in local memory, of which a group has LINES, PITCH elements apart, in `held`. */

#define STAGE(P, BEFORE, EACH)                                                             \
  {                                                                                        \
    elem v[EACH][P];                                                                       \
    UNROLL for (int e = 0; e < EACH; e++) {                                                \
      const int b = thread + e * THREADS;                                                  \
      if (b < LINES * (POINTS / P)) {                                                      \
        const int own = b / (POINTS / P), j = b % (POINTS / P), turn = j % BEFORE;         \
        UNROLL for (int r = 0; r < P; r++) v[e][r] = held[own * PITCH + j + r * (POINTS / P)]; \
        if (BEFORE > 1) {                                                                  \
          UNROLL for (int r = 1; r < P; r++) {                                             \
            v[e][r] = e_mul(v[e][r], OF_TABLE(ROOTS_AT + turn * r * (POINTS / (BEFORE * P)))); \
          }                                                                                \
        }                                                                                  \
        butterfly_##P(v[e]);                                                               \
      }                                                                                    \
    }                                                                                      \
    BARRIER();                                                                             \
    UNROLL for (int e = 0; e < EACH; e++) {                                                \
      const int b = thread + e * THREADS;                                                  \
      if (b < LINES * (POINTS / P)) {                                                      \
        const int own = b / (POINTS / P), j = b % (POINTS / P), turn = j % BEFORE;         \
        const int first = own * PITCH + (j - turn) * P + turn;                             \
        UNROLL for (int r = 0; r < P; r++) held[first + r * BEFORE] = v[e][r];             \
      }                                                                                    \
    }                                                                                      \
    BARRIER();                                                                             \
  }

/* Transforms of POINTS points, in place.

   A step of radix P transforms numbers that are BEHIND apart, which is the product of the radices of steps after it, and turns them; BEFORE is
   that of steps before. So a bin is left where its digits are in the other order. Steps back take bins from there, turn and transform
   them, and leave numbers in order: with the same, negative exponents.
   A group has LINES transforms, PITCH apart in local memory, `held`: all of their numbers (fft_local.cl.h), or parts of those that are on
   their way from one thread to another (fft_registers.cl.h).
   Before this text stand
     CELL(n), JOIN(a, b)  CELL(n) is the place of number n in local memory, where threads side by side find theirs in different banks; of
                          numbers a step takes together, JOIN of that of the first and CELL of how far they are from it
     BIN(k)               the number that bin k is left at
     ROOTS_AT             where the table has the roots of one
     THREADS, RESIDENT    threads of a group, and groups that a processor has registers for
     LARGE                1 if local memory is more than is given without being asked
   and the butterflies. */

/* The sample that point k of a transform for sums with cosines is: even ones, then odd ones back to front. */
#define ORDERED(k) (2 * (k) < N ? 2 * (k) : 2 * (N - (k)) - 1)

/* A radix that is a product: B butterflies of A points, and A of B. */
#define PRODUCT(P, A, B)                                                                    \
  FN void butterfly_##P(elem* v) {                                                          \
    elem rows[B][A];                                                                        \
    UNROLL for (int j = 0; j < B; j++) {                                                    \
      UNROLL for (int r = 0; r < A; r++) rows[j][r] = v[j + B * r];                         \
      butterfly_##A(rows[j]);                                                               \
      UNROLL for (int k = 1; k < A; k++) {                                                  \
        if (j > 0) rows[j][k] = e_mul(rows[j][k], e_make(COSINES_##P[j * k], -SINES_##P[j * k])); \
      }                                                                                     \
    }                                                                                       \
    UNROLL for (int k = 0; k < A; k++) {                                                    \
      elem column[B];                                                                       \
      UNROLL for (int j = 0; j < B; j++) column[j] = rows[j][k];                            \
      butterfly_##B(column);                                                                \
      UNROLL for (int m = 0; m < B; m++) v[k + A * m] = column[m];                          \
    }                                                                                       \
  }
PRODUCTS

/* What P numbers are multiplied by, the first of which is number `turn` of BEHIND. */
#define TURNED_BY(P, BEFORE, BEHIND, turn, v)                   \
  if (BEHIND > 1) {                                                              \
    const elem root = OF_TABLE(ROOTS_AT + (turn) * (BEFORE));                    \
    const elem fourth = OF_TABLE(ROOTS_AT + (P > 4 ? 4 * (turn) * (BEFORE) : 0)); \
    TURN(v, P, root, fourth)                                                     \
  }

/* Numbers from one that a thread loads, or stores, by butterflies of the first radix to the next; these turned. */
#define APART (POINTS / FIRST)
#define TURNED_FIRST(turn, v) TURNED_BY(FIRST, 1, (FIRST == 1 ? 1 : APART), turn, v)

/* Factors, in a table, and numbers in local memory. */

typedef struct ALIGNED(BITS / 4) { real re; real im; } factor;

/* Numbers k and k + 1 of an array where they are next to each other and aligned as one, as a complex number. */
#define PAIR_AT(from, k) e_make(((const GLOBAL factor*)(from))[(k) / 2].re, ((const GLOBAL factor*)(from))[(k) / 2].im)

/* What becomes of two results goes there. */
#define PUT_PAIR(to, k, one, other)                                                     \
  {                                                                                     \
    const elem stored = e_make(one, other);                                             \
    factor both;                                                                        \
    { const elem value = e_make(stored.re, R(0.0)); both.re = y_of(EXPRESSION(NEW)); }        \
    { const elem value = e_make(stored.im, R(0.0)); both.im = y_of(EXPRESSION(NEW)); }      \
    ((GLOBAL factor*)(to))[(k) / 2] = both;                                             \
  }

#define OF_TABLE(place) e_make(table[place].re, table[place].im)

/* In local memory a number is one access. */
FN factor to_cell(elem a) { factor c; c.re = a.re; c.im = a.im; return c; }
FN elem of_cell(const LOCAL factor* c) { return e_make(c->re, c->im); }

FN void butterfly_1(elem* v) {}

/* v[k] times root^k, for so many k, with root^4: a product of a few factors each. */
#define TURN(v, many, root, fourth)                                                     \
  {                                                                                     \
    elem powers[4], step = e_make(R(1.0), R(0.0));                                      \
    powers[1] = root;                                                                   \
    powers[2] = e_mul(root, root);                                                      \
    powers[3] = e_mul(powers[2], root);                                                 \
    UNROLL for (int k = 1; k < 4 && k < (many); k++) (v)[k] = e_mul((v)[k], powers[k]); \
    UNROLL for (int j = 4; j < (many); j += 4) {                                        \
      step = j == 4 ? fourth : e_mul(step, fourth);                                     \
      (v)[j] = e_mul((v)[j], step);                                                     \
      UNROLL for (int k = 1; k < 4 && j + k < (many); k++) {                            \
        (v)[j + k] = e_mul((v)[j + k], e_mul(step, powers[k]));                         \
      }                                                                                 \
    }                                                                                   \
  }

/* That of a radix that is a macro. */
#define BUTTERFLY_(radix) butterfly_##radix
#define BUTTERFLY(radix) BUTTERFLY_(radix)

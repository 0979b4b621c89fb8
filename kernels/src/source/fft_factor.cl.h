/* Factors, in a table. */

typedef struct ALIGNED(BITS / 4) { real re; real im; } factor;

#define OF_TABLE(place) e_make(table[place].re, table[place].im)

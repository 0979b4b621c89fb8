/* How elements become one, and how a group of threads does it.

   REDUCTION   0: sum, 1: maximum, 2: minimum
   THREADS     threads of a group
   P           threads that work on one result */

#if REDUCTION == 0
  #if ELEMENT == 1
typedef accum total;
FN total t_none() { return (total)0; }
FN total t_join(total a, total b) { return a + b; }
FN total t_add(total a, elem b) { return a + b; }
FN elem t_result(total a) { return (elem)a; }
  #else
typedef struct { accum re; accum im; } total;
FN total t_make(accum re, accum im) { total t; t.re = re; t.im = im; return t; }
FN total t_none() { return t_make((accum)0, (accum)0); }
FN total t_join(total a, total b) { return t_make(a.re + b.re, a.im + b.im); }
FN total t_add(total a, elem b) { return t_make(a.re + b.re, a.im + b.im); }
FN elem t_result(total a) { return e_make((real)a.re, (real)a.im); }
  #endif
#else
typedef elem total;
  #if BITS == 32
    #define R_INFINITY AS_F32(0x7f800000u)
  #else
    #define R_INFINITY AS_F64(0x7ff0000000000000ul)
  #endif
  #if REDUCTION == 1
FN total t_none() { return -R_INFINITY; }
FN total t_join(total a, total b) { return e_max(a, b); }
  #else
FN total t_none() { return R_INFINITY; }
FN total t_join(total a, total b) { return e_min(a, b); }
  #endif
FN total t_add(total a, elem b) { return t_join(a, b); }
FN elem t_result(total a) { return a; }
#endif

/* Joins what the P threads p = 0, 1, ... of each result left in `shared`, `step` apart; thread p = 0 has it. The
   whole group comes here. */
FN void group_join(LOCAL total* shared, int thread, int p, int step) {
  for (int half_way = P / 2; half_way > 0; half_way /= 2) {
    BARRIER();
    if (p < half_way) shared[thread] = t_join(shared[thread], shared[thread + half_way * step]);
  }
}

/* Reductions: of elements, across the threads of a group and across the groups of a kernel.

   REDUCTION    0: sum, 1: maximum, 2: minimum
   REAL_RESULT  1 if results are real numbers, whatever elements are
   THREADS      threads of a group
   P            threads that work on one result
   ACROSS_GROUPS   1 if the last of several groups joins the parts of all
   COUNT_AT     then bytes from the parts of results to the numbers of groups that have left theirs */

#if ELEMENT == 1
typedef elem result;
FN result e_result(elem a) { return a; }
#elif REAL_RESULT
typedef real result;
FN result e_result(elem a) { return a.re; }
#else
typedef elem result;
#endif

#if ELEMENT == 1 || REAL_RESULT
  #if REDUCTION == 0
typedef accum total;
FN total t_none() { return (total)0; }
FN total t_join(total a, total b) { return a + b; }
FN total t_add(total a, elem b) { return a + e_result(b); }
  #else
typedef real total;
    #if BITS == 32
      #define R_INFINITY AS_F32(0x7f800000u)
    #else
      #define R_INFINITY AS_F64(0x7ff0000000000000ul)
    #endif
    /* NaN if either is. */
    #if REDUCTION == 1
FN total t_none() { return -R_INFINITY; }
FN total t_join(total a, total b) { return a > b || a != a ? a : b; }
    #else
FN total t_none() { return R_INFINITY; }
FN total t_join(total a, total b) { return a < b || a != a ? a : b; }
    #endif
FN total t_add(total a, elem b) { return t_join(a, e_result(b)); }
  #endif
FN result t_result(total a) { return (result)a; }
FN void t_store(volatile GLOBAL total* p, total a) { *p = a; }
FN total t_load(volatile GLOBAL total* p) { return *p; }
#else
typedef struct { accum re; accum im; } total;
FN total t_make(accum re, accum im) { total t; t.re = re; t.im = im; return t; }
FN total t_none() { return t_make((accum)0, (accum)0); }
FN total t_join(total a, total b) { return t_make(a.re + b.re, a.im + b.im); }
FN total t_add(total a, elem b) { return t_make(a.re + b.re, a.im + b.im); }
FN result t_result(total a) { return e_make((real)a.re, (real)a.im); }
FN void t_store(volatile GLOBAL total* p, total a) { p->re = a.re; p->im = a.im; }
FN total t_load(volatile GLOBAL total* p) { return t_make(p->re, p->im); }
#endif

/* Joins what the P threads p = 0, 1, ... of each result left in `shared`, `step` apart; thread p = 0 has it. The
   whole group comes here. */
FN void group_join(LOCAL total* shared, int thread, int p, int step) {
  int left = P;
#if DEV_CUDA
  /* Three halvings at once as long as there are as many: a barrier takes longer than the joins. Sums are the same to the bit. PoCL with
     all of its optimisations makes wrong sums of this. */
  for (; left >= 8; left /= 8) {
    const int apart = left / 8 * step;
    BARRIER();
    if (p < left / 8) {
      LOCAL total* own = shared + thread;
      const total even = t_join(t_join(own[0], own[4 * apart]), t_join(own[2 * apart], own[6 * apart]));
      const total odd = t_join(t_join(own[apart], own[5 * apart]), t_join(own[3 * apart], own[7 * apart]));
      *own = t_join(even, odd);
    }
  }
#endif
  for (; left > 1; left /= 2) {
    BARRIER();
    if (p < left / 2) shared[thread] = t_join(shared[thread], shared[thread + left / 2 * step]);
  }
}

/* The sum of the parts of `groups` groups, in an order that depends on their number alone; thread 0 has it in shared[0].
   The one group that is left comes here, with what the others have left visible to all of its threads. */
FN void parts_join(volatile GLOBAL total* parts, int groups, LOCAL total* shared, int thread) {
  total sum = t_none();
  for (int i = thread; i < groups; i += THREADS) sum = t_join(sum, t_load(parts + i));
  shared[thread] = sum;
  group_join(shared, thread, thread, 1);
}

#if ACROSS_GROUPS
/* Counts a group that has left its parts of the results of a block: those that thread 0 has left, and behind a fence and a barrier
   those of others. True for the last of `groups` groups, whose threads may then read the parts of all. The whole group comes here. */
FN int group_is_last(GLOBAL total* parts, int block, int groups, int thread, LOCAL int* last) {
  if (thread == 0) {
    volatile GLOBAL u32* count = (volatile GLOBAL u32*)((GLOBAL unsigned char*)parts + COUNT_AT) + block;
    /* The parts before the count that tells of them. */
    DEVICE_FENCE();
    const int is_last = COUNT_UP(count) == (u32)groups - 1u;
    /* The counts of others before the parts that they tell of; the barrier passes it on to the group. */
    DEVICE_FENCE();
    /* For the next kernel. */
    if (is_last) *count = 0u;
    *last = is_last;
  }
  BARRIER_ALL();
  return *last;
}
#endif

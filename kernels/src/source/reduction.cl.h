/* Reductions: of elements, across the threads of a group and across the groups of a kernel.

   REDUCTION    0: sum, 1: maximum, 2: minimum
   REAL_RESULT  1 if results are real numbers, whatever elements are
   THREADS      threads of a group
   P            threads that work on one result
   ACROSS_GROUPS   1 if one of several groups joins the parts of all, which are words then: those stand before this text
   COUNT_AT     then bytes from the parts of results to the numbers of groups that have begun */

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
  /* Three halvings at once as long as there are as many: a barrier takes longer than the joins, and shuffles of 64 bits take longer than
     both. Sums are the same to the bit. PoCL with all of its optimisations makes wrong sums of this. */
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

/* The sum of the parts that `groups` groups of the kernel before have left, in an order that depends on their number alone; thread 0
   has it in shared[0]. The whole group comes here. */
FN void parts_join(volatile GLOBAL total* parts, int groups, LOCAL total* shared, int thread) {
  total sum = t_none();
  for (int i = thread; i < groups; i += THREADS) sum = t_join(sum, t_load(parts + i));
  shared[thread] = sum;
  group_join(shared, thread, thread, 1);
}

#if ACROSS_GROUPS
/* Words of a part. */
  #if ELEMENT == 1 || REAL_RESULT
    #define PART_WORDS 1
FN void part_leave(volatile GLOBAL word* p, total a) { WORD_STORE(p, as_word((accum)a)); }
FN total part_of(const word* words) { return (total)VALUE(words[0]); }
  #else
    #define PART_WORDS 2
FN void part_leave(volatile GLOBAL word* p, total a) {
  WORD_STORE(p, as_word(a.re));
  WORD_STORE(p + 1, as_word(a.im));
}
FN total part_of(const word* words) { return t_make(VALUE(words[0]), VALUE(words[1])); }
  #endif
/* Parts that a thread looks for together. */
#define LOOKED 4

/* The number of a group among those that have begun on a block of results. It is long in coming, so that it is asked for early. */
FN u32 ticket_take(GLOBAL word* parts, int block) {
  return COUNT_UP((volatile GLOBAL u32*)((GLOBAL unsigned char*)parts + COUNT_AT) + block);
}

/* Whether the ticket, which thread 0 has, is the last of `groups`: all others have begun, and will leave their parts whoever waits for
   them. Tickets begin anew with the next kernel. The whole group comes here. */
FN int is_last_ticket(GLOBAL word* parts, int block, int groups, u32 ticket, int thread, LOCAL int* last) {
  if (thread == 0) {
    *last = ticket == (u32)groups - 1u;
    if (*last) STORE_U32((volatile GLOBAL u32*)((GLOBAL unsigned char*)parts + COUNT_AT) + block, 0u);
  }
  BARRIER();
  return *last;
}

/* The sum of parts first, first + step, ... of `groups`, as soon as they are there. Leaves them empty for the next kernel. */
FN total parts_take(volatile GLOBAL word* parts, int groups, int first, int step) {
  total sum = t_none();
  for (int i = first; i < groups; i += LOOKED * step) {
    word words[LOOKED * PART_WORDS];
    int there;
    do {
      there = 1;
      UNROLL for (int k = 0; k < LOOKED; k++) {
        UNROLL for (int w = 0; w < PART_WORDS; w++) {
          const int at = i + k * step;
          words[k * PART_WORDS + w] = WORD_LOAD(parts + (at < groups ? at : i) * PART_WORDS + w);
        }
      }
      UNROLL for (int w = 0; w < LOOKED * PART_WORDS; w++) there = there && words[w] != (word)EMPTY;
    } while (!there);
    UNROLL for (int k = 0; k < LOOKED; k++) {
      const int at = i + k * step;
      if (at < groups) {
        sum = t_join(sum, part_of(words + k * PART_WORDS));
        UNROLL for (int w = 0; w < PART_WORDS; w++) WORD_STORE(parts + at * PART_WORDS + w, (word)EMPTY);
      }
    }
  }
  return sum;
}
#endif

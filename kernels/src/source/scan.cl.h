/* Running sums along an axis: what all kernels of them share.

   y[i] = (sum of x[j] for all j before i) + diagonal * x[i], where `before` is j < i, or j > i if BACKWARD. Row or column 0 of
   this triangular matrix is different: its first element is `corner`, its others `coupling`.
   The sum of E neighbours is of the type of elements, sums of more of that of accumulators. They are added in an order that
   depends on extents and strides alone. Before this text stand
     BACKWARD     1 if sums begin at the end
     THREADS, P   threads of a group, and those of them that share a line
     E            elements of a thread in a tile */

#if ELEMENT == 1
typedef accum total;
FN total t_zero() { return (total)0; }
FN total t_add(total a, total b) { return a + b; }
FN total t_of(elem a) { return (total)a; }
FN elem t_elem(total a) { return (elem)a; }
FN total t_times(total a, real weight) { return weight == R(0.0) ? (total)0 : a * (total)weight; }
FN elem e_times(elem a, real weight) { return weight == R(0.0) ? R(0.0) : a * weight; }
/* What is left of a number once it is rounded; nothing of one that is not finite. */
FN elem t_rest(total a) {
  const elem near = (elem)a;
  return near - near == R(0.0) ? (elem)(a - (total)near) : R(0.0);
}
#else
typedef struct { accum re; accum im; } total;
FN total t_make(accum re, accum im) { total t; t.re = re; t.im = im; return t; }
FN total t_zero() { return t_make((accum)0, (accum)0); }
FN total t_add(total a, total b) { return t_make(a.re + b.re, a.im + b.im); }
FN total t_of(elem a) { return t_make((accum)a.re, (accum)a.im); }
FN elem t_elem(total a) { return e_make((real)a.re, (real)a.im); }
FN total t_times(total a, real weight) {
  return weight == R(0.0) ? t_zero() : t_make(a.re * (accum)weight, a.im * (accum)weight);
}
FN elem e_times(elem a, real weight) { return weight == R(0.0) ? e_zero() : e_scale(weight, a); }
FN real r_rest(accum a) {
  const real near = (real)a;
  return near - near == R(0.0) ? (real)(a - (accum)near) : R(0.0);
}
FN elem t_rest(total a) { return e_make(r_rest(a.re), r_rest(a.im)); }
#endif

/* Whether sums have more digits than elements. */
#if BITS == 32 && defined(DEVICE_HAS_F64)
  #define PLUS_REST(rest, a) e_add(rest, a)
#else
  #define PLUS_REST(rest, a) (a)
#endif

/* The sums of E neighbours, of which number `first` is x[0] (none if it is negative). Element k is item(k) in the order of sums. */
#if BACKWARD
  #define SHARE(a, is_first) (a)
#else
  #define SHARE(a, is_first) ((is_first) ? e_times(a, coupling) : (a))
#endif
FN elem share_all(const elem* own, int first, real coupling) {
  elem sum = e_zero();
  UNROLL for (int e = 0; e < E; e++) sum = e_add(sum, SHARE(own[e], e == first));
  return sum;
}
/* Makes elements the results, where `before` is the sum before the first of them. */
FN void finish_all(elem* own, int first, total before, real diagonal, real corner, real coupling) {
  const elem near = t_elem(before), rest = t_rest(before);
  elem sum = e_zero();
  UNROLL for (int e = 0; e < E; e++) {
    const elem a = own[e];
    own[e] = e_add(near, PLUS_REST(rest, e_add(sum, e_times(a, e == first ? corner : diagonal))));
#if BACKWARD
    if (e == first) own[e] = e_add(e_times(e_add(near, PLUS_REST(rest, sum)), coupling), e_times(a, corner));
#endif
    sum = e_add(sum, SHARE(a, e == first));
  }
}

/* P threads of each of THREADS / P lines leave a sum each. One thread adds up those of BLOCK. */
#define BLOCK      (P < 16 ? P : 16)
#define BLOCKS     (P / BLOCK)
/* So many are loaded at once. */
#define SOME       (BLOCK < 4 ? BLOCK : 4)
#define FEW        (BLOCKS < 4 ? BLOCKS : 4)
#define SUM_AT(s)  ((s) + (s) / 16)
#define SUMS       (THREADS + THREADS / 16)

/* *before: the sum of what the threads before thread p of line q have left, *all: of all P. The whole group comes here. */
FN void group_scan(LOCAL total* sums, LOCAL total* blocks, int q, int p, total own, total* before, total* all) {
  const int s = q * P + p;
  sums[SUM_AT(s)] = own;
  BARRIER();
  if (p % BLOCK == 0) {
    total sum = t_zero();
    for (int from = 0; from < BLOCK; from += SOME) {
      UNROLL for (int k = 0; k < SOME; k++) {
        const total next = sums[SUM_AT(s) + from + k];
        sums[SUM_AT(s) + from + k] = sum;
        sum = t_add(sum, next);
      }
    }
    blocks[s / BLOCK] = sum;
  }
  BARRIER();
  total sum = t_zero(), mine = t_zero();
  for (int from = 0; from < BLOCKS; from += FEW) {
    UNROLL for (int k = from; k < from + FEW; k++) {
      if (k == p / BLOCK) mine = sum;
      sum = t_add(sum, blocks[q * BLOCKS + k]);
    }
  }
  *before = t_add(mine, sums[SUM_AT(s)]);
  *all = sum;
}

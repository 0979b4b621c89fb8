/* Running sums along an axis: what all kernels of them share.

   y[i] = (sum of x[j] for all j before i) + diagonal * x[i], where `before` is j < i, or j > i if BACKWARD. Row or column 0 of
   this triangular matrix is different: its first element is `corner`, its others `coupling`.
   Sums of up to E neighbours are of the type of elements, sums of more of that of accumulators. They are added in an order that
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
FN elem e_plus_times(elem sum, elem a, real weight) { return weight == R(0.0) ? sum : sum + a * weight; }
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
FN elem e_plus_times(elem sum, elem a, real weight) {
  return weight == R(0.0) ? sum : e_make(sum.re + a.re * weight, sum.im + a.im * weight);
}
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

/* E neighbours are added up by halves: CHUNK at a time, then chunks, so that an element passes through few additions. */
#define CHUNK      (E < 4 ? E : 4)
#define CHUNKS     ((E + CHUNK - 1) / CHUNK)
/* The sum of each chunk. */
FN void sum_chunks(const elem* own, elem* chunks) {
  UNROLL for (int c = 0; c < CHUNKS; c++) {
    elem halves[2];
    UNROLL for (int h = 0; h < 2; h++) {
      const int e = c * CHUNK + 2 * h;
      if (e < E && 2 * h < CHUNK) halves[h] = e + 1 < E && 2 * h + 1 < CHUNK ? e_add(own[e], own[e + 1]) : own[e];
    }
    chunks[c] = c * CHUNK + 2 < E && 2 < CHUNK ? e_add(halves[0], halves[1]) : halves[0];
  }
}
/* The sum of all. */
FN elem sum_all(const elem* own) {
  elem chunks[CHUNKS];
  sum_chunks(own, chunks);
  UNROLL for (int span = 1; span < CHUNKS; span *= 2) {
    UNROLL for (int c = 0; c + span < CHUNKS; c += 2 * span) chunks[c] = e_add(chunks[c], chunks[c + span]);
  }
  return chunks[0];
}
/* Makes elements the results, where `before` is the sum before the first of them. */
FN void finish_all(elem* own, total before, real diagonal) {
  const elem near = t_elem(before), rest = t_rest(before);
  elem chunks[CHUNKS];
  sum_chunks(own, chunks);
  /* Each chunk and all before it: spans of so many, behind those that are done. */
  UNROLL for (int span = 1; span < CHUNKS; span *= 2) {
    UNROLL for (int c = 0; c < CHUNKS; c++) {
      if (c & span) chunks[c] = e_add(chunks[(c & ~(2 * span - 1)) + span - 1], chunks[c]);
    }
  }
  UNROLL for (int c = 0; c < CHUNKS; c++) {
    elem some = e_zero();
    UNROLL for (int k = 0; k < CHUNK; k++) {
      const int e = c * CHUNK + k;
      if (e < E) {
        const elem sum = c == 0 ? some : k == 0 ? chunks[c - 1] : e_add(chunks[c - 1], some);
        const elem a = own[e];
        own[e] = e_add(near, PLUS_REST(rest, e_plus_times(sum, a, diagonal)));
        some = k == 0 ? a : e_add(some, a);
      }
    }
  }
}

/* x[0] and its result are those of one thread of a line: it takes them apart, so that all others have nothing to ask. `own` is x[0]
   in place `first`; none if it is negative. The result goes there when all are finished. (Selections, not branches: of these a compiler
   makes an access by number, which takes elements out of registers, and PoCL's one without a guard.) */
#if BACKWARD
/* From the sum of what stands before, here and elsewhere. */
FN elem first_result(const elem* own, int first, total before, real corner, real coupling) {
  elem others[E], a = e_zero();
  UNROLL for (int e = 0; e < E; e++) {
    others[e] = e < first ? own[e] : e_zero();
    a = e == first ? own[e] : a;
  }
  const elem sum = e_add(t_elem(before), PLUS_REST(t_rest(before), sum_all(others)));
  return e_add(e_times(sum, coupling), e_times(a, corner));
}
#else
/* The result of x[0], which counts for its share in others. */
FN elem first_taken(elem* own, int first, real corner, real coupling) {
  elem a = e_zero();
  UNROLL for (int e = 0; e < E; e++) {
    a = e == first ? own[e] : a;
    own[e] = e == first ? e_times(a, coupling) : own[e];
  }
  return e_times(a, corner);
}
#endif
FN void first_put(elem* own, int first, elem result) {
  UNROLL for (int e = 0; e < E; e++) own[e] = e == first ? result : own[e];
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
#if P == 1
  *before = t_zero();
  *all = own;
#else
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
#endif
}

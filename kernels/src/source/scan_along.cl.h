/* y = EXPRESSION(running sums of x0, y) along an axis whose elements are neighbours.

   P threads take a tile of P * E elements of a line: they load it in runs that are neighbours, and sum E neighbours each, by way
   of local memory. A group goes along its lines tile by tile; with ACROSS_GROUPS each takes one tile. Where lines begin at odd
   places (EDGES), the first tile of each begins at an even place before the line.
   Before this text stand the parameters and
     LINES, LINE_SPLIT(z), x0_LINE, y_LINE        lines and their places
     n, x0_s, y_s                                 the line's elements, and strides: 1 if V > 1
     x0_first, y_first                            indices of the first elements that are there */

#define TILE      (P * E)
#define RUNS      (E / V)
#define Q         (THREADS / P)
/* Places of local memory so far apart that neither threads with a run each nor threads with E neighbours each meet in a bank. */
#define BANK      (128 / (ELEMENT * BITS / 8))
#if E % 2 == 1
  #define PAD(k)  (k)
#elif (E & (E - 1)) == 0
  #define PAD(k)  ((k) + (int)((u32)(k) / BANK))
#else
  #define PAD(k)  ((k) + (int)((u32)(k) / E))
#endif
#define OWN(e)    tile[own_at + (e)]
/* Runs go forwards, their places backwards if sums do. */
#if BACKWARD
  #define BASE(t)      ((tiles - 1 - (t)) * TILE - shift)
  #define RUN_AT(s)    PAD(q * TILE + (TILE - V - ((s) * P + p) * V))
  #define OF_RUN(e)    (V - 1 - (e))
  #define RUN_STEP     (-(P * V + P * V / BANK))
#else
  #define BASE(t)      ((t) * TILE - shift)
  #define RUN_AT(s)    PAD(q * TILE + ((s) * P + p) * V)
  #define OF_RUN(e)    (e)
  #define RUN_STEP     (P * V + P * V / BANK)
#endif
#if (E & (E - 1)) == 0 && E > 1 && P * V % BANK == 0
  #define OF_TILE(s, e) tile[run_at + (s) * RUN_STEP + OF_RUN(e)]
#else
  #define OF_TILE(s, e) tile[RUN_AT(s) + OF_RUN(e)]
#endif
/* Where a thread's run number 0 of a tile is, and from there to number s. */
#if V > 1
  #define PLACE(i, name) ((i) - name##_first)
  #define ON(s, name)    ((s) * (P * V))
#else
  #define PLACE(i, name) (((i) - name##_first) * name##_s)
  #define ON(s, name)    ((s) * P * name##_s)
#endif
#define IS_THERE(i, name) ((i) >= name##_first && (i) < n)
#define IS_WHOLE(i, name) ((i) >= name##_first && (i) + V <= n)

FN run run_none() {
  run r;
  UNROLL for (int e = 0; e < V; e++) r.e[e] = e_zero();
  return r;
}
#if V > 1 && EDGES
  #define LOAD_EDGE                                                               \
    else if (there && i + V > 0 && i < n) {                                       \
      UNROLL for (int e = 0; e < V; e++) {                                        \
        if (IS_THERE(i + e, x0)) runs[s].e[e] = near[ON(s, x0) + e];              \
      }                                                                           \
    }
#else
  #define LOAD_EDGE
#endif
#define LOAD(base)                                                                \
  {                                                                               \
    const idx i0 = (base) + p * V;                                                \
    const GLOBAL elem* near = from + PLACE(i0, x0);                               \
    UNROLL for (int s = 0; s < RUNS; s++) {                                       \
      const idx i = i0 + s * (P * V);                                             \
      runs[s] = run_none();                                                       \
      if (there && IS_WHOLE(i, x0)) runs[s] = run_load(near + ON(s, x0));         \
      LOAD_EDGE                                                                   \
    }                                                                             \
  }
#define IN_SUM(name) IN_SUM_##name
#define IN_SUM_x0 sums_of.e[e]
#define IN_SUM_y old.e[e]
#define IN_EDGE(name) IN_EDGE_##name
#define IN_EDGE_x0 sums_of.e[e]
#define IN_EDGE_y at[e]
#if READS_Y
  #define OLD const run old = run_load(at);
#else
  #define OLD
#endif

KERNEL_OF(THREADS, 1, RESIDENT) scan_along(PARAMETERS) {
  LOCAL_ARRAY(elem, tile, PAD(THREADS * E - 1) + 1);
  LOCAL_ARRAY(total, sums, SUMS);
  LOCAL_ARRAY(total, blocks, THREADS / BLOCK);
#if ACROSS_GROUPS
  LOCAL_ARRAY(total, parts, WAYS * BUNCH * COLUMNS);
  LOCAL_ARRAY(total, found, WAYS * COLUMNS);
  LOCAL_ARRAY(int, ready, WAYS * COLUMNS);
  LOCAL_ARRAY(u32, shared, 4);
#endif
#if EDGES && V > 1
  const i64 origin = x0_at;
#endif
  PROLOGUE
  const int thread = LID(0), p = thread % P, q = thread / P, own_at = PAD(q * TILE + p * E), run_at = RUN_AT(0);
  const idx tiles = (n + (EDGES ? V - 1 : 0) + (TILE - 1)) / TILE;
#if ACROSS_GROUPS
  const i64 groups = (i64)LINES * tiles, heads = (tiles + BUNCH - 1) / BUNCH + 1;
  const turn mine = turn_take(states, half_words, groups, shared, thread);
  const idx line = (idx)(mine.ticket % LINES), first_tile = (idx)(mine.ticket / LINES), last_tile = first_tile;
  const int there = 1;
  {
#else
  for (idx block = (idx)GRP(0); block * Q < LINES; block += (idx)NGRP(0)) {
    const int there = block * Q + q < LINES;
    const idx line = there ? block * Q + q : 0, first_tile = 0, last_tile = tiles - 1;
#endif
    LINE_SPLIT(line)
    const GLOBAL elem* from = x0 + (x0_LINE);
    GLOBAL elem* to = y + (y_LINE);
#if EDGES && V > 1
    const int shift = (int)((origin + (i64)(x0_LINE) - x0_first) & (V - 1));
#else
    const int shift = 0;
#endif
    total carry = t_zero();
    run runs[RUNS];
    LOAD(BASE(first_tile))
    for (idx t = first_tile; t <= last_tile; t++) {
      const idx base = BASE(t);
      UNROLL for (int s = 0; s < RUNS; s++) {
        UNROLL for (int e = 0; e < V; e++) OF_TILE(s, e) = runs[s].e[e];
      }
      BARRIER();
#if BACKWARD
      const int first = base == -shift && p == P - 1 ? E - 1 - shift : -1;
#else
      const int first = base == -shift && p == 0 ? shift : -1;
#endif
      elem own[E];
      UNROLL for (int e = 0; e < E; e++) own[e] = OWN(e);
      total before, all;
      group_scan(sums, blocks, q, p, t_of(share_all(own, first, coupling)), &before, &all);
#if ACROSS_GROUPS
      volatile GLOBAL word* left = mine.words + (i64)line * tiles * PARTS;
      volatile GLOBAL word* sums_left = mine.words + (groups + (i64)line * heads) * PARTS;
      if (thread == 0) total_leave(left + (i64)t * PARTS, all);
      carry = look_back(left, sums_left, t, all, parts, found, ready, thread);
#endif
      finish_all(own, first, t_add(carry, before), diagonal, corner, coupling);
      UNROLL for (int e = 0; e < E; e++) OWN(e) = own[e];
      carry = t_add(carry, all);
      BARRIER();
      const idx i0 = base + p * V;
      GLOBAL elem* near = to + PLACE(i0, y);
      UNROLL for (int s = 0; s < RUNS; s++) {
        const idx i = i0 + s * (P * V);
        if (there && i + V > 0 && i < n) {
          GLOBAL elem* at = near + ON(s, y);
          run sums_of;
          UNROLL for (int e = 0; e < V; e++) sums_of.e[e] = OF_TILE(s, e);
          if (IS_WHOLE(i, y)) {
            run result;
            OLD
            UNROLL for (int e = 0; e < V; e++) result.e[e] = EXPRESSION(IN_SUM);
            run_store(at, result);
          }
#if V > 1 && EDGES
          else {
            UNROLL for (int e = 0; e < V; e++) {
              if (IS_THERE(i + e, y)) at[e] = EXPRESSION(IN_EDGE);
            }
          }
#endif
        }
      }
#if !ACROSS_GROUPS
      if (t < last_tile) { LOAD(BASE(t + 1)) }
#endif
      BARRIER();
    }
  }
#if ACROSS_GROUPS
  turn_end(states, (groups + (i64)LINES * heads) * PARTS, groups, thread);
#endif
}

/* y = EXPRESSION(running sums of x0, y) along an axis whose elements are neighbours.

   The P threads of a line load a tile in runs that are neighbours, and sum E neighbours each, by way of local memory. Where lines
   begin at odd places (EDGES), the first tile of each begins at an even place before the line. This text is what the kernel in
   scan_tiles.cl.h does with a tile. Strides are 1 if V > 1. */

#define RUNS      (E / V)
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
        if (IS_THERE(i + e, x0)) runs[s].e[e] = cell_value(near[ON(s, x0) + e]);  \
      }                                                                           \
    }
#else
  #define LOAD_EDGE
#endif
#define TILE_LOAD(t)                                                              \
  {                                                                               \
    const idx i0 = BASE(t) + p * V;                                               \
    const GLOBAL cell* near = from + PLACE(i0, x0);                               \
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
#define IN_EDGE_y cell_value(at[e])
#if READS_Y
  #define OLD const run old = run_load(at);
#else
  #define OLD
#endif

#define SCAN         scan_along
#define THREAD_PLACE const int p = thread % P, q = thread / P, own_at = PAD(q * TILE + p * E), run_at = RUN_AT(0);
#define TILE_ARRAYS  LOCAL_ARRAY(elem, tile, PAD(THREADS * E - 1) + 1);
/* Elements that a tile may have before its line. */
#define BEFORE       (EDGES ? V - 1 : 0)
#if EDGES && V > 1
  #define ORIGIN     const i64 x0_origin = x0_at;
  #define LINE_BEGIN \
    const int shift = (int)((x0_origin + (i64)(x0_LINE) - x0_first) & (V - 1)); \
    run runs[RUNS];
#else
  #define ORIGIN
  #define LINE_BEGIN \
    const int shift = 0; \
    run runs[RUNS];
#endif
/* A thread's neighbours of tile t, by way of the group, and which of them is x[0]. */
#if BACKWARD
  #define FIRST_HERE(t) (BASE(t) == -shift && p == P - 1 ? E - 1 - shift : -1)
#else
  #define FIRST_HERE(t) (BASE(t) == -shift && p == 0 ? shift : -1)
#endif
#define TILE_TAKE(t)                                                              \
  UNROLL for (int s = 0; s < RUNS; s++) {                                         \
    UNROLL for (int e = 0; e < V; e++) OF_TILE(s, e) = runs[s].e[e];              \
  }                                                                               \
  BARRIER();                                                                      \
  elem own[E];                                                                    \
  UNROLL for (int e = 0; e < E; e++) own[e] = OWN(e);
/* Stores the results of tile t. */
#if V > 1 && EDGES
  #define STORE_EDGE                                                              \
    else {                                                                        \
      UNROLL for (int e = 0; e < V; e++) {                                        \
        if (IS_THERE(i + e, y)) at[e] = cell_of(EXPRESSION(IN_EDGE));             \
      }                                                                           \
    }
#else
  #define STORE_EDGE
#endif
#define TILE_STORE(t)                                                             \
  {                                                                               \
    UNROLL for (int e = 0; e < E; e++) OWN(e) = own[e];                           \
    BARRIER();                                                                    \
    const idx i0 = BASE(t) + p * V;                                               \
    GLOBAL cell* near = to + PLACE(i0, y);                                        \
    UNROLL for (int s = 0; s < RUNS; s++) {                                       \
      const idx i = i0 + s * (P * V);                                             \
      if (there && i + V > 0 && i < n) {                                          \
        GLOBAL cell* at = near + ON(s, y);                                        \
        run sums_of;                                                              \
        UNROLL for (int e = 0; e < V; e++) sums_of.e[e] = OF_TILE(s, e);          \
        if (IS_WHOLE(i, y)) {                                                     \
          run result;                                                             \
          OLD                                                                     \
          UNROLL for (int e = 0; e < V; e++) result.e[e] = EXPRESSION(IN_SUM);    \
          run_store(at, result);                                                  \
        }                                                                         \
        STORE_EDGE                                                                \
      }                                                                           \
    }                                                                             \
  }

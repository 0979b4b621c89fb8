/* y + t * y_step = EXPRESSION(band t applied to x0, y + t * y_step), for short bands along up to three axes, where the rows of x0
   and of each output lie one behind the other without gaps and begin at odd places.

   All rows are taken as one line. A thread takes a run of each output, all near the same place, as each of them is aligned;
   and what a tap reaches, it takes from the one or two aligned runs that hold it: it is known which part of them, wherever
   rows begin. Where rows end, and where taps may lie beyond their axis, results are made one by one. Before this text
   stand the parameters, the index space, the bands, whose special rows, if there are any, are straight code, and
     apart1_run, apart1_element ...   of each axis, those of apart_band.cl.h
     INSIDE_n       whether band n may be applied to all places from row (i1, i2) and column c on that a thread takes
     OUTPUTS        OUTPUT(t, shift, axis) for each output t, whose runs begin `shift` places before those of the line */

#define IN_SUM(name) IN_SUM_##name
#define IN_SUM_x0 sum.e[e]
#define IN_SUM_y old.e[e]

/* How many places before its run of the line the first of a thread lies, and how many there are. */
#define BEFORE (V - 1)
#define PLACES (BEFORE + V)

#if READS_Y
  #define OLD_RUN const run old = run_load(to);
  #define OLD_ELEMENT run old; old.e[e] = to[e];
#else
  #define OLD_RUN
  #define OLD_ELEMENT
#endif

#define OUTPUT(t, shift, axis)                                                    \
  {                                                                               \
    const idx p = f - (shift);                                                    \
    GLOBAL elem* to = y + ((t) * y_step + p);                                     \
    if (inside && INSIDE_##axis) {                                                \
      const run sum = apart##axis##_run(x0 + p, STRIDE_##axis, shift);            \
      run result;                                                                 \
      OLD_RUN                                                                     \
      UNROLL for (int e = 0; e < V; e++) result.e[e] = EXPRESSION(IN_SUM);        \
      run_store(to, result);                                                      \
    } else {                                                                      \
      UNROLL for (int e = 0; e < V; e++) {                                        \
        if (p + e >= 0 && p + e < all) {                                          \
          run sum;                                                                \
          sum.e[e] = apart##axis##_element(x0 + (p + e), STRIDE_##axis, PLACE_##axis(p + e), n##axis); \
          OLD_ELEMENT                                                             \
          to[e] = EXPRESSION(IN_SUM);                                             \
        }                                                                         \
      }                                                                           \
    }                                                                             \
  }

#define STRIDE_0 1
#define STRIDE_1 n0
#define STRIDE_2 (n0 * n1)
#define PLACE_0(p) ((idx)((u32)(p) % (u32)n0))
#define PLACE_1(p) ((idx)((u32)(p) / (u32)n0 % (u32)n1))
#define PLACE_2(p) ((idx)((u32)(p) / (u32)(n0 * n1)))

KERNEL stencil_apart(PARAMETERS) {
  AFTER_EARLIER_KERNELS
  PROLOGUE
  const idx all = n0 * n1 * OUTER, f = (idx)GID(0) * V;
  if (f - BEFORE >= all) return;
  const idx first = f < BEFORE ? 0 : f - BEFORE, row = (idx)((u32)first / (u32)n0), c = first - row * n0;
  const idx i2 = OUTER == 1 ? 0 : (idx)((u32)row / (u32)n1), i1 = row - i2 * n1;
  /* How many rows its places lie in, but one. */
  const idx more = c + PLACES > n0 ? 1 : 0;
  const int inside = f >= BEFORE && f + V <= all;
  OUTPUTS
}

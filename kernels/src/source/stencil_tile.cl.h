/* y = EXPRESSION(one band applied to x0, y).

   A group takes LINES lines and WIDTH places of each along the band's axis. It loads what their taps reach into local
   memory, zeros beyond the axis; then a thread makes RESULTS consecutive results of one line, and takes each value once: value k
   is that of tap k - u of result u. Long rows of taps are taken in chunks, one tile each. Short rows of taps along columns
   need no tile: neighbouring threads find what they share in the cache.
   All rows are done by the formula of the common row, with zeros for the first and last columns that special rows fill
   differently; what rows have in these is added, and rows that differ elsewhere are made alone.
   Before this text stand the parameters, the index space, the band along axis AXIS and
     ALONG              1 if the band goes along axis 0: lines are then parts of rows; else columns
     DIRECT             1 without a tile
     LINES, WARPS       threads of a group side by side, each with a line, and along the band's axis
     RESULTS            places of a thread
     RESIDENT           groups that a processor is to hold at once
     LOOPED             1 if the grid has not a group for each
     FIRST_TAP          the offset of the first tap of the common row
     TAPS, CHUNK, REST  its places up to the last tap; those of each chunk; those of the last chunk
     STRAIGHT           1 if they are few: straight code
     BLOCK              else how many taps a thread takes at once of values that it holds; 0 if it holds none
     GAPS               1 if there is no tap at some of the places
     NOTE(value)        what a thread adds up of a result, between DOTS_BEGIN and DOTS_END
     tap_is(t), tap_weights     whether there is a tap at place t, and the weights of all places
   and the macros of stencil_ends.cl.h. */

#define WIDTH (RESULTS * WARPS)
#define SPAN (WIDTH + CHUNK - 1)
#if ALONG
  /* An odd pitch, so that threads side by side use different banks. */
  #define PITCH (SPAN | 1)
  #define PLACE(line, k) ((line) * PITCH + (k))
#else
  #define PITCH SPAN
  #define PLACE(line, k) ((k) * LINES + (line))
#endif

/* Each of the group's numbers along an axis of the grid, which is the only one unless the grid would be too large. Straight
   code is compiled much sooner, and has registers left. */
#if LOOPED
  #define EACH(k, axis, there) for (idx k = (idx)GRP(axis); there; k += (idx)NGRP(axis))
#else
  #define EACH(k, axis, there) const idx k = (idx)GRP(axis);
#endif

/* Lines that a thread loads and stores. */
#define TURNS ((LINES + WARPS - 1) / WARPS)
#if TURNS <= 8
  #define FEW_TURNS UNROLL
#else
  #define FEW_TURNS
#endif

/* Aligned as a whole: one access for a complex number. */
#if ELEMENT == 2
typedef struct ALIGNED(BITS / 4) { real re; real im; } slot;
  #define TO_SLOT(a) slot_of(a)
  #define FROM_SLOT(s) e_make((s).re, (s).im)
FN slot slot_of(elem a) { slot s; s.re = a.re; s.im = a.im; return s; }
#else
typedef elem slot;
  #define TO_SLOT(a) (a)
  #define FROM_SLOT(s) (s)
#endif

/* Value k that the thread's results take, of its column or of the tile. */
#if DIRECT
  #define VALUE(k) values[k]
#else
  #define VALUE(k) FROM_SLOT(mine[STEP * (k)])
#endif
/* Value k for those of its results that have a tap there, of n taps from t0 on. */
#define ADD_SOME(k, t0, n)                                                        \
  {                                                                               \
    const elem value = VALUE(k);                                                  \
    UNROLL for (int u = 0; u < RESULTS; u++) {                                    \
      const int t = (k) - u;                                                      \
      if (t >= 0 && t < (n) && tap_is((t0) + t)) sums[u] = e_add_scaled(sums[u], tap_weights[(t0) + t], value); \
    }                                                                             \
  }
#define BLOCKS(n) (((n) - RESULTS + 1) / RESULTS)
/* `taps` taps from t on for all results, of which the thread holds all but the last values. */
#define ADD_BLOCK(t0, t, taps)                                                    \
  UNROLL for (int q = 0; q < (taps); q++) held[RESULTS - 1 + q] = VALUE(RESULTS - 1 + (t) + q); \
  UNROLL for (int q = 0; q < (taps); q++) {                                       \
    if (!tap_is((t0) + (t) + q)) continue;                                        \
    UNROLL for (int u = 0; u < RESULTS; u++) sums[u] = e_add_scaled(sums[u], tap_weights[(t0) + (t) + q], held[u + q]); \
  }
/* All values of n taps from t0 on. */
#if STRAIGHT
  #define ADD_TAPS(t0, n) UNROLL for (int k = 0; k < RESULTS + (n) - 1; k++) ADD_SOME(k, t0, n)
#elif BLOCK > 0
  /* Where taps are missing, these are known places of straight code. */
  #if GAPS
    #define BY_BLOCKS UNROLL
  #else
    #define BY_BLOCKS ROLLED
  #endif
  #define ADD_TAPS(t0, n)                                                         \
    elem held[RESULTS + BLOCK - 1];                                               \
    UNROLL for (int k = 0; k < RESULTS - 1; k++) held[k] = VALUE(k);              \
    BY_BLOCKS for (int t = 0; t + BLOCK <= (n); t += BLOCK) {                     \
      ADD_BLOCK(t0, t, BLOCK)                                                     \
      UNROLL for (int k = 0; k < RESULTS - 1; k++) held[k] = held[k + BLOCK];     \
    }                                                                             \
    ADD_BLOCK(t0, (n) - (n) % BLOCK, (n) % BLOCK)
#else
  /* Those that every result has a tap for are taken in a loop. */
  #define ADD_TAPS(t0, n)                                                         \
    UNROLL for (int k = 0; k < RESULTS - 1; k++) ADD_SOME(k, t0, n)               \
    ROLLED for (int block = 0; block < BLOCKS(n); block++) {                      \
      const int first = RESULTS - 1 + block * RESULTS;                            \
      UNROLL for (int j = 0; j < RESULTS; j++) {                                  \
        const elem value = VALUE(first + j);                                      \
        UNROLL for (int u = 0; u < RESULTS; u++) {                                \
          sums[u] = e_add_scaled(sums[u], tap_weights[(t0) + first + j - u], value); \
        }                                                                         \
      }                                                                           \
    }                                                                             \
    UNROLL for (int k = RESULTS - 1 + BLOCKS(n) * RESULTS; k < RESULTS + (n) - 1; k++) ADD_SOME(k, t0, n)
#endif
#define STEP (PLACE(0, 1) - PLACE(0, 0))

#define IN_SUM(name) IN_SUM_##name
#define IN_SUM_x0 sum.e[0]
#define IN_SUM_y old.e[0]
#if READS_Y
  #define OLD(value) run old = value;
#else
  #define OLD(value)
#endif
/* What becomes of y at the pointer `to` with the sum `value` and what is there before, `was`: of several results all are loaded
   before the first is stored, because a load behind a store of the same array waits for it. */
#define STORE(to, value, was)                                                     \
  {                                                                               \
    run sum, result;                                                              \
    sum.e[0] = value;                                                             \
    OLD(was)                                                                      \
    result.e[0] = EXPRESSION(IN_SUM);                                             \
    run_store(to, result);                                                        \
    NOTE(result.e[0])                                                             \
  }

#if ALONG
  #define LEN n0
  #define STRIDE x0_s0
#else
  #define LEN n1
  #define STRIDE x0_s1
#endif

KERNEL_OF(LINES, WARPS, RESIDENT) stencil_tile(PARAMETERS) {
  AFTER_EARLIER_KERNELS
#if !DIRECT
  LOCAL_ARRAY(slot, tile, LINES * PITCH);
#endif
  DOTS_BEGIN
  PROLOGUE
  const int line = LID(0), warp = LID(1);
  const idx pieces = (LEN + WIDTH - 1) / WIDTH;
#if ALONG
  const idx rows = n1 * OUTER, lines = rows * pieces;
  EACH(group, 0, group * LINES < lines) {
#else
  EACH(z, 2, z < OUTER) {
  SPLIT(z)
  EACH(part, 1, part < pieces) {
  EACH(group, 0, group * LINES < n0) {
    const idx c = group * LINES + line, begin = part * WIDTH;
#endif
    elem sums[RESULTS];
    UNROLL for (int u = 0; u < RESULTS; u++) sums[u] = e_zero();
#if DIRECT
    if (c < n0) {
      const idx place = begin + warp * RESULTS + FIRST_TAP, i1 = place;
      const GLOBAL elem* at = x0 + (x0_ROW + c * x0_s0);
      elem values[RESULTS + TAPS - 1];
      /* Without a test for each of them but near the ends. */
      if (place >= FIRST_COLUMNS && place + (RESULTS + TAPS - 1) <= n1 - LAST_COLUMNS) {
        UNROLL for (int k = 0; k < RESULTS + TAPS - 1; k++) {
          values[k] = run_load(at).e[0];
          at += x0_s1;
        }
      } else {
        UNROLL for (int k = 0; k < RESULTS + TAPS - 1; k++) {
          values[k] = e_zero();
          if (IS_COMMON(place + k)) values[k] = run_load(at).e[0];
          at += x0_s1;
        }
      }
      ADD_TAPS(0, TAPS)
    }
#else
#if CHUNK < TAPS
    ROLLED for (int chunk = 0; chunk * CHUNK < TAPS; chunk++) {
      BARRIER();
#else
    {
      const int chunk = 0;
  #if LOOPED
      BARRIER();
  #endif
#endif
#if ALONG
      FEW_TURNS for (int turn = 0; turn < TURNS; turn++) {
        const int other = warp + turn * WARPS;
        const int there = other < LINES && group * LINES + other < lines;
        const idx number = there ? group * LINES + other : 0, row = number / pieces;
        const idx begin = (number - row * pieces) * WIDTH, z = row / n1, i1 = row - z * n1;
        SPLIT(z)
        const GLOBAL elem* from = x0 + x0_ROW;
        /* All are loaded before the first is stored. */
        elem values[(SPAN + LINES - 1) / LINES];
        UNROLL for (int k = 0; k < SPAN; k += LINES) {
          const idx i = begin + k + line + FIRST_TAP + chunk * CHUNK;
          values[k / LINES] = e_zero();
          if (there && IS_COMMON(i)) values[k / LINES] = run_load(from + i * x0_s0).e[0];
        }
        UNROLL for (int k = 0; k < SPAN; k += LINES) {
          if (other < LINES && k + line < SPAN) tile[PLACE(other, k + line)] = TO_SLOT(values[k / LINES]);
        }
      }
#else
      UNROLL for (int first = 0; first < SPAN; first += AT_ONCE * WARPS) {
        elem values[AT_ONCE];
        UNROLL for (int turn = 0; turn < AT_ONCE; turn++) {
          const int k = first + turn * WARPS + warp;
          const idx i1 = begin + k + FIRST_TAP + chunk * CHUNK;
          values[turn] = e_zero();
          if (k < SPAN && c < n0 && IS_COMMON(i1)) values[turn] = run_load(x0 + (x0_ROW + c * x0_s0)).e[0];
        }
        UNROLL for (int turn = 0; turn < AT_ONCE; turn++) {
          const int k = first + turn * WARPS + warp;
          if (k < SPAN) tile[PLACE(line, k)] = TO_SLOT(values[turn]);
        }
      }
#endif
      BARRIER();
      const LOCAL slot* mine = tile + PLACE(line, warp * RESULTS);
#if CHUNK == TAPS
      ADD_TAPS(0, TAPS)
#elif REST == CHUNK
      ADD_TAPS(chunk * CHUNK, CHUNK)
#else
      if (chunk * CHUNK + CHUNK <= TAPS) {
        ADD_TAPS(chunk * CHUNK, CHUNK)
      } else {
        ADD_TAPS(TAPS - REST, REST)
      }
#endif
    }
#endif
#if ALONG
  #if END_COLUMNS > 0
    if (group * LINES + line < lines) {
      const idx number = group * LINES + line, row = number / pieces;
      const idx begin = (number - row * pieces) * WIDTH + warp * RESULTS, z = row / n1, i1 = row - z * n1;
      SPLIT(z)
      const GLOBAL elem* from = x0 + x0_ROW;
      ADD_ENDS(begin, from)
    }
  #endif
  #if ALONE_FIRST + ALONE_LAST > 0
    /* Before results take the place of what they are made of. */
    for (int other = warp; other < LINES; other += WARPS) {
      const idx number = group * LINES + other, row = number / pieces;
      if (number >= lines) continue;
      const idx begin = (number - row * pieces) * WIDTH, z = row / n1, i1 = row - z * n1;
      if (begin >= ALONE_FIRST && begin + WIDTH <= LEN - ALONE_LAST) continue;
      SPLIT(z)
      for (int k = line; k < WIDTH; k += LINES) {
        const idx i = begin + k;
        if (i < LEN && IS_ALONE(i)) {
          const GLOBAL elem* at = x0 + (x0_ROW + i * x0_s0);
          const run center = run_load(at);
          ADD_ALONE(tile + PLACE(other, k), at, i)
          STORE(y + (y_ROW + i * y_s0), value, run_load(y + (y_ROW + i * y_s0)))
        }
      }
    }
  #endif
    /* Through local memory, so that threads side by side store places side by side. */
    BARRIER();
    UNROLL for (int u = 0; u < RESULTS; u++) tile[PLACE(line, warp * RESULTS + u)] = TO_SLOT(sums[u]);
    BARRIER();
    FEW_TURNS for (int turn = 0; turn < TURNS; turn++) {
      const int other = warp + turn * WARPS;
      const idx number = group * LINES + other, row = number / pieces;
      if (other >= LINES || number >= lines) continue;
      const idx begin = (number - row * pieces) * WIDTH, z = row / n1, i1 = row - z * n1;
      SPLIT(z)
#if READS_Y
      run olds[(WIDTH + LINES - 1) / LINES];
      UNROLL for (int k = 0; k < WIDTH; k += LINES) {
        const idx i = begin + k + line;
        if (k + line < WIDTH && i < LEN) olds[k / LINES] = run_load(y + (y_ROW + i * y_s0));
      }
#endif
      UNROLL for (int k = 0; k < WIDTH; k += LINES) {
        const idx i = begin + k + line;
        if (k + line < WIDTH && i < LEN && !IS_ALONE(i)) {
          STORE(y + (y_ROW + i * y_s0), FROM_SLOT(tile[PLACE(other, k + line)]), olds[k / LINES])
        }
      }
    }
  }
#else
    if (c < n0) {
  #if END_COLUMNS > 0
      {
        const idx i1 = 0;
        const GLOBAL elem* from = x0 + (x0_ROW + c * x0_s0);
        ADD_ENDS(begin + warp * RESULTS, from)
      }
  #endif
  #if READS_Y
      run olds[RESULTS];
      UNROLL for (int u = 0; u < RESULTS; u++) {
        const idx i1 = begin + warp * RESULTS + u;
        if (i1 < LEN) olds[u] = run_load(y + (y_ROW + c * y_s0));
      }
  #endif
      UNROLL for (int u = 0; u < RESULTS; u++) {
        const idx i1 = begin + warp * RESULTS + u;
        if (i1 < LEN && !IS_ALONE(i1)) STORE(y + (y_ROW + c * y_s0), sums[u], olds[u])
      }
  #if ALONE_FIRST + ALONE_LAST > 0
      const idx own = begin + warp * RESULTS;
      if (own < ALONE_FIRST || own + RESULTS > LEN - ALONE_LAST) {
      ROLLED for (int u = 0; u < RESULTS; u++) {
        const idx i1 = own + u;
        if (i1 < LEN && IS_ALONE(i1)) {
          const GLOBAL elem* at = x0 + (x0_ROW + c * x0_s0);
          ADD_ALONE(tile + PLACE(line, warp * RESULTS + u), at, i1)
          STORE(y + (y_ROW + c * y_s0), value, run_load(y + (y_ROW + c * y_s0)))
        }
      }
      }
  #endif
    }
  }
  }
  }
#endif
  DOTS_END(warp * LINES + line, (int)(GRP(0) + NGRP(0) * (GRP(1) + NGRP(1) * GRP(2))), (int)(NGRP(0) * NGRP(1) * NGRP(2)))
}

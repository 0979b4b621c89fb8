/* y = EXPRESSION(one band applied to x0, y).

   A group takes LINES lines and WIDTH places of each along the band's axis. It loads what their taps reach into local
   memory, zeros beyond the axis; then a thread makes RESULTS consecutive results of one line, and takes each value once: value k
   is that of tap k - u of result u. Long rows of taps are taken in chunks, one tile each.
   Before this text stand the parameters, the index space, the band along axis AXIS and
     ALONG              1 if the band goes along axis 0: lines are then parts of rows; else columns
     WARPS              threads of a group along the band's axis; LINES threads stand side by side
     RESULTS            places of a thread
     RESIDENT           groups that a processor is to hold at once
     FIRST_TAP          the offset of the first tap of the common row
     TAPS, CHUNK, REST  its places up to the last tap; those of each chunk; those of the last chunk
     STRAIGHT           1 if they are few: straight code
     tap_is(t), tap_weight(t)   whether there is a tap at place t, and its weight
     SPECIAL_FIRST, SPECIAL_LAST   how many first and last rows are special
     SPECIAL_NEAR       1 if the taps of special rows lie in the tile, and in tables as those of band.cl.h
     SPECIAL(sum, at, i)  else adds special row i, whose place is `at`, to the run `sum` */

#define LINES 32
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

/* Values that a thread loads before it stores the first, and lines it loads and stores. */
#define AT_ONCE 8
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

/* Value k for those of its results that have a tap there, of n taps from t0 on. */
#define ADD_SOME(k, t0, n)                                                        \
  {                                                                               \
    const elem value = FROM_SLOT(mine[STEP * (k)]);                               \
    UNROLL for (int u = 0; u < RESULTS; u++) {                                    \
      const int t = (k) - u;                                                      \
      if (t >= 0 && t < (n) && tap_is((t0) + t)) sums[u] = e_add_scaled(sums[u], tap_weight((t0) + t), value); \
    }                                                                             \
  }
#define BLOCKS(n) (((n) - RESULTS + 1) / RESULTS)
/* All values of n taps from t0 on. Those that every result has a tap for are taken in a loop, if there are many. */
#if STRAIGHT
  #define ADD_TAPS(t0, n) UNROLL for (int k = 0; k < RESULTS + (n) - 1; k++) ADD_SOME(k, t0, n)
#else
  #define ADD_TAPS(t0, n)                                                         \
    UNROLL for (int k = 0; k < RESULTS - 1; k++) ADD_SOME(k, t0, n)               \
    for (int block = 0; block < BLOCKS(n); block++) {                             \
      const int first = RESULTS - 1 + block * RESULTS;                            \
      UNROLL for (int j = 0; j < RESULTS; j++) {                                  \
        const elem value = FROM_SLOT(mine[STEP * (first + j)]);                   \
        UNROLL for (int u = 0; u < RESULTS; u++) {                                \
          sums[u] = e_add_scaled(sums[u], tap_weight((t0) + first + j - u), value); \
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
  #define OLD(to) run old = run_load(to);
#else
  #define OLD(to)
#endif
/* What becomes of y at the pointer `to` with the sum `value`. */
#define STORE(to, value)                                                          \
  {                                                                               \
    run sum, result;                                                              \
    sum.e[0] = value;                                                             \
    OLD(to)                                                                       \
    result.e[0] = EXPRESSION(IN_SUM);                                             \
    run_store(to, result);                                                        \
  }

#if ALONG
  #define LEN n0
#else
  #define LEN n1
#endif

#if SPECIAL_FIRST + SPECIAL_LAST > 0
  #define IS_SPECIAL(i) ((i) < SPECIAL_FIRST || (i) >= LEN - SPECIAL_LAST)
#else
  #define IS_SPECIAL(i) 0
#endif
/* Special row i into `value`, by a loop that is not unrolled: there are few of them. `near` is where the first tap of a common
   row would be in the tile, `at` the place of the row in x. */
#if SPECIAL_NEAR
  #define ADD_SPECIAL(near, at, i)                                                \
    const int special_row = 1 + (int)((i) < SPECIAL_FIRST ? (i) : (i) - LEN + SPECIAL_FIRST + SPECIAL_LAST); \
    elem value = e_zero();                                                        \
    for (int entry = (int)BAND_START(special_row); entry < (int)BAND_START(special_row + 1); entry++) { \
      const elem part = FROM_SLOT((near)[STEP * (int)(BAND_OFFSET(entry) - FIRST_TAP)]); \
      value = e_add_scaled(value, BAND_WEIGHT(entry), part);                      \
    }
#else
  #define ADD_SPECIAL(near, at, i)                                                \
    run special = run_zero();                                                     \
    SPECIAL(special, at, i)                                                       \
    const elem value = special.e[0];
#endif

KERNEL_OF(LINES, WARPS, RESIDENT) stencil_tile(PARAMETERS) {
  LOCAL_ARRAY(slot, tile, LINES * PITCH);
  PROLOGUE
  const int line = LID(0), warp = LID(1);
  const idx parts = (LEN + WIDTH - 1) / WIDTH;
#if ALONG
  const idx rows = n1 * OUTER, lines = rows * parts;
  for (idx group = (idx)GRP(0); group * LINES < lines; group += (idx)NGRP(0)) {
#else
  for (idx z = (idx)GRP(2); z < OUTER; z += (idx)NGRP(2)) {
  SPLIT(z)
  for (idx part = (idx)GRP(1); part < parts; part += (idx)NGRP(1)) {
  for (idx group = (idx)GRP(0); group * LINES < n0; group += (idx)NGRP(0)) {
    const idx c = group * LINES + line, begin = part * WIDTH;
#endif
    elem sums[RESULTS];
    UNROLL for (int u = 0; u < RESULTS; u++) sums[u] = e_zero();
    for (int chunk = 0; chunk * CHUNK < TAPS; chunk++) {
      BARRIER();
#if ALONG
      FEW_TURNS for (int turn = 0; turn < TURNS; turn++) {
        const int other = warp + turn * WARPS;
        const int there = other < LINES && group * LINES + other < lines;
        const idx number = there ? group * LINES + other : 0, row = number / parts;
        const idx begin = (number - row * parts) * WIDTH, z = row / n1, i1 = row - z * n1;
        SPLIT(z)
        const GLOBAL elem* from = x0 + x0_ROW;
        /* All are loaded before the first is stored. */
        elem values[(SPAN + LINES - 1) / LINES];
        UNROLL for (int k = 0; k < SPAN; k += LINES) {
          const idx i = begin + k + line + FIRST_TAP + chunk * CHUNK;
          values[k / LINES] = e_zero();
          if (there && i >= 0 && i < LEN) values[k / LINES] = run_load(from + i * x0_s0).e[0];
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
          if (k < SPAN && c < n0 && i1 >= 0 && i1 < LEN) values[turn] = run_load(x0 + (x0_ROW + c * x0_s0)).e[0];
        }
        UNROLL for (int turn = 0; turn < AT_ONCE; turn++) {
          const int k = first + turn * WARPS + warp;
          if (k < SPAN) tile[PLACE(line, k)] = TO_SLOT(values[turn]);
        }
      }
#endif
      BARRIER();
      const LOCAL slot* mine = tile + PLACE(line, warp * RESULTS);
      if (chunk * CHUNK + CHUNK <= TAPS) {
        ADD_TAPS(chunk * CHUNK, CHUNK)
      }
#if REST < CHUNK
      else {
        ADD_TAPS(TAPS - REST, REST)
      }
#endif
    }
#if ALONG
  #if SPECIAL_FIRST + SPECIAL_LAST > 0
    /* Before results take the place of what they are made of. */
    for (int other = warp; other < LINES; other += WARPS) {
      const idx number = group * LINES + other, row = number / parts;
      if (number >= lines) continue;
      const idx begin = (number - row * parts) * WIDTH, z = row / n1, i1 = row - z * n1;
      if (begin >= SPECIAL_FIRST && begin + WIDTH <= LEN - SPECIAL_LAST) continue;
      SPLIT(z)
      for (int k = line; k < WIDTH; k += LINES) {
        const idx i = begin + k;
        if (i < LEN && IS_SPECIAL(i)) {
          const GLOBAL elem* at = x0 + (x0_ROW + i * x0_s0);
          const run center = run_load(at);
          ADD_SPECIAL(tile + PLACE(other, k), at, i)
          STORE(y + (y_ROW + i * y_s0), value)
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
      const idx number = group * LINES + other, row = number / parts;
      if (other >= LINES || number >= lines) continue;
      const idx begin = (number - row * parts) * WIDTH, z = row / n1, i1 = row - z * n1;
      SPLIT(z)
      UNROLL for (int k = 0; k < WIDTH; k += LINES) {
        const idx i = begin + k + line;
        if (k + line < WIDTH && i < LEN && !IS_SPECIAL(i)) {
          STORE(y + (y_ROW + i * y_s0), FROM_SLOT(tile[PLACE(other, k + line)]))
        }
      }
    }
  }
#else
    if (c < n0) {
      UNROLL for (int u = 0; u < RESULTS; u++) {
        const idx i1 = begin + warp * RESULTS + u;
        if (i1 < LEN && !IS_SPECIAL(i1)) STORE(y + (y_ROW + c * y_s0), sums[u])
      }
  #if SPECIAL_FIRST + SPECIAL_LAST > 0
      for (int u = 0; u < RESULTS; u++) {
        const int own = warp * RESULTS + u;
        const idx i1 = begin + own;
        if (i1 < LEN && IS_SPECIAL(i1)) {
          const GLOBAL elem* at = x0 + (x0_ROW + c * x0_s0);
          ADD_SPECIAL(tile + PLACE(line, own), at, i1)
          STORE(y + (y_ROW + c * y_s0), value)
        }
      }
  #endif
    }
  }
  }
  }
#endif
}

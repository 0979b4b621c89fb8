/* y = EXPRESSION(a dense convolution of x0 along several axes, y).

   A thread owns ROWS places: rows beside each other along axis m at one place along axis l, or places along axis l itself. It marches along
   axis a and holds the sums of DEPTH planes of results that are not finished: a plane of x0 is added to all of them, of which
   the first is finished then. For each place of the taps along l it takes REACH samples, which all its rows and sums share. Samples come
   straight from memory: neighbours among threads read neighbours, and the cache near the processor has what was read before.
   Taps along a and m are in blocks of DEPTH and HEIGHT, the last of which zeros fill up; taps along other axes are gone
   through one by one. Few taps, in one block, are straight code: their weights are an argument, which instructions take as they
   take registers, and places along axis l are beside each other, so that all their samples are loaded once. Before this text stand
   the parameters, the weights of bands, products with these and
     LANES, DEEP         threads of a group along l and along m
     RESIDENT            groups that a processor is to hold at once
     STRAIGHT, WEIGHTS   1 if it is straight code, and the weights of all taps then
     ROWS, ALONG_LANES   places of a thread, and 1 if they lie along l: LANES apart, or one beside the other in straight code
     DEPTH, A_BLOCKS     taps of a block along a, and blocks
     HEIGHT, M_BLOCKS    the same along m
     WIDTH               taps along l
     UNROLL_WIDTH        how far their loop is unrolled
     QUAD, QUADS         weights of 16 bytes, and how many such parts DEPTH weights fill
     HELD                parts of all weights, if a group holds them in local memory
     X_NEAR              1 if neighbours along l are neighbours in x0
     OTHER, OTHER_SPLIT(z)      axes along which nothing is shared, x0_OTHER and y_OUTER their places
     EXTRA_BEGIN, EXTRA_END, EXTRAS, EXTRA_AT, EXTRA_PLACE  loops over the taps along those, their number, and a tap's number and place
   Parameters tell of each axis its elements n, the index o of the tap at time zero, and strides; the planes of a part; and numbers of tiles along l,
   strips along m and parts along a. */

#define THREADS (LANES * DEEP)
#define REACH (ROWS + HEIGHT - 1)
/* Parts of the weights of a block. */
#define BLOCK (WIDTH * HEIGHT * QUADS)
/* From one place of a thread along l to the next, and from its first one to that of the thread beside it. */
#if STRAIGHT
  #define ROW_GAP 1
  #define LANE_GAP ROWS
#else
  #define ROW_GAP LANES
  #define LANE_GAP 1
#endif
/* Threads that go one way: those of a hardware's group along l. */
#define NEAR (LANES < 32 ? LANES : 32)

#if STRAIGHT
typedef struct { weight w[WEIGHTS]; } weights;
#else
typedef struct ALIGNED(16) { weight w[QUAD]; } quad;
#endif

#if HELD
  #define TAPS LOCAL
#else
  #define TAPS GLOBAL
#endif
#if X_NEAR
  #define X_STEP 1
#else
  #define X_STEP x_l
#endif
#if ALONG_LANES
  #define ROW_STEP (ROW_GAP * X_STEP)
  #define IS_THERE(j, k) (column + (j) * ROW_GAP - (k) >= 0 && column + (j) * ROW_GAP - (k) < n_l)
#else
  #define ROW_STEP x_m
  #define IS_THERE(j, k) (column - (k) >= 0 && column - (k) < n_l && (rows >> (j) & 1))
#endif

#define ALWAYS(j, k) 1
#define ONE_BY_ONE _Pragma("unroll 1")

#define IN_SUM(name) IN_SUM_##name
#define IN_SUM_x0 sums[r]
#define IN_SUM_y *to

#if STRAIGHT
/* Samples number 0 to count - 1 from the place of tap k on. */
#define LOAD(count, k) \
  if (inside) { \
    UNROLL for (int j = 0; j < count; j++) x[j] = from[j * ROW_STEP - (k) * X_STEP]; \
  } else { \
    UNROLL for (int j = 0; j < count; j++) { \
      x[j] = e_zero(); \
      if (IS_THERE(j, k)) x[j] = from[j * ROW_STEP - (k) * X_STEP]; \
    } \
  }
/* Adds sample `first` and those behind it, times the weights of tap t along m and tap k along l, to all sums. */
#define ADD_TAPS(first, t, k) \
  UNROLL for (int d = 0; d < DEPTH; d++) { \
    const weight w = given.w[((k) * HEIGHT + (t)) * DEPTH + d]; \
    if (IS_MET(w)) { \
      UNROLL for (int r = 0; r < ROWS; r++) sums[d * ROWS + r] = ADD_SCALED(sums[d * ROWS + r], w, x[(first) + r]); \
    } \
  }
#else
/* Adds the samples that tap k along l takes, where IS_THERE(j, k), times the weights there, to all sums. Its text, not a function: compilers
   have failed to put one with so many sums in its place. */
#define ADD_COLUMN(IS_THERE, k) { \
  const GLOBAL elem* const at = from - (k) * X_STEP; \
  const TAPS quad* const of = block + (k) * (HEIGHT * QUADS); \
  elem x[REACH]; \
  UNROLL for (int j = 0; j < REACH; j++) { \
    x[j] = e_zero(); \
    if (IS_THERE(j, k)) x[j] = at[j * ROW_STEP]; \
  } \
  UNROLL for (int t = 0; t < HEIGHT; t++) { \
    weight w[QUADS * QUAD]; \
    UNROLL for (int q = 0; q < QUADS; q++) { \
      const quad four = of[t * QUADS + q]; \
      UNROLL for (int e = 0; e < QUAD; e++) w[q * QUAD + e] = four.w[e]; \
    } \
    UNROLL for (int d = 0; d < DEPTH; d++) { \
      if (IS_MET(w[d])) { \
        UNROLL for (int r = 0; r < ROWS; r++) { \
          sums[d * ROWS + r] = ADD_SCALED(sums[d * ROWS + r], w[d], x[r + HEIGHT - 1 - t]); \
        } \
      } \
    } \
  } \
}
#endif

KERNEL_OF(THREADS, 1, RESIDENT) convolve(PARAMETERS) {
  AFTER_EARLIER_KERNELS
#if HELD
  LOCAL_ARRAY(quad, taps, HELD);
#endif
  PROLOGUE
  const int thread = LID(0), lane = thread % LANES;
#if HELD
  for (int k = thread; k < HELD; k += THREADS) taps[k] = ((const GLOBAL quad*)table)[k];
  BARRIER();
#elif !STRAIGHT
  const GLOBAL quad* taps = (const GLOBAL quad*)table;
#endif
  const idx groups = tiles * strips * parts * OTHER;
  for (idx group = (idx)GRP(0); group < groups; group += (idx)NGRP(0)) {
    const idx z = group / (tiles * strips * parts), in_z = group - z * (tiles * strips * parts);
    const idx part = in_z / (tiles * strips), in_part = in_z - part * (tiles * strips);
    const idx strip = in_part / tiles, tile = in_part - strip * tiles;
    OTHER_SPLIT(z)
#if ALONG_LANES
    const idx place = tile * (LANES * ROWS) + lane * LANE_GAP, row = 0;
    const idx first = place - lane % NEAR * LANE_GAP, last = first + (NEAR - 1) * LANE_GAP + (ROWS - 1) * ROW_GAP;
    if (place >= n_l) continue;
    const int inside = first + o_l >= WIDTH - 1 && last + o_l < n_l;
#else
    const idx place = tile * LANES + lane, row = (strip * DEEP + thread / LANES) * ROWS;
    const idx first = place - lane % NEAR, last = first + (NEAR - 1);
    const idx high = strip * (DEEP * ROWS), low = high + (DEEP * ROWS - 1);
    if (place >= n_l || row >= n_m) continue;
    const int inside = first + o_l >= WIDTH - 1 && last + o_l < n_l
        && high + o_m >= M_BLOCKS * HEIGHT - 1 && low + o_m < n_m;
#endif
    const idx column = place + o_l, begin = part * planes, end = begin + planes < n_a ? begin + planes : n_a;
    elem sums[DEPTH * ROWS];
    UNROLL for (int k = 0; k < DEPTH * ROWS; k++) sums[k] = e_zero();
    for (idx plane = begin - (DEPTH - 1); plane < end; plane++) {
#if STRAIGHT
      const idx from_a = plane + o_a, from_m = row + o_m - (HEIGHT - 1);
      if (from_a >= 0 && from_a < n_a) {
        const GLOBAL elem* from = x0 + (x0_OTHER + from_a * x_a + from_m * x_m + column * X_STEP);
  #if ALONG_LANES
        elem x[ROWS + WIDTH - 1];
        LOAD(ROWS + WIDTH - 1, WIDTH - 1)
        UNROLL for (int k = 0; k < WIDTH; k++) ADD_TAPS(WIDTH - 1 - k, 0, k)
  #else
        u32 rows = 0;
        UNROLL for (int j = 0; j < REACH; j++) {
          if (from_m + j >= 0 && from_m + j < n_m) rows |= 1u << j;
        }
        UNROLL for (int k = 0; k < WIDTH; k++) {
          elem x[REACH];
          LOAD(REACH, k)
          UNROLL for (int t = 0; t < HEIGHT; t++) ADD_TAPS(HEIGHT - 1 - t, t, k)
        }
  #endif
      }
#else
      for (int a = 0; a < A_BLOCKS; a++) {
        const idx from_a = plane + o_a - a * DEPTH;
        if (from_a < 0 || from_a >= n_a) continue;
        EXTRA_BEGIN
        for (int b = 0; b < M_BLOCKS; b++) {
          const idx from_m = row + o_m - (HEIGHT - 1) - b * HEIGHT;
          const TAPS quad* block = taps + ((a * EXTRAS + EXTRA_AT) * M_BLOCKS + b) * BLOCK;
          const GLOBAL elem* from = x0 + (x0_OTHER + EXTRA_PLACE + from_a * x_a + from_m * x_m + column * X_STEP);
          if (inside) {
            UNROLL_WIDTH for (int k = 0; k < WIDTH; k++) ADD_COLUMN(ALWAYS, k)
          } else {
            u32 rows = 0;
            UNROLL for (int j = 0; j < REACH; j++) {
              if (from_m + j >= 0 && from_m + j < n_m) rows |= 1u << j;
            }
            ONE_BY_ONE for (int k = 0; k < WIDTH; k++) ADD_COLUMN(IS_THERE, k)
          }
        }
        EXTRA_END
      }
#endif
      if (plane >= begin) {
        GLOBAL elem* const first_of = y + (y_OTHER + plane * y_a + row * y_m + place * y_l);
        UNROLL for (int r = 0; r < ROWS; r++) {
#if ALONG_LANES
          GLOBAL elem* to = first_of + r * ROW_GAP * y_l;
          if (inside || place + r * ROW_GAP < n_l) *to = EXPRESSION(IN_SUM);
#else
          GLOBAL elem* to = first_of + r * y_m;
          if (inside || row + r < n_m) *to = EXPRESSION(IN_SUM);
#endif
        }
      }
      UNROLL for (int k = 0; k < (DEPTH - 1) * ROWS; k++) sums[k] = sums[k + ROWS];
      UNROLL for (int r = 0; r < ROWS; r++) sums[(DEPTH - 1) * ROWS + r] = e_zero();
    }
  }
}

/* y = EXPRESSION(sum of the entries of a row times the columns of x0 that they name, y), where rows name columns far apart.

   A cache hands out 32 bytes for each number that stands alone; local memory hands out any 32 numbers within a few cycles. So
   columns are taken there, a segment at a time. A group takes a block of rows through all segments, and in each a thread a row of a
   slice: the tables are read as they lie. Sums are made in the order of segments, and of a row's entries within one, every second
   group of places apart. There is one index of the other axes. Before this text stand what is before gather.cl.h and
     SEGMENT            columns of a segment, and SPARE how much farther the sums lie: both multiples of W
     W, WIDE_ALIGN      columns that one access loads, more than one if they lie side by side, and its alignment in bytes
     AT_ONCE            accesses of a thread that are on their way together
     BLOCK              rows of a block
     LANES              rows of a slice
     TOGETHER           places of a row that lie side by side, and WEIGHTS_ALIGN the alignment of their weights in bytes
     THREADS            threads of a group, a multiple of LANES, and RESIDENT how many groups a processor is to hold
     LARGE              1 if local memory is more than a compiler gives
   Of each slice of each tile (block by segment) `starts` has the first group of places. `order` has the rows of a tile, within
   their block, in the order of slices. A place that stays empty names the column behind the segment, which is 0. */

#define SLICES (BLOCK / LANES)
#define SEGMENTS ((COLUMNS + (SEGMENT - 1)) / SEGMENT)

typedef struct ALIGNED(WIDE_ALIGN) { elem e[W]; } access;
typedef struct ALIGNED(2 * TOGETHER) { u32 pairs[TOGETHER / 2]; } group_places;
typedef struct ALIGNED(WEIGHTS_ALIGN) { weight w[TOGETHER]; } group_weights;

#define COLUMN_OF(group, k) columns[(group).pairs[(k) / 2] >> (16 * ((k) % 2)) & 0xffffu]
#if WEIGHTED
  #define WEIGHTS(name, at) const group_weights name = ((const GLOBAL group_weights*)factors)[at];
  #define ADD_PLACE(sum, group, by, k) sum = e_add_scaled(sum, (by).w[k], COLUMN_OF(group, k))
#else
  #define WEIGHTS(name, at)
  #define ADD_PLACE(sum, group, by, k) sum = e_add(sum, COLUMN_OF(group, k))
#endif

KERNEL_OF(THREADS, 1, RESIDENT) gather_segments(PARAMETERS) {
  AFTER_EARLIER_KERNELS
#if LARGE
  LARGE_LOCAL_ARRAY(access, memory, (SEGMENT + SPARE + BLOCK) / W);
#else
  LOCAL_ARRAY(access, memory, (SEGMENT + SPARE + BLOCK) / W);
#endif
  LOCAL elem* const columns = (LOCAL elem*)memory;
  LOCAL elem* const sums = columns + (SEGMENT + SPARE);
  PROLOGUE
  const int thread = LID(0), lane = thread % LANES;
  const idx from_y = 0, i0 = 0;
  for (idx block = (idx)GRP(0); block * BLOCK < ROWS; block += (idx)NGRP(0)) {
    for (int row = thread; row < BLOCK; row += THREADS) sums[row] = e_zero();
    /* Where this tile begins and the next one: known before it is asked for. */
    int from = starts[(i64)block * SEGMENTS * SLICES], to = starts[((i64)block * SEGMENTS + 1) * SLICES];
    for (int segment = 0; segment < SEGMENTS; segment++) {
      const i64 tile = (i64)block * SEGMENTS + segment;
      const int is_empty = from == to;
      from = to;
      if (segment + 1 < SEGMENTS) to = starts[(tile + 2) * SLICES];
      if (is_empty) continue;
      const idx first = (idx)segment * SEGMENT;
      const int count = COLUMNS - first < SEGMENT ? (int)(COLUMNS - first) : SEGMENT, whole = count / W;
      BARRIER();
      for (int at = thread; at < whole; at += AT_ONCE * THREADS) {
        access loaded[AT_ONCE];
        UNROLL for (int m = 0; m < AT_ONCE; m++) {
          const int k = at + m * THREADS;
          if (k < whole) {
#if W > 1
            loaded[m] = *(const GLOBAL access*)(x0 + (first + k * W));
#else
            COLUMN_SPLIT(first + k)
            loaded[m].e[0] = x0[x0_COLUMN];
#endif
          }
        }
        UNROLL for (int m = 0; m < AT_ONCE; m++) {
          if (at + m * THREADS < whole) memory[at + m * THREADS] = loaded[m];
        }
      }
#if W > 1
      for (int at = whole * W + thread; at < count; at += THREADS) columns[at] = x0[first + at];
#endif
      if (thread == 0) columns[SEGMENT] = e_zero();
      BARRIER();
      for (int slice = thread / LANES; slice < SLICES; slice += THREADS / LANES) {
        const i64 at = tile * SLICES + slice;
        const int row = order[at * LANES + lane];
        i64 place = (i64)starts[at] * LANES + lane;
        const i64 end = (i64)starts[at + 1] * LANES;
        elem even = e_zero(), odd = e_zero();
        for (; place + LANES < end; place += 2 * LANES) {
          const group_places one = places[place], other = places[place + LANES];
          WEIGHTS(by_one, place)
          WEIGHTS(by_other, place + LANES)
          UNROLL for (int k = 0; k < TOGETHER; k++) {
            ADD_PLACE(even, one, by_one, k);
            ADD_PLACE(odd, other, by_other, k);
          }
        }
        if (place < end) {
          const group_places one = places[place];
          WEIGHTS(by_one, place)
          UNROLL for (int k = 0; k < TOGETHER; k++) ADD_PLACE(even, one, by_one, k);
        }
        sums[row] = e_add(sums[row], e_add(even, odd));
      }
    }
    BARRIER();
    for (int at = thread; at < BLOCK; at += THREADS) {
      const idx row = block * BLOCK + at;
      if (row < ROWS) {
        run sum;
        sum.e[0] = sums[at];
        STORE_ROW(row)
      }
    }
    BARRIER();
  }
}

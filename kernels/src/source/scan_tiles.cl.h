/* y = EXPRESSION(running sums of x0, y) along lines, tile by tile.

   P threads take a tile of P * E elements of a line, and a group as many tiles as it has lines. It goes along these to their ends;
   with ACROSS_GROUPS each group takes one tile of each. Before this text stand the parameters and
     LINES, LINE_SPLIT(z), x0_LINE, y_LINE        lines and their places
     n, x0_s, y_s                                 the line's elements, and strides
     x0_first, y_first                            indices of the first elements that are there
     SCAN                                         the kernel's name
     THREAD_PLACE, TILE_ARRAYS, LINE_BEGIN        what a thread, a group, a line need: p and q, the thread's place in its line and the
                                                  line's in the group
     ORIGIN                                       what is kept of places before they are added to pointers
     TILE_LOAD(t), TILE_TAKE(t), TILE_STORE(t)    loads elements of a tile, makes them `own`, stores `own`
     TILE_NEXT(t)                                 has those of the tile after t, where TILE_TAKE(t) has begun to load them
     FIRST_HERE(t)                                which of `own` is x[0], -1 if none
     BEFORE                                       elements that the first tile may have before its line */

#define TILE (P * E)
/* Barriers between threads that share lines. */
#if P == 1 && !ACROSS_GROUPS
  #define TILE_BARRIER()
#else
  #define TILE_BARRIER() BARRIER()
#endif
#if ACROSS_GROUPS
  #define WORDS_OF_TILES(count) ((i64)band * (count) * COLUMNS * PARTS)
  #define BACK_ARRAYS                                                             \
    LOCAL_ARRAY(total, parts, WAYS * BUNCH * COLUMNS);                            \
    LOCAL_ARRAY(total, found, WAYS * COLUMNS);                                    \
    LOCAL_ARRAY(int, ready, WAYS * COLUMNS);                                      \
    LOCAL_ARRAY(u32, shared, 4);
  /* The group's only tile is that of its turn. */
  #define FOR_BANDS                                                               \
    const i64 groups = (i64)bands * tiles, heads = (tiles + BUNCH - 1) / BUNCH + 1; \
    const turn mine = turn_take(states, half_words, groups, shared, thread);      \
    const idx band = (idx)(mine.ticket % bands);                                  \
    const idx first_tile = (idx)(mine.ticket / bands), last_tile = first_tile;
  /* Leaves the sum of the tile, and looks for that before it. */
  #define LOOK(t)                                                                 \
    volatile GLOBAL word* left = mine.words + WORDS_OF_TILES(tiles);              \
    volatile GLOBAL word* sums_left = mine.words + groups * COLUMNS * PARTS + WORDS_OF_TILES(heads); \
    if (p == 0) total_leave(left + ((i64)(t) * COLUMNS + q) * PARTS, all);        \
    carry = look_back(left, sums_left, t, all, parts, found, ready, thread);
  #define TURN_END turn_end(states, (groups + (i64)bands * heads) * COLUMNS * PARTS, groups, thread);
#else
  #define BACK_ARRAYS
  #define FOR_BANDS                                                               \
    const idx first_tile = 0, last_tile = tiles - 1;                              \
    for (idx band = (idx)GRP(0); band < bands; band += (idx)NGRP(0))
  #define LOOK(t)
  #define TURN_END
#endif
#ifndef TILE_NEXT
  #define TILE_NEXT(t) if ((t) < last_tile) { TILE_LOAD((t) + 1) }
#endif

KERNEL_OF(THREADS, 1, RESIDENT) SCAN(PARAMETERS) {
  AFTER_EARLIER_KERNELS
  TILE_ARRAYS
  LOCAL_ARRAY(total, sums, SUMS);
  LOCAL_ARRAY(total, blocks, THREADS / BLOCK);
  BACK_ARRAYS
  ORIGIN
  PROLOGUE
  const int thread = LID(0);
  THREAD_PLACE
  const idx tiles = (n + BEFORE + (TILE - 1)) / TILE, bands = (LINES + (COLUMNS - 1)) / COLUMNS;
  FOR_BANDS {
    const int there = band * COLUMNS + q < LINES;
    const idx line = there ? band * COLUMNS + q : 0;
    LINE_SPLIT(line)
    const GLOBAL cell* from = x0 + (x0_LINE);
    GLOBAL cell* to = y + (y_LINE);
    LINE_BEGIN
    total carry = t_zero();
    TILE_LOAD(first_tile)
    for (idx t = first_tile; t <= last_tile; t++) {
      TILE_TAKE(t)
      const int first = FIRST_HERE(t);
      elem result = e_zero();
#if !BACKWARD
      if (first >= 0) result = first_taken(own, first, corner, coupling);
#endif
      total before, all;
      group_scan(sums, blocks, q, p, t_of(sum_all(own)), &before, &all);
      LOOK(t)
      before = t_add(carry, before);
#if BACKWARD
      if (first >= 0) result = first_result(own, first, before, corner, coupling);
#endif
      finish_all(own, before, diagonal);
      if (first >= 0) first_put(own, first, result);
      TILE_STORE(t)
      carry = t_add(carry, all);
      TILE_NEXT(t)
      TILE_BARRIER();
    }
  }
  TURN_END
}

/* y = EXPRESSION(running sums of x0, y) along an axis whose elements are apart: neighbours are those of other lines.

   COLUMNS threads take neighbouring lines, P of each E rows of a tile of P * E. With AHEAD threads load those of the next tile
   before they store these. All else as in scan_along.cl.h. */

#define TILE (P * E)
#define IN_SUM(name) IN_SUM_##name
#define IN_SUM_x0 own[e]
#define IN_SUM_y old
#if READS_Y
  #define OLD const elem old = *at;
#else
  #define OLD
#endif
#if BACKWARD
  #define ROW(k) (n - 1 - (k))
#else
  #define ROW(k) (k)
#endif
#define LOAD(own, t)                                                                   \
  UNROLL for (int e = 0; e < E; e++) {                                            \
    const idx i = ROW(((t) * P + p) * E + e);                                     \
    own[e] = e_zero();                                                            \
    if (there && i < n && i >= x0_first) own[e] = from[(i - x0_first) * x0_s];    \
  }

KERNEL_OF(THREADS, 1, RESIDENT) scan_across(PARAMETERS) {
  LOCAL_ARRAY(total, sums, SUMS);
  LOCAL_ARRAY(total, blocks, THREADS / BLOCK);
#if ACROSS_GROUPS
  LOCAL_ARRAY(total, parts, WAYS * BUNCH * COLUMNS);
  LOCAL_ARRAY(total, found, WAYS * COLUMNS);
  LOCAL_ARRAY(int, ready, WAYS * COLUMNS);
  LOCAL_ARRAY(u32, shared, 4);
#endif
  PROLOGUE
  const int thread = LID(0), q = thread % COLUMNS, p = thread / COLUMNS;
  const idx tiles = (n + (TILE - 1)) / TILE, bands = (LINES + (COLUMNS - 1)) / COLUMNS;
#if ACROSS_GROUPS
  const i64 groups = (i64)bands * tiles, heads = (tiles + BUNCH - 1) / BUNCH + 1;
  const turn mine = turn_take(states, half_words, groups, shared, thread);
  const idx band = (idx)(mine.ticket % bands), first_tile = (idx)(mine.ticket / bands), last_tile = first_tile;
  {
#else
  for (idx band = (idx)GRP(0); band < bands; band += (idx)NGRP(0)) {
    const idx first_tile = 0, last_tile = tiles - 1;
#endif
    const int there = band * COLUMNS + q < LINES;
    const idx line = there ? band * COLUMNS + q : 0;
    LINE_SPLIT(line)
    const GLOBAL elem* from = x0 + (x0_LINE);
    GLOBAL elem* to = y + (y_LINE);
    total carry = t_zero();
    elem own[E];
    LOAD(own, first_tile)
    for (idx t = first_tile; t <= last_tile; t++) {
      const idx row = (t * P + p) * E;
#if AHEAD
      elem next[E];
      LOAD(next, t + 1)
#endif
#if BACKWARD
      const int first = n - 1 - row < E ? (int)(n - 1 - row) : -1;
#else
      const int first = row == 0 ? 0 : -1;
#endif
      total before, all;
      group_scan(sums, blocks, q, p, t_of(share_all(own, first, coupling)), &before, &all);
#if ACROSS_GROUPS
      volatile GLOBAL word* left = mine.words + (i64)band * tiles * COLUMNS * PARTS;
      volatile GLOBAL word* sums_left = mine.words + (groups + (i64)band * heads) * COLUMNS * PARTS;
      if (p == 0) total_leave(left + ((i64)t * COLUMNS + q) * PARTS, all);
      carry = look_back(left, sums_left, t, all, parts, found, ready, thread);
#endif
      finish_all(own, first, t_add(carry, before), diagonal, corner, coupling);
      UNROLL for (int e = 0; e < E; e++) {
        const idx i = ROW(row + e);
        if (there && i < n && i >= y_first) {
          GLOBAL elem* at = to + (i - y_first) * y_s;
          OLD
          *at = EXPRESSION(IN_SUM);
        }
      }
      carry = t_add(carry, all);
#if AHEAD
      UNROLL for (int e = 0; e < E; e++) own[e] = next[e];
#elif !ACROSS_GROUPS
      if (t < last_tile) { LOAD(own, t + 1) }
#endif
      BARRIER();
    }
  }
#if ACROSS_GROUPS
  turn_end(states, (groups + (i64)bands * heads) * COLUMNS * PARTS, groups, thread);
#endif
}

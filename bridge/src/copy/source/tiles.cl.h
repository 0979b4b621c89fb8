/* y = CONVERT(x0) where y is contiguous along axis 0 and x0 along axis 1.

   A group carries a tile through local memory, so that it reads and writes consecutive elements: TILE_X of them along axis 1, and
   TILE_Y along axis 0, where every row of y begins its part with a whole GRANULE of memory, wherever the row begins. For this the
   tile has GRANULE - 1 rows of x0 more. PAD elements more in a row of the tile spread its columns over the memory's banks. ONCE is 1
   if there is a group for every tile. Parameters and index space stand before this text; BEGIN and END are what a thread does
   first and last. */

#define ROWS     (TILE_Y + GRANULE - 1)
#define PITCH    (TILE_X + PAD)
#define READERS  (THREADS / TILE_X)
#define WRITTEN  (TILE_X * TILE_Y / THREADS)

KERNEL tiles(PARAMETERS) {
  AFTER_EARLIER_KERNELS
  LOCAL_ARRAY(from_t, tile, ROWS * PITCH);
  PROLOGUE
  BEGIN
  const idx tiles0 = (n0 + TILE_Y + GRANULE - 2) / TILE_Y, turn = (idx)GRP(0);
  const idx at0 = turn % tiles0, begin0 = at0 * TILE_Y, first0 = begin0 - (GRANULE - 1), first1 = turn / tiles0 * TILE_X;
  const int lane = LID(0) % TILE_X, reader = LID(0) / TILE_X;
#if ONCE
  const idx z = (idx)GRP(1);
  {
#else
  for (idx z = (idx)GRP(1); z < OUTER; z += (idx)NGRP(1)) {
#endif
    SPLIT(z)
    if (first0 >= 0 && first0 + ROWS <= n0 && first1 + TILE_X <= n1) {
      const idx i1 = first1 + lane;
      const GLOBAL from_t* const from = x0 + (x0_ROW + (first0 + reader) * x0_s0);
      UNROLL for (int k = 0; k < (ROWS + READERS - 1) / READERS; k++) {
        if (ROWS % READERS == 0 || reader + k * READERS < ROWS) {
          tile[(reader + k * READERS) * PITCH + lane] = run_load(from + k * READERS * x0_s0).e[0];
        }
      }
    } else {
      const idx i1 = first1 + lane;
      for (int k = reader; k < ROWS; k += READERS) {
        const idx i0 = first0 + k;
        if (i0 >= 0 && i0 < n0 && i1 < n1) tile[k * PITCH + lane] = run_load(x0 + (x0_ROW + i0 * x0_s0)).e[0];
      }
    }
    BARRIER();
    UNROLL for (int k = 0; k < WRITTEN; k++) {
      const int at = LID(0) + k * THREADS, column = at / TILE_Y, row = at % TILE_Y;
      const idx i1 = first1 + column;
      const idx line = y_ROW;
      /* Elements of the part that lie before its first granule belong to the tile before. */
      const int over = (int)(y_at + line + begin0) & (GRANULE - 1);
      const idx i0 = begin0 - over + row;
      if (i0 >= 0 && i0 < n0 && i1 < n1) {
        to_run given;
        given.e[0] = CONVERT(tile[(GRANULE - 1 - over + row) * PITCH + column]);
        run_store(y + (line + i0 * y_s0), given);
      }
    }
#if !ONCE
    BARRIER();
#endif
  }
  END
}

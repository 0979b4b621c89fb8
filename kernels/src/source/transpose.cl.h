/* y = EXPRESSION(x0, y) where y is contiguous along axis 0 and x0 along axis 1.

   A group carries tiles through local memory, so that it reads and writes consecutive elements. The extra column
   spreads a tile's columns over the memory's banks. Parameters and index space stand before this text. */

#define TILE 32
#define TILE_ROWS 8
#define IN_TILE(name) IN_TILE_##name
#define IN_TILE_x0 tile[LID(0) * (TILE + 1) + k]
#define IN_TILE_y run_load(y + (y_ROW + i0 * y_s0)).e[0]

KERNEL transpose(PARAMETERS) {
  AFTER_EARLIER_KERNELS
  LOCAL_ARRAY(elem, tile, TILE * (TILE + 1));
  PROLOGUE
  for (idx z = (idx)GRP(2); z < OUTER; z += (idx)NGRP(2)) {
    SPLIT(z)
    for (idx first1 = (idx)GRP(1) * TILE; first1 < n1; first1 += (idx)NGRP(1) * TILE) {
      for (idx first0 = (idx)GRP(0) * TILE; first0 < n0; first0 += (idx)NGRP(0) * TILE) {
        UNROLL for (int turn = 0; turn < TILE / TILE_ROWS; turn++) {
          const int k = LID(1) + turn * TILE_ROWS;
          const idx i0 = first0 + k, i1 = first1 + LID(0);
          if (i0 < n0 && i1 < n1) tile[k * (TILE + 1) + LID(0)] = run_load(x0 + (x0_ROW + i0 * x0_s0)).e[0];
        }
        BARRIER();
        UNROLL for (int turn = 0; turn < TILE / TILE_ROWS; turn++) {
          const int k = LID(1) + turn * TILE_ROWS;
          const idx i0 = first0 + LID(0), i1 = first1 + k;
          if (i0 < n0 && i1 < n1) {
            run result;
            result.e[0] = EXPRESSION(IN_TILE);
            run_store(y + (y_ROW + i0 * y_s0), result);
          }
        }
        BARRIER();
      }
    }
  }
}

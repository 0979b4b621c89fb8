/* y = x0 for elements of one or two bytes, where y is contiguous along axis 0 and x0 along axis 1, one element after the other.

   As tiles.cl.h, but a thread reads and writes words of M elements, wherever rows begin: what it reads is put together of the two
   words of memory it lies in, and rows of y begin their parts with a whole GRANULE, some words. ACROSS words of a row of y are
   written by neighbouring threads, which are spread over columns beside. Before this text stand the parameters, the index space
   and
     M             elements of a word, which has 8 bytes
     low, high     places of x0, from its first element on, between which all of the array lies: no others are read */

typedef u64 word_t;

#define ROWS    (TILE_Y + GRANULE - 1)
#define PITCH   (TILE_X + M)
#define BITS    (8 * FROM_BYTES)
#define LANES   (TILE_X / M)
#define READERS (THREADS / LANES)
#define BESIDE  (32 / ACROSS)
#define GROUPS0 (TILE_Y / M / ACROSS)
#define GROUPS1 (TILE_X / BESIDE)

KERNEL words(PARAMETERS) {
  AFTER_EARLIER_KERNELS
  LOCAL_ARRAY(word_t, room, (ROWS * PITCH + M - 1) / M);
  LOCAL from_t* const tile = (LOCAL from_t*)room;
  PROLOGUE
  const idx tiles0 = (n0 + TILE_Y + GRANULE - 2) / TILE_Y, turn = (idx)GRP(0);
  const idx at0 = turn % tiles0, begin0 = at0 * TILE_Y, first0 = begin0 - (GRANULE - 1), first1 = turn / tiles0 * TILE_X;
  const int lane = LID(0) % LANES, reader = LID(0) / LANES;
  const int at_x = (int)((u64)x0 / FROM_BYTES) & (M - 1), at_y = (int)((u64)y / FROM_BYTES) & (GRANULE - 1);
#if ONCE
  const idx z = (idx)GRP(1);
  {
#else
  for (idx z = (idx)GRP(1); z < OUTER; z += (idx)NGRP(1)) {
#endif
    SPLIT(z)
    {
      const idx i1 = first1 + lane * M;
      const idx row = x0_ROW;
      UNROLL for (int k = 0; k < (ROWS + READERS - 1) / READERS; k++) {
        const int r = reader + k * READERS;
        const idx i0 = first0 + r, a = row + i0 * x0_s0;
        if (r < ROWS && i0 >= 0 && i0 < n0 && i1 < n1) {
          const int over = (int)(at_x + a) & (M - 1);
          const idx begin = a - over;
          word_t word = 0;
          if (begin >= low && begin + 2 * M <= high) {
            const GLOBAL word_t* const from = (const GLOBAL word_t*)(x0 + begin);
            word = from[0];
            if (over) word = (word_t)(word >> (over * BITS)) | (word_t)(from[1] << ((M - over) * BITS));
          } else {
            UNROLL for (int e = 0; e < M; e++) {
              if (a + e < high) word |= (word_t)x0[a + e] << (e * BITS);
            }
          }
          *(LOCAL word_t*)(tile + r * PITCH + lane * M) = word;
        }
      }
    }
    BARRIER();
    for (int group = LID(0) / 32; group < GROUPS0 * GROUPS1; group += THREADS / 32) {
      const int at = group % GROUPS0 * ACROSS + LID(0) % ACROSS;
      const int column = group / GROUPS0 * BESIDE + LID(0) % 32 / ACROSS;
      const idx i1 = first1 + column;
      if (i1 < n1) {
        const idx line = y_ROW;
        const int over = (int)(at_y + line + begin0) & (GRANULE - 1);
        const idx i0 = begin0 - over + at * M;
        const LOCAL from_t* const from = tile + (GRANULE - 1 - over + at * M) * PITCH + column;
        if (i0 >= 0 && i0 + M <= n0) {
          word_t word = 0;
          UNROLL for (int e = 0; e < M; e++) word |= (word_t)from[e * PITCH] << (e * BITS);
          *(GLOBAL word_t*)(y + line + i0) = word;
        } else {
          UNROLL for (int e = 0; e < M; e++) {
            if (i0 + e >= 0 && i0 + e < n0) y[line + i0 + e] = from[e * PITCH];
          }
        }
      }
    }
#if !ONCE
    BARRIER();
#endif
  }
}

/* y = EXPRESSION(what a row names, y), where no row or column has two entries, later rows have theirs in later columns, and all
   are 1. A bit for each index of the longer side says whether it has an entry.

   Neighbouring threads take neighbouring indices of that side, those of a word side by side: the index of the other side is the
   number of marks before it. All loads of a thread come before its first store. Before this text stand what is before
   gather.cl.h, for one index of the other axes, and
     PICKS     1 if columns are marked, 0 if rows are
     WORD      indices of a word
     AT_ONCE   words of a thread */

typedef struct ALIGNED(8) { u32 bits; u32 before; } marked;

KERNEL gather_marked(PARAMETERS) {
  AFTER_EARLIER_KERNELS
  PROLOGUE
  const idx i0 = 0, from_x0 = 0, from_y = 0;
#if PICKS
  const idx words = (COLUMNS + WORD - 1) / WORD;
#else
  const idx words = (ROWS + WORD - 1) / WORD;
#endif
  const int lane = LID(0) % WORD;
  const idx first = (idx)GID(0) / WORD * AT_ONCE;
  marked own[AT_ONCE];
  UNROLL for (int k = 0; k < AT_ONCE; k++) {
    own[k].bits = 0u;
    own[k].before = 0u;
    if (first + k < words) own[k] = marks[first + k];
  }
  run parts[AT_ONCE];
  idx rows[AT_ONCE];
  UNROLL for (int k = 0; k < AT_ONCE; k++) {
    const int is_marked = (int)(own[k].bits >> lane) & 1;
    const idx index = (first + k) * WORD + lane;
    const idx other = (idx)own[k].before + POPCOUNT32(own[k].bits & ((1u << lane) - 1u));
#if PICKS
    rows[k] = is_marked ? other : -1;
    if (is_marked) LOAD_COLUMN(parts[k], index)
#else
    rows[k] = index < ROWS ? index : -1;
    parts[k] = run_zero();
    if (is_marked) LOAD_COLUMN(parts[k], other)
#endif
  }
  UNROLL for (int k = 0; k < AT_ONCE; k++) {
    if (rows[k] >= 0) {
      const run sum = parts[k];
      STORE_ROW(rows[k])
    }
  }
}

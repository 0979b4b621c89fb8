/* What arrays of reductions hold, where that is 16 bits of each element: runs are runs of those, and become elements one by one as
   they are added up. Elements may have 64 bits.
   STORED      1: Float16, 2: BFloat16
   CELL_ALIGN  the alignment of V of them in bytes */
typedef unsigned short cell;
typedef struct ALIGNED(CELL_ALIGN) { cell e[V]; } cells;
#if STORED == 1
FN float cell_number(cell a) { return half_value(a); }
FN cell cell_rounded(float a) { return half_bits(a); }
#else
FN float cell_number(cell a) { return AS_F32((u32)a << 16); }
FN cell cell_rounded(float a) {
  const u32 bits = AS_U32(a);
  if (a != a) return (cell)(bits >> 16 | 0x40u);
  return (cell)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
#endif
FN cells cells_load(const GLOBAL cell* p) { return *(const GLOBAL cells*)p; }
FN cells cells_repeat(const GLOBAL cell* p) {
  const cell a = *p;
  cells r;
  UNROLL for (int k = 0; k < V; k++) r.e[k] = a;
  return r;
}
/* Also in what x0_LOAD stands for. */
#define run cells
#define run_load cells_load
#define run_repeat cells_repeat
#define e_item(a) ((elem)cell_number(a))

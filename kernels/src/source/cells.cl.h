/* What arrays hold: elements, or 16 bits of each.
   STORED      0: elements, 1: Float16, 2: BFloat16
   CELL_ALIGN  the alignment of V of them in bytes */
#if STORED == 0
typedef elem cell;
FN elem cell_value(cell a) { return a; }
FN cell cell_of(elem a) { return a; }
#else
typedef unsigned short cell;
typedef struct ALIGNED(CELL_ALIGN) { cell e[V]; } cells;
  #if STORED == 1
FN elem cell_value(cell a) { return half_value(a); }
FN cell cell_of(elem a) { return half_bits(a); }
  #else
FN elem cell_value(cell a) { return AS_F32((u32)a << 16); }
FN cell cell_of(elem a) {
  const u32 bits = AS_U32(a);
  if (a != a) return (cell)(bits >> 16 | 0x40u);
  return (cell)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
  #endif
FN run cells_load(const GLOBAL cell* p) {
  const cells a = *(const GLOBAL cells*)p;
  run r;
  UNROLL for (int k = 0; k < V; k++) r.e[k] = cell_value(a.e[k]);
  return r;
}
FN run cells_repeat(const GLOBAL cell* p) {
  const elem a = cell_value(*p);
  run r;
  UNROLL for (int k = 0; k < V; k++) r.e[k] = a;
  return r;
}
FN void cells_store(GLOBAL cell* p, run a) {
  cells r;
  UNROLL for (int k = 0; k < V; k++) r.e[k] = cell_of(a.e[k]);
  *(GLOBAL cells*)p = r;
}
  /* Also in what x0_LOAD stands for. */
  #define run_load cells_load
  #define run_repeat cells_repeat
  #define run_store cells_store
#endif

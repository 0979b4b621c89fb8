/* Elements by their bits, and runs of consecutive elements that move in one access.

   Before this text stand the device's dialect and
     FROM_BYTES, TO_BYTES   bytes of an element that is read, and of one that is written: 1, 2, 4, 8 or 16
     WIDE                   1 if places do not fit 32 bits
     V, FROM_ALIGN, ALIGN   elements of a run, and the alignment in bytes of one read and one written */

#if WIDE
typedef i64 idx;
#else
typedef int idx;
#endif

typedef unsigned char raw1;
typedef unsigned short raw2;
typedef u32 raw4;
typedef u64 raw8;
typedef struct { u64 low; u64 high; } raw16;

#define RAW_(bytes) raw##bytes
#define RAW(bytes)  RAW_(bytes)
typedef RAW(FROM_BYTES) from_t;
typedef RAW(TO_BYTES) to_t;

typedef struct ALIGNED(FROM_ALIGN) { from_t e[V]; } from_run;
typedef struct ALIGNED(ALIGN) { to_t e[V]; } to_run;

FN from_run run_load(const GLOBAL from_t* p) { return *(const GLOBAL from_run*)p; }
FN from_run run_repeat(const GLOBAL from_t* p) {
  const from_t a = *p;
  from_run r;
  UNROLL for (int k = 0; k < V; k++) r.e[k] = a;
  return r;
}
FN void run_store(GLOBAL to_t* p, to_run a) { *(GLOBAL to_run*)p = a; }

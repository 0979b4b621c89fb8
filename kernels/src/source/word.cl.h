/* Words that groups of one kernel leave for each other: numbers of the type of accumulators, each moved whole. A word is empty until it
   is left, and is left once: whoever finds it there has the number, and no order of other accesses depends on it. */

#if defined(DEVICE_HAS_F64)
typedef u64 word;
  #define WORD(a)  AS_U64(a)
  #define VALUE(w) AS_F64(w)
  #define WORD_LOAD(p) LOAD_U64(p)
  #define WORD_STORE(p, w) STORE_U64(p, w)
  #define EMPTY    0xfffffffffffffffful
  #define A_NAN    0x7ff8000000000000ul
#else
typedef u32 word;
  #define WORD(a)  AS_U32(a)
  #define VALUE(w) AS_F32(w)
  #define WORD_LOAD(p) LOAD_U32(p)
  #define WORD_STORE(p, w) STORE_U32(p, w)
  #define EMPTY    0xffffffffu
  #define A_NAN    0x7fc00000u
#endif

FN word as_word(accum a) { return a != a ? (word)A_NAN : WORD(a); }

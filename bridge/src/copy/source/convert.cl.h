/* An element of one dtype from one of another, part by part.

     FROM_PARTS, TO_PARTS   2: complex, 1: not */

#if SCALED
/* v becomes to + (v half - offset) factor, where half keeps the difference finite. */
typedef struct { double prescale; double offset; double factor; double to; } affine;

FN double wide_value(from_part x) {
  #if FROM_KIND == 0
  return x != 0;
  #elif FROM_KIND < 3
  return (double)(from_number)x;
  #elif FROM_PART > 1
  double v;
  value(x, &v);
  return v;
  #else
  const number n = decode(x);
  if (n.kind == NOT_A_NUMBER) return AS_F64((u64)0x7ff8000000000000ul);
  const double size = n.kind == INFINITE ? AS_F64((u64)0x7ff0000000000000ul)
    : (double)(int)n.magnitude * AS_F64((u64)(n.exponent + 1023) << 52);
  return n.negative ? -size : size;
  #endif
}

FN number decode_wide(double v) {
  const u64 bits = AS_U64(v), fraction = bits & (((u64)1 << 52) - 1);
  const int exponent = (int)(bits >> 52) & 2047;
  number n;
  n.negative = (int)(bits >> 63);
  n.kind = exponent < 2047 ? FINITE : fraction == 0 ? INFINITE : NOT_A_NUMBER;
  n.magnitude = fraction | ((u64)(exponent != 0) << 52);
  n.exponent = (exponent > 1 ? exponent : 1) - 1075;
  return n;
}

FN to_part convert_part(from_part x, const affine scale, int* failed) {
  #if FROM_KIND == 0
  if (x > 1) *failed = 1;
  #endif
  double v = wide_value(x);
  to_part y;
  if ((AS_U64(v) & (~(u64)0 >> 1)) < (u64)0x7ff0000000000000ul) {
    v = fma(v * scale.prescale - scale.offset, scale.factor, scale.to);
    if (code(v, &y)) return y;
  } else if (scale.factor < 0) {
    v = -v;
  }
  return encode(decode_wide(v), failed);
}

  #define CONVERT_PART(x) convert_part((from_part)(x), scale, &failed)
#else

FN to_part convert_part(from_part x, int* failed) {
  #if FROM_KIND < 3 && FROM_PART == 8 && TO_KIND == 3 && OVERFLOW != 0 && TO_PART == 4
  return AS_U32((float)(from_number)x);
  #elif FROM_KIND < 3 && FROM_PART == 8 && TO_KIND == 3 && OVERFLOW != 0 && TO_PART == 8 && defined(DEVICE_HAS_F64)
  return AS_U64((double)(from_number)x);
  #else
    #if MIDDLE != 0 && FROM_KIND != 0 && (FROM_KIND == 3 || TO_KIND == 3)
  middle v;
  to_part y;
  if (value(x, &v) && code(v, &y)) return y;
    #endif
    #if FROM_KIND == 0
  if (x > 1) *failed = 1;
    #endif
  return encode(decode(x), failed);
  #endif
}

  #define CONVERT_PART(x) convert_part((from_part)(x), &failed)
#endif

#if FROM_PARTS == 1
  #define RE(x) x
  #define IM(x) 0
#elif FROM_PART == 8
  #define RE(x) x.low
  #define IM(x) x.high
#else
  #define RE(x) (x & (((from_t)1 << (8 * FROM_PART)) - 1))
  #define IM(x) (x >> (8 * FROM_PART))
#endif

#if SCALED
FN to_t convert(from_t x, const affine scale, int* failed_before) {
#else
FN to_t convert(from_t x, int* failed_before) {
#endif
  int failed = 0;
#if TO_PARTS == 1
  const to_t y = CONVERT_PART(RE(x));
#else
  const to_part re = CONVERT_PART(RE(x));
  #if FROM_PARTS == 1
  const to_part im = 0;
  #else
  const to_part im = CONVERT_PART(IM(x));
  #endif
  #if TO_PART == 8
  to_t y;
  y.low = re;
  y.high = im;
  #else
  const to_t y = (to_t)re | ((to_t)im << (8 * TO_PART));
  #endif
#endif
  *failed_before += failed;
  return y;
}

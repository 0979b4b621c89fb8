/* Numbers between two formats: exact, whatever they are. As copy/cast/number.rs on the host, line by line.

   Before this text stand elements.cl.h and, for FROM_ and TO_ each,
     PARTS                       2: complex, 1: not
     PART                        bytes of a part: 1, 2, 4 or 8
     KIND                        0: truth values, 1: signed integers, 2: unsigned ones, 3: floats
     BITS                        bits of an integer
     EXPONENT, MANTISSA, BIAS    of a float, in bits
     SIGN, MASK                  its sign bit, and the other bits
     LARGEST, INFINITY, NAN_CODE its codes; HAS_INFINITY, HAS_NAN, whether there is one
     ONE_ZERO, SCALE             whether it has no negative zero; whether it has powers of two alone
   and
     WIDE_MAGNITUDE              1 if 32 bits do not suffice for what is between
     OVERFLOW                    0: exact, 1: wrap, 2: saturate
     ROUNDING                    0: nearest even, 1: nearest away, 2: towards zero, 3: down, 4: up */

#if WIDE_MAGNITUDE
typedef u64 mag;
  #define MAG_BITS 64
  #define CLZ(x)   CLZ64(x)
#else
typedef u32 mag;
  #define MAG_BITS 32
  #define CLZ(x)   CLZ32(x)
#endif

typedef RAW(FROM_PART) from_part;
typedef RAW(TO_PART) to_part;

#define FINITE        0
#define INFINITE      1
#define NOT_A_NUMBER  2

/* (-1)^negative magnitude 2^exponent. */
typedef struct { mag magnitude; int exponent; int negative; int kind; } number;

FN number decode(from_part x) {
  number n;
#if FROM_KIND == 3
  const mag code = (mag)(x & FROM_MASK);
  n.negative = (x & FROM_SIGN) != 0;
  n.kind = code <= (mag)FROM_LARGEST ? FINITE
    : FROM_HAS_INFINITY && code == (mag)FROM_INFINITY ? INFINITE : NOT_A_NUMBER;
  #if FROM_ONE_ZERO
  if (n.negative && code == 0) n.kind = NOT_A_NUMBER;
  #endif
  #if FROM_SCALE
  n.magnitude = 1;
  n.exponent = (int)code - FROM_BIAS;
  #else
  const int exponent = (int)(code >> FROM_MANTISSA);
  n.magnitude = (code & (((mag)1 << FROM_MANTISSA) - 1)) | ((mag)(exponent != 0) << FROM_MANTISSA);
  n.exponent = (exponent > 1 ? exponent : 1) - FROM_BIAS - FROM_MANTISSA;
  #endif
#else
  n.kind = FINITE;
  n.exponent = 0;
  #if FROM_KIND == 1
  n.negative = (int)(x >> (FROM_BITS - 1)) & 1;
  n.magnitude = n.negative ? (mag)(from_part)(0 - x) : (mag)x;
  #else
  n.negative = 0;
  n.magnitude = FROM_KIND == 0 ? x != 0 : x;
  #endif
#endif
  return n;
}

#if TO_KIND < 3
  #define TO_ONES (~(u64)0 >> (64 - TO_BITS))

/* Whether a fraction takes the magnitude up; half: how it compares with one half, -1, 0 or 1. */
FN int rounds_up(int negative, int odd, int half_way) {
  #if ROUNDING == 0
  return half_way > 0 || (half_way == 0 && odd);
  #elif ROUNDING == 1
  return half_way >= 0;
  #elif ROUNDING == 2
  return 0;
  #elif ROUNDING == 3
  return negative;
  #else
  return !negative;
  #endif
}

FN u64 with_sign(int negative, u64 whole) { return negative ? 0 - whole : whole; }

FN to_part encode(number n, int* failed) {
  #if TO_KIND == 1
  const u64 limit = (TO_ONES >> 1) + n.negative;
  #else
  const u64 limit = n.negative ? 0 : TO_ONES;
  #endif
  u64 whole;
  int lost = n.kind != FINITE, fraction = 0;
  if (n.exponent >= 0) {
    whole = n.exponent < 64 ? (u64)n.magnitude << n.exponent : 0;
    lost |= (n.exponent < 64 ? whole >> n.exponent : 0) != n.magnitude;
  } else if (n.exponent <= -MAG_BITS) {
    fraction = n.magnitude != 0;
    whole = fraction && rounds_up(n.negative, 0, -1);
  } else {
    const mag down = n.magnitude >> -n.exponent;
    const mag rest = n.magnitude & (((mag)1 << -n.exponent) - 1), middle_way = (mag)1 << (-n.exponent - 1);
    fraction = rest != 0;
    const int half_way = rest > middle_way ? 1 : rest == middle_way ? 0 : -1;
    whole = (u64)down + (u64)(fraction && rounds_up(n.negative, (int)(down & 1), half_way));
  }
  const int out = lost || whole > limit;
  if (out || fraction) *failed = 1;
  #if TO_KIND == 0
  return n.kind != FINITE || n.magnitude != 0;
  #else
  if (n.kind != FINITE) return (to_part)(OVERFLOW == 2 && n.kind == INFINITE ? with_sign(n.negative, limit) : 0);
  return (to_part)with_sign(n.negative, OVERFLOW == 2 && out ? limit : whole);
  #endif
}

#else
  #if WIDE_MAGNITUDE || TO_PART == 8
typedef u64 bits_t;
  #else
typedef u32 bits_t;
  #endif
  #define TO_LEAST (TO_SCALE ? -TO_BIAS : 1 - TO_BIAS)

/* What stands for a number beyond the largest. */
FN to_part beyond(bits_t sign) {
  #if OVERFLOW == 2
  return (to_part)(sign | TO_LARGEST);
  #elif TO_HAS_INFINITY
  return (to_part)(sign | TO_INFINITY);
  #elif TO_HAS_NAN
  return TO_NAN_CODE;
  #else
  return (to_part)(sign | TO_LARGEST);
  #endif
}

FN to_part encode(number n, int* failed) {
  const bits_t sign = n.negative ? (bits_t)TO_SIGN : 0;
  if (n.kind == NOT_A_NUMBER) {
    if (!TO_HAS_NAN) *failed = 1;
    return TO_HAS_NAN ? TO_NAN_CODE : 0;
  }
  #if TO_SCALE
  if (n.negative || n.magnitude == 0) {
    *failed = 1;
    return OVERFLOW == 2 ? 0 : TO_MASK;
  }
  #endif
  if (n.kind == INFINITE) {
    if (TO_HAS_INFINITY) return (to_part)(sign | TO_INFINITY);
    *failed = 1;
    return beyond(sign);
  }
  if (n.magnitude == 0) return (to_part)(TO_ONE_ZERO ? 0 : sign);
  const int top = MAG_BITS - 1 - CLZ(n.magnitude);
  const int base = top + n.exponent > TO_LEAST ? top + n.exponent : TO_LEAST;
  const int shift = base - TO_MANTISSA - n.exponent;
  bits_t code = ((bits_t)(base - TO_LEAST) << TO_MANTISSA) - TO_SCALE;
  int inexact = 0;
  if (shift <= 0) {
    code += (bits_t)n.magnitude << -shift;
  } else if (shift > top + 1) {
    /* Less than half of the least number. */
    if (TO_SCALE) code = 0;
    inexact = 1;
  } else {
    const mag whole = shift < MAG_BITS ? n.magnitude >> shift : 0;
    const mag rest = n.magnitude - (shift < MAG_BITS ? whole << shift : 0), middle_way = (mag)1 << (shift - 1);
    code += (bits_t)whole;
    code += (bits_t)(rest > middle_way || (rest == middle_way && (code & 1)));
    inexact = rest != 0;
  }
  if (code > (bits_t)TO_LARGEST) {
    *failed = 1;
    return beyond(sign);
  }
  if (inexact) *failed = 1;
  return (to_part)((TO_ONE_ZERO && code == 0 ? 0 : sign) | code);
}
#endif

/* What the hardware converts by itself: the common case, with the answer of number.cl.h. It leaves to that whatever
   is not finite or does not fit.

     MIDDLE   32 or 64: the float that holds every number of the source; 0 if there is none
     SCALED   1 if numbers are scaled, which is done in 64 bits */

#if MIDDLE == 64 && !defined(DEVICE_HAS_F64)
  #undef MIDDLE
  #define MIDDLE 0
#endif

#if FROM_KIND == 1
  #if FROM_PART == 1
typedef signed char from_number;
  #elif FROM_PART == 2
typedef short from_number;
  #elif FROM_PART == 4
typedef int from_number;
  #else
typedef i64 from_number;
  #endif
#else
typedef from_part from_number;
#endif

#if MIDDLE == 64
typedef double middle;
#else
typedef float middle;
#endif

/* CUDA has functions of floats under their own names; OpenCL has nothing but overloads. */
#if defined(DEV_CUDA) && MIDDLE == 32
  #define M_(name) name##f
#else
  #define M_(name) name
#endif
#if ROUNDING == 0
  #define WHOLE(x) M_(rint)(x)
#elif ROUNDING == 1
  #define WHOLE(x) M_(round)(x)
#elif ROUNDING == 2
  #define WHOLE(x) M_(trunc)(x)
#elif ROUNDING == 3
  #define WHOLE(x) M_(floor)(x)
#else
  #define WHOLE(x) M_(ceil)(x)
#endif

/* The 8-bit floats that recent CUDA devices convert, two at a time; the other one is zero here. */
#if defined(DEV_CUDA) && __CUDA_ARCH__ >= 890
  #define IS_E4M3(side) (side##_KIND == 3 && side##_PART == 1 && side##_MANTISSA == 3 && side##_LARGEST == 0x7e)
  #define IS_E5M2(side) (side##_KIND == 3 && side##_PART == 1 && side##_MANTISSA == 2 && side##_LARGEST == 0x7b)
#else
  #define IS_E4M3(side) 0
  #define IS_E5M2(side) 0
#endif

#if MIDDLE != 0
/* The value of a code that is neither infinite nor NaN; 0 returned for others, and for what the hardware lacks. */
FN int value(from_part x, middle* v) {
  #if FROM_KIND < 3
  *v = (middle)(from_number)x;
  return 1;
  #else
    #if FROM_PART == 8
  *v = AS_F64(x);
    #elif FROM_PART == 4
  *v = (middle)AS_F32(x);
    #elif FROM_PART == 2 && FROM_EXPONENT == 8
  *v = (middle)AS_F32((u32)x << 16);
    #elif FROM_PART == 2
  *v = (middle)half_value(x);
    #elif IS_E4M3(FROM) || IS_E5M2(FROM)
  u32 halves;
      #if IS_E4M3(FROM)
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(halves) : "h"((unsigned short)x));
      #else
  asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(halves) : "h"((unsigned short)x));
      #endif
  *v = (middle)half_value((unsigned short)halves);
  return (x & FROM_MASK) <= FROM_LARGEST;
    #else
  const number n = decode(x);
  const float size = (float)(int)n.magnitude * AS_F32((u32)(n.exponent + 127) << 23);
  *v = (middle)(n.negative ? -size : size);
  return n.kind == FINITE && !FROM_SCALE;
    #endif
    #if FROM_PART > 1
  return (x & FROM_MASK) <= FROM_LARGEST;
    #endif
  #endif
}

/* The code of a finite value; 0 returned where number.cl.h must find it. */
FN int code(middle v, to_part* y) {
  #if TO_KIND == 3
    #if OVERFLOW == 0
  return 0;
    #elif TO_PART == 8
  *y = AS_U64((double)v);
  return (*y & TO_MASK) <= TO_LARGEST;
    #elif TO_PART == 4
  *y = AS_U32((float)v);
  return (*y & TO_MASK) <= TO_LARGEST;
    #elif TO_PART == 2 && MIDDLE == 32 && TO_EXPONENT == 5
  *y = half_bits(v);
  return (*y & TO_MASK) <= TO_LARGEST;
    #elif TO_PART == 2 && MIDDLE == 32
  const u32 bits = AS_U32(v);
  *y = (to_part)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
  return (*y & TO_MASK) <= TO_LARGEST;
    #elif MIDDLE == 32 && (IS_E4M3(TO) || IS_E5M2(TO))
  unsigned short pair;
      #if IS_E4M3(TO)
  if (!(fabsf(v) <= 448.0f)) return 0;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(v));
      #else
  if (!(fabsf(v) <= 57344.0f)) return 0;
  asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(v));
      #endif
  *y = (to_part)pair;
  return 1;
    #else
  return 0;
    #endif
  #elif TO_KIND == 0
  return 0;
  #else
  const middle whole = WHOLE(v);
    #if OVERFLOW == 0
  if (whole != v) return 0;
    #endif
  /* Powers of two, and so exact. */
  if (!(whole >= (middle)TO_FIRST && whole < (middle)TO_BEYOND)) return 0;
    #if TO_KIND == 1 && TO_PART == 8
  *y = (to_part)(i64)whole;
    #elif TO_KIND == 1
  *y = (to_part)(int)whole;
    #else
  *y = (to_part)whole;
    #endif
  return 1;
  #endif
}
#endif

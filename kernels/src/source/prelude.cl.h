/* What all verbs share: numbers, and runs of consecutive numbers that move in one access.

   Before this text stand the device's dialect and
     ELEMENT    1: real numbers, 2: complex numbers
     BITS       bits of a real number
     WIDE       1 if places do not fit 32 bits
     V, ALIGN   elements of a run, and the alignment of its first in bytes
     NARROW     1 if inputs hold 32-bit numbers that become elements of 64 bits
     NUMBER_BITS  bits of the numbers that are wider than elements, if there are any
     EXACT      1 if sums and products of real elements are rounded by themselves, as those of numbers are */

#if WIDE
typedef i64 idx;
#else
typedef int idx;
#endif

#if BITS == 64
typedef double real;
  #define R(x) x
#else
typedef float real;
  #define R(x) x##f
#endif

/* The type of accumulators. */
#if defined(DEVICE_HAS_F64)
typedef double accum;
#else
typedef float accum;
#endif

/* CUDA has no overloads without a header for all of these; OpenCL has nothing else. */
#if defined(DEV_CUDA) && BITS == 32
  #define R_SQRT(a) sqrtf(a)
  #define R_ABS(a) fabsf(a)
  #define R_HYPOT(a, b) hypotf(a, b)
  #define R_COPY_SIGN(a, b) copysignf(a, b)
#else
  #define R_SQRT(a) sqrt(a)
  #define R_ABS(a) fabs(a)
  #define R_HYPOT(a, b) hypot(a, b)
  #define R_COPY_SIGN(a, b) copysign(a, b)
#endif

/* Rounded by themselves: a product that is added to something is not part of one operation with that. */
#if defined(DEV_CUDA)
  #define ADD_64(a, b) __dadd_rn(a, b)
  #define SUB_64(a, b) __dsub_rn(a, b)
  #define MUL_64(a, b) __dmul_rn(a, b)
  #define ADD_32(a, b) __fadd_rn(a, b)
  #define SUB_32(a, b) __fsub_rn(a, b)
  #define MUL_32(a, b) __fmul_rn(a, b)
#else
  #define ADD_64(a, b) ((a) + (b))
  #define SUB_64(a, b) ((a) - (b))
  #define MUL_64(a, b) ((a) * (b))
  #define ADD_32(a, b) ((a) + (b))
  #define SUB_32(a, b) ((a) - (b))
  #define MUL_32(a, b) ((a) * (b))
#endif
#if EXACT && BITS == 64
  #define R_ADD(a, b) ADD_64(a, b)
  #define R_SUB(a, b) SUB_64(a, b)
  #define R_MUL(a, b) MUL_64(a, b)
#elif EXACT
  #define R_ADD(a, b) ADD_32(a, b)
  #define R_SUB(a, b) SUB_32(a, b)
  #define R_MUL(a, b) MUL_32(a, b)
#else
  #define R_ADD(a, b) ((a) + (b))
  #define R_SUB(a, b) ((a) - (b))
  #define R_MUL(a, b) ((a) * (b))
#endif

#if ELEMENT == 1
typedef real elem;
FN elem e_make(real re, real im) { return re; }
FN elem e_add(elem a, elem b) { return R_ADD(a, b); }
FN elem e_sub(elem a, elem b) { return R_SUB(a, b); }
FN elem e_mul(elem a, elem b) { return R_MUL(a, b); }
FN elem e_div(elem a, elem b) { return a / b; }
FN elem e_neg(elem a) { return -a; }
FN elem e_conj(elem a) { return a; }
FN elem e_re(elem a) { return a; }
FN elem e_im(elem a) { return R(0.0); }
FN elem e_abs(elem a) { return R_ABS(a); }
FN elem e_abs2(elem a) { return R_MUL(a, a); }
FN elem e_sqrt(elem a) { return R_SQRT(a); }
FN elem e_scale(real factor, elem a) { return factor * a; }
FN int e_is_zero(elem a) { return a == R(0.0); }
/* NaN if either is. */
FN elem e_min(elem a, elem b) { return a < b || a != a ? a : b; }
FN elem e_max(elem a, elem b) { return a > b || a != a ? a : b; }
#else
/* Aligned as its parts: memory from elsewhere promises no more. */
typedef struct { real re; real im; } elem;
FN elem e_make(real re, real im) { elem z; z.re = re; z.im = im; return z; }
FN elem e_add(elem a, elem b) { return e_make(a.re + b.re, a.im + b.im); }
FN elem e_sub(elem a, elem b) { return e_make(a.re - b.re, a.im - b.im); }
FN elem e_mul(elem a, elem b) { return e_make(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re); }
#if BITS == 64
  #define R_HUGE R(8.98846567431158e307)
  #define R_TINY R(2.004168360008973e-292)
  #define R_LIFT R(4.056481920730334e31)
#else
  #define R_HUGE R(1.7014117e38)
  #define R_TINY R(1.9721523e-31)
  #define R_LIFT R(1.4073749e14)
#endif
FN real r_larger(real a, real b) { return a > b ? a : b; }
/* (one + other * ratio) / divisor, where ratio = im / re. Where the ratio or the product has vanished, the product is
   taken in another order. */
FN real r_part(real one, real other, real re, real im, real ratio, real divisor) {
  const real product = other * ratio;
  if (ratio == R(0.0)) return (one + im * (other / re)) / divisor;
  if (product == R(0.0)) return one / divisor + (other / divisor) * ratio;
  return (one + product) / divisor;
}
/* Overflows and underflows only where the result does. The host's is the same.
   Reference: Baudin and Smith, A robust complex division in Scilab, 2012, algorithm 3. */
FN elem e_div(elem a, elem b) {
  const real of_a = r_larger(R_ABS(a.re), R_ABS(a.im)), of_b = r_larger(R_ABS(b.re), R_ABS(b.im));
  real scale = R(1.0);
  if (of_a >= R_HUGE) { a = e_make(a.re * R(0.5), a.im * R(0.5)); scale = scale * R(2.0); }
  if (of_b >= R_HUGE) { b = e_make(b.re * R(0.5), b.im * R(0.5)); scale = scale * R(0.5); }
  if (of_a <= R_TINY) { a = e_make(a.re * R_LIFT, a.im * R_LIFT); scale = scale / R_LIFT; }
  if (of_b <= R_TINY) { b = e_make(b.re * R_LIFT, b.im * R_LIFT); scale = scale * R_LIFT; }
  /* Both times -i, so that the real part of the divisor is its larger one. */
  if (R_ABS(b.im) > R_ABS(b.re)) {
    a = e_make(a.im, -a.re);
    b = e_make(b.im, -b.re);
  }
  const real ratio = b.im / b.re, divisor = b.re + b.im * ratio;
  return e_make(r_part(a.re, a.im, b.re, b.im, ratio, divisor) * scale,
                r_part(a.im, -a.re, b.re, b.im, ratio, divisor) * scale);
}
FN elem e_neg(elem a) { return e_make(-a.re, -a.im); }
FN elem e_conj(elem a) { return e_make(a.re, -a.im); }
FN elem e_re(elem a) { return e_make(a.re, R(0.0)); }
FN elem e_im(elem a) { return e_make(a.im, R(0.0)); }
FN elem e_abs(elem a) { return e_make(R_HYPOT(a.re, a.im), R(0.0)); }
FN elem e_abs2(elem a) { return e_make(a.re * a.re + a.im * a.im, R(0.0)); }
/* The principal root, without cancellation on either side of the imaginary axis. */
FN elem e_sqrt(elem a) {
  const real root = R_SQRT((R_ABS(a.re) + R_HYPOT(a.re, a.im)) * R(0.5));
  const real other = root == R(0.0) ? root : R_ABS(a.im) / (root + root);
  return a.re >= R(0.0) ? e_make(root, R_COPY_SIGN(other, a.im)) : e_make(other, R_COPY_SIGN(root, a.im));
}
FN elem e_scale(real factor, elem a) { return e_make(factor * a.re, factor * a.im); }
FN int e_is_zero(elem a) { return a.re == R(0.0) && a.im == R(0.0); }
#endif

FN elem e_zero() { return e_make(R(0.0), R(0.0)); }
/* 0 where b is 0. */
FN elem e_mul_or_zero(elem a, elem b) { return e_is_zero(b) ? e_zero() : e_mul(a, b); }
FN elem e_div_or_zero(elem a, elem b) { return e_is_zero(b) ? e_zero() : e_div(a, b); }

/* What inputs hold. */
#if NARROW && ELEMENT == 1
typedef float item;
FN elem e_item(item a) { return (elem)a; }
#elif NARROW
typedef struct { float re; float im; } item;
FN elem e_item(item a) { return e_make((real)a.re, (real)a.im); }
#else
typedef elem item;
FN elem e_item(item a) { return a; }
#endif

/* Real numbers that are wider than elements. */
#if NUMBER_BITS
  #if NUMBER_BITS == 64
typedef double wide;
  #else
typedef float wide;
  #endif
  #if defined(DEV_CUDA) && NUMBER_BITS == 32
    #define W_SQRT(a) sqrtf(a)
    #define W_ABS(a) fabsf(a)
  #else
    #define W_SQRT(a) sqrt(a)
    #define W_ABS(a) fabs(a)
  #endif
  #if NUMBER_BITS == 64
FN wide w_add(wide a, wide b) { return ADD_64(a, b); }
FN wide w_sub(wide a, wide b) { return SUB_64(a, b); }
FN wide w_mul(wide a, wide b) { return MUL_64(a, b); }
  #else
FN wide w_add(wide a, wide b) { return ADD_32(a, b); }
FN wide w_sub(wide a, wide b) { return SUB_32(a, b); }
FN wide w_mul(wide a, wide b) { return MUL_32(a, b); }
  #endif
FN wide w_div(wide a, wide b) { return a / b; }
FN wide w_mul_or_zero(wide a, wide b) { return b == (wide)0 ? (wide)0 : w_mul(a, b); }
FN wide w_div_or_zero(wide a, wide b) { return b == (wide)0 ? (wide)0 : a / b; }
FN wide w_neg(wide a) { return -a; }
FN wide w_conj(wide a) { return a; }
FN wide w_re(wide a) { return a; }
FN wide w_im(wide a) { return (wide)0; }
FN wide w_abs(wide a) { return W_ABS(a); }
FN wide w_abs2(wide a) { return w_mul(a, a); }
FN wide w_sqrt(wide a) { return W_SQRT(a); }
FN wide w_min(wide a, wide b) { return a < b || a != a ? a : b; }
FN wide w_max(wide a, wide b) { return a > b || a != a ? a : b; }
#endif

/* A run: V consecutive elements, loaded and stored in one access where ALIGN allows it. */
typedef struct ALIGNED(ALIGN) { item e[V]; } run;

FN run run_load(const GLOBAL item* p) { return *(const GLOBAL run*)p; }
FN void run_store(GLOBAL item* p, run a) { *(GLOBAL run*)p = a; }
FN run run_repeat(const GLOBAL item* p) {
  const item a = *p;
  run r;
  UNROLL for (int k = 0; k < V; k++) r.e[k] = a;
  return r;
}

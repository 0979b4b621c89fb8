/* What all verbs share: numbers, and runs of neighbouring numbers that move in one access.

   Before this text stand the device's dialect and
     ELEMENT    1: real numbers, 2: complex numbers
     BITS       bits of a real number
     WIDE       1 if places do not fit 32 bits
     V, ALIGN   elements of a run, and the alignment of its first in bytes */

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

/* What sums are kept in. */
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

#if ELEMENT == 1
typedef real elem;
FN elem e_make(real re, real im) { return re; }
FN elem e_add(elem a, elem b) { return a + b; }
FN elem e_sub(elem a, elem b) { return a - b; }
FN elem e_mul(elem a, elem b) { return a * b; }
FN elem e_div(elem a, elem b) { return a / b; }
FN elem e_neg(elem a) { return -a; }
FN elem e_conj(elem a) { return a; }
FN elem e_re(elem a) { return a; }
FN elem e_im(elem a) { return R(0.0); }
FN elem e_abs(elem a) { return R_ABS(a); }
FN elem e_abs2(elem a) { return a * a; }
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
FN elem e_div(elem a, elem b) {
  const real norm = b.re * b.re + b.im * b.im;
  return e_make((a.re * b.re + a.im * b.im) / norm, (a.im * b.re - a.re * b.im) / norm);
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
FN elem e_div_or_zero(elem a, elem b) { return e_is_zero(b) ? e_zero() : e_div(a, b); }

/* A run: V neighbours, loaded and stored in one access where ALIGN allows it. */
typedef struct ALIGNED(ALIGN) { elem e[V]; } run;

FN run run_load(const GLOBAL elem* p) { return *(const GLOBAL run*)p; }
FN void run_store(GLOBAL elem* p, run a) { *(GLOBAL run*)p = a; }
FN run run_repeat(const GLOBAL elem* p) {
  const elem a = *p;
  run r;
  UNROLL for (int k = 0; k < V; k++) r.e[k] = a;
  return r;
}

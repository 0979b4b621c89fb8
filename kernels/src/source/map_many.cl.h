/* Several outputs, element by element, of real and complex arrays of one precision.

   A thread takes a run along axis 0 of TAKEN rows. Before this text stand the parameters, the index space and
     ROWS            ROW(y) ROW(x0) ...
     RUNS            declares the runs of all operands that are read
     LOADS, STORES   of row i1 + b of these, and of the outputs
     RESULTS         declares the outputs' runs
     STEPS(OF, SET)  in terms of OF(x0), ..., and SET(y, value), ...
     REAL_ALIGN      as ALIGN, of runs of real numbers beside complex elements
     DOTS            1 if products of what is loaded and computed are added up, in groups along axis 0 alone: STEPS adds
                     DOT(type, a, b) to each sum, as the text of dots has it. */

#if ELEMENT == 2
FN real r_add(real a, real b) { return a + b; }
FN real r_sub(real a, real b) { return a - b; }
FN real r_mul(real a, real b) { return a * b; }
FN real r_div(real a, real b) { return a / b; }
FN real r_mul_or_zero(real a, real b) { return b == R(0.0) ? R(0.0) : a * b; }
FN real r_div_or_zero(real a, real b) { return b == R(0.0) ? R(0.0) : a / b; }
FN real r_neg(real a) { return -a; }
FN real r_im(real a) { return R(0.0); }
FN real r_abs(real a) { return R_ABS(a); }
FN real r_abs2(real a) { return a * a; }
FN real r_sqrt(real a) { return R_SQRT(a); }
FN real r_min(real a, real b) { return a < b || a != a ? a : b; }
FN real r_max(real a, real b) { return a > b || a != a ? a : b; }

typedef struct ALIGNED(REAL_ALIGN) { real e[V]; } real_run;

FN real_run real_run_load(const GLOBAL real* p) { return *(const GLOBAL real_run*)p; }
FN void real_run_store(GLOBAL real* p, real_run a) { *(GLOBAL real_run*)p = a; }
FN real_run real_run_repeat(const GLOBAL real* p) {
  const real a = *p;
  real_run r;
  UNROLL for (int k = 0; k < V; k++) r.e[k] = a;
  return r;
}
#endif

#define ROW(name)             const idx name##_row = name##_ROW;
#if TAKEN > 1
  #define NEXT_ROW(name)      (b * name##_s1)
#else
  #define NEXT_ROW(name)      0
#endif
#define IN_RUN(name)          name##_run[b].e[k]
#define IN_PLACE(name)        name[name##_row + NEXT_ROW(name) + (i + k) * name##_s0]
#define SET_RUN(name, value)   name##_result.e[k] = value
#define SET_PLACE(name, value) name[name##_row + NEXT_ROW(name) + (i + k) * name##_s0] = value

KERNEL map_many(PARAMETERS) {
  AFTER_EARLIER_KERNELS
#if DOTS
  DOTS_BEGIN
#endif
  PROLOGUE
  for (idx z = (idx)GID(2); z < OUTER; z += (idx)GSZ(2)) {
    SPLIT(z)
    for (idx i1 = (idx)GID(1) * TAKEN; i1 < n1; i1 += (idx)GSZ(1) * TAKEN) {
      ROWS
      for (idx i = (idx)GID(0) * V; i < n0; i += (idx)GSZ(0) * V) {
        if (i + V <= n0) {
          /* All rows are loaded before the first is stored. */
          RUNS
          UNROLL for (int b = 0; b < TAKEN; b++) {
            if (i1 + b < n1) { LOADS }
          }
          UNROLL for (int b = 0; b < TAKEN; b++) {
            if (i1 + b < n1) {
              RESULTS
              UNROLL for (int k = 0; k < V; k++) { STEPS(IN_RUN, SET_RUN) }
              STORES
            }
          }
        } else {
          for (int b = 0; b < TAKEN && i1 + b < n1; b++) {
            for (int k = 0; k < (int)(n0 - i); k++) { STEPS(IN_PLACE, SET_PLACE) }
          }
        }
      }
    }
  }
#if DOTS
  DOTS_END(LID(0), (int)GRP(0), (int)NGRP(0))
#endif
}

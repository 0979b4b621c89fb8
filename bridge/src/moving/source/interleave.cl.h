/* y[i][s] = x_s[i] for SOURCES arrays: a thread takes one element of each, and writes them as runs of ACROSS neighbours.

   Before this text stand the parameters, the index space and EACH(DO), which is DO(0, x0) DO(1, x1) .... */

typedef struct ALIGNED(ACROSS_ALIGN) { to_t e[ACROSS]; } across;

#define TAKE(s, x) taken[s] = run_load(x + (x##_ROW + i * x##_s0)).e[0];

KERNEL interleave(PARAMETERS) {
  PROLOGUE
  for (idx z = (idx)GID(2); z < OUTER; z += (idx)GSZ(2)) {
    SPLIT(z)
    for (idx i1 = (idx)GID(1); i1 < n1; i1 += (idx)GSZ(1)) {
      const idx y_row = y_ROW;
      for (idx i = (idx)GID(0); i < n0; i += (idx)GSZ(0)) {
        from_t taken[SOURCES];
        EACH(TAKE)
        UNROLL for (int s = 0; s < SOURCES; s += ACROSS) {
          across given;
          UNROLL for (int k = 0; k < ACROSS; k++) given.e[k] = taken[s + k];
          *(GLOBAL across*)(y + (y_row + i * y_s0 + s)) = given;
        }
      }
    }
  }
}

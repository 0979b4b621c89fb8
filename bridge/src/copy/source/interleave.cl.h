/* y[i][s] = x_s[i] for SOURCES arrays: a thread takes one element of each of ACROSS arrays and writes them as a run of
   consecutive elements; the next thread takes the next ACROSS arrays, so that the threads of a group write
   consecutive elements, too.

   Before this text stand the parameters, the index space, EACH(DO), which is DO(0) DO(1) ... for each k below ACROSS,
   and FROM_k and STEP_k: the row of the kth array of a part, and its step along axis 0. */

typedef struct ALIGNED(ACROSS_ALIGN) { to_t e[ACROSS]; } across;

#define PARTS (SOURCES / ACROSS)
#define TAKE(k) given[t].e[k] = (FROM_##k)[i * STEP_##k];

KERNEL interleave(PARAMETERS) {
  AFTER_EARLIER_KERNELS
  PROLOGUE
  for (idx z = (idx)GID(2); z < OUTER; z += (idx)GSZ(2)) {
    SPLIT(z)
    for (idx i1 = (idx)GID(1); i1 < n1; i1 += (idx)GSZ(1)) {
      const idx y_row = y_ROW;
      const idx n = n0 * PARTS, step = (idx)GSZ(0);
      for (idx first = (idx)GID(0); first < n; first += TAKES * step) {
        across given[TAKES];
        UNROLL for (int t = 0; t < TAKES; t++) {
          const idx j = first + t * step, i = j / PARTS;
          const int part = (int)(j - i * PARTS);
          if (j < n) { EACH(TAKE) }
        }
        UNROLL for (int t = 0; t < TAKES; t++) {
          const idx j = first + t * step, i = j / PARTS;
          const int part = (int)(j - i * PARTS);
          if (j < n) *(GLOBAL across*)(y + (y_row + i * y_s0 + part * ACROSS)) = given[t];
        }
      }
    }
  }
}

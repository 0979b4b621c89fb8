/* y = EXPRESSION(sum over k of x0[i, k] x1[k, j], y[i, j]) for each matrix of a batch.

   A group makes TILE x TILE results, each thread PATCH x PATCH of them, from tiles of DEPTH columns of x0 and DEPTH rows
   of x1 in local memory. Consecutive threads load a tile along the index along which it is contiguous.
   Before this text stand the parameters and
     PATCH, TILE, DEPTH TILE is PATCH times the side of a group's threads, whose number divides TILE x DEPTH
     CONJUGATE          1 to use the conjugate of x0
     X0_ALONG, X1_ALONG 1 if x0 is contiguous along k, x1 along j */

#define SIDE (TILE / PATCH)
#define GROUP (SIDE * SIDE)

#if CONJUGATE
  #define X0(a) e_conj(a)
#else
  #define X0(a) a
#endif
#define IN_SUM(name) IN_SUM_##name
#define IN_SUM_x0 sums[a][b]
#define IN_SUM_y old.e[0]

KERNEL gemm(PARAMETERS) {
  AFTER_EARLIER_KERNELS
  /* Rows of x0 and columns of x1, in layers of one k; the extra element spreads them over banks. */
  LOCAL_ARRAY(elem, left, DEPTH * (TILE + 1));
  LOCAL_ARRAY(elem, right, DEPTH * (TILE + 1));
  PROLOGUE
  const int thread = LID(0);
  const int row = thread / SIDE, column = thread % SIDE;
  const idx tiles_m = (m + TILE - 1) / TILE, tiles_n = (n + TILE - 1) / TILE;
  for (idx z = (idx)GRP(2); z < batch; z += (idx)NGRP(2)) {
    for (idx tm = (idx)GRP(1); tm < tiles_m; tm += (idx)NGRP(1)) {
      for (idx tn = (idx)GRP(0); tn < tiles_n; tn += (idx)NGRP(0)) {
        elem sums[PATCH][PATCH];
        UNROLL for (int a = 0; a < PATCH; a++) {
          UNROLL for (int b = 0; b < PATCH; b++) sums[a][b] = e_zero();
        }
        for (idx first = 0; first < inner; first += DEPTH) {
          UNROLL for (int turn = 0; turn < TILE * DEPTH / GROUP; turn++) {
            const int part = thread + turn * GROUP;
#if X0_ALONG
            const int d = part % DEPTH, a = part / DEPTH;
#else
            const int d = part / TILE, a = part % TILE;
#endif
            const idx i = tm * TILE + a, k = first + d;
            elem value = e_zero();
            if (i < m && k < inner) value = X0(run_load(x0 + (z * x0_batch + i * x0_m + k * x0_k)).e[0]);
            left[d * (TILE + 1) + a] = value;
          }
          UNROLL for (int turn = 0; turn < TILE * DEPTH / GROUP; turn++) {
            const int part = thread + turn * GROUP;
#if X1_ALONG
            const int d = part / TILE, b = part % TILE;
#else
            const int d = part % DEPTH, b = part / DEPTH;
#endif
            const idx j = tn * TILE + b, k = first + d;
            elem value = e_zero();
            if (j < n && k < inner) value = run_load(x1 + (z * x1_batch + k * x1_k + j * x1_n)).e[0];
            right[d * (TILE + 1) + b] = value;
          }
          BARRIER();
          UNROLL for (int d = 0; d < DEPTH; d++) {
            elem as[PATCH], bs[PATCH];
            UNROLL for (int a = 0; a < PATCH; a++) as[a] = left[d * (TILE + 1) + row + a * SIDE];
            UNROLL for (int b = 0; b < PATCH; b++) bs[b] = right[d * (TILE + 1) + column + b * SIDE];
            UNROLL for (int a = 0; a < PATCH; a++) {
              UNROLL for (int b = 0; b < PATCH; b++) sums[a][b] = e_add(sums[a][b], e_mul(as[a], bs[b]));
            }
          }
          BARRIER();
        }
        UNROLL for (int a = 0; a < PATCH; a++) {
          UNROLL for (int b = 0; b < PATCH; b++) {
            const idx i = tm * TILE + row + a * SIDE, j = tn * TILE + column + b * SIDE;
            if (i < m && j < n) {
              GLOBAL elem* at = y + (z * y_batch + i * y_m + j * y_n);
              run result;
#if READS_Y
              const run old = run_load(at);
#endif
              result.e[0] = EXPRESSION(IN_SUM);
              run_store(at, result);
            }
          }
        }
      }
    }
  }
}

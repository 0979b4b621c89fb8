/* y = EXPRESSION(sum of bands applied to x0, y), for short bands along axes 1 and 2, and any others.

   A thread takes a run along axis 0 of ROWS rows of axis 1, and goes along axis 2, MARCH places at most. It keeps the runs that
   the band of axis 2 reaches, so that each is loaded once for it, and loads the rows beside its own for that of axis 1.
   Before this text stand the parameters, the index space, the bands and
     ROWS, MARCH        rows of a thread, and places along axis 2
     ADD_BAND1, ADD_BAND2   add that band's row i1, i2 to `sum`, from memory
     ADD_OTHERS         adds the bands of all other axes, from `at`, `center`, c and i3, i4, ... */

#define KEPT (BAND2_LEFT + 1 + BAND2_RIGHT)
#define BESIDE (BAND1_LEFT + ROWS + BAND1_RIGHT)

#define IN_SUM(name) IN_SUM_##name
#define IN_SUM_x0 sum.e[e]
#define IN_SUM_y old.e[e]

KERNEL stencil_march(PARAMETERS) {
  PROLOGUE
  const idx parts = (n2 + MARCH - 1) / MARCH, outer = OUTER / n2;
  for (idx zz = (idx)GID(2); zz < parts * outer; zz += (idx)GSZ(2)) {
    const idx rest = zz / parts, begin = (zz - rest * parts) * MARCH;
    const idx end = begin + MARCH < n2 ? begin + MARCH : n2;
    for (idx first = (idx)GID(1) * ROWS; first < n1; first += (idx)GSZ(1) * ROWS) {
      for (idx c = (idx)GID(0) * V; c < n0; c += (idx)GSZ(0) * V) {
        run kept[KEPT][ROWS];
        UNROLL for (int k = 0; k < KEPT; k++) {
          UNROLL for (int r = 0; r < ROWS; r++) {
            /* The last is loaded, and all are moved up, before they are used. */
            const idx place = begin + k - 1 - BAND2_LEFT, i1 = first + r;
            kept[k][r] = run_zero();
            if (k > 0 && place >= 0 && place < n2 && i1 < n1) {
              const idx z = rest * n2 + place;
              SPLIT(z)
              kept[k][r] = x0_LOAD(x0 + (x0_ROW + c * x0_s0));
            }
          }
        }
        for (idx place = begin; place < end; place++) {
          run rows[BESIDE];
          UNROLL for (int r = 0; r < ROWS; r++) {
            UNROLL for (int k = 0; k + 1 < KEPT; k++) kept[k][r] = kept[k + 1][r];
            const idx i1 = first + r;
            kept[KEPT - 1][r] = run_zero();
            if (place + BAND2_RIGHT < n2 && i1 < n1) {
              const idx z = rest * n2 + place + BAND2_RIGHT;
              SPLIT(z)
              kept[KEPT - 1][r] = x0_LOAD(x0 + (x0_ROW + c * x0_s0));
            }
          }
          const idx z = rest * n2 + place;
          SPLIT(z)
          UNROLL for (int k = 0; k < BESIDE; k++) {
            const int own = k >= BAND1_LEFT && k < BAND1_LEFT + ROWS;
            const idx i1 = first + k - BAND1_LEFT;
            rows[k] = run_zero();
            if (own) rows[k] = kept[BAND2_LEFT][k - BAND1_LEFT];
            else if (i1 >= 0 && i1 < n1) rows[k] = x0_LOAD(x0 + (x0_ROW + c * x0_s0));
          }
          UNROLL for (int r = 0; r < ROWS; r++) {
            const idx i1 = first + r;
            if (i1 < n1) {
              const run center = kept[BAND2_LEFT][r];
              const GLOBAL elem* at = x0 + (x0_ROW + c * x0_s0);
              run sum = run_zero();
              if (i1 >= BAND1_HEAD && i1 < n1 - BAND1_TAIL) {
                UNROLL for (int t = 0; t < BAND1_TAPS; t++) {
                  sum = run_add_scaled(sum, band1_weight(t), rows[r + BAND1_LEFT + band1_offset(t)]);
                }
              } else {
                ADD_BAND1
              }
              if (i2 >= BAND2_HEAD && i2 < n2 - BAND2_TAIL) {
                UNROLL for (int t = 0; t < BAND2_TAPS; t++) {
                  sum = run_add_scaled(sum, band2_weight(t), kept[BAND2_LEFT + band2_offset(t)][r]);
                }
              } else {
                ADD_BAND2
              }
              ADD_OTHERS
              run result;
#if READS_Y
              run old = run_load(y + (y_ROW + c * y_s0));
#endif
              UNROLL for (int e = 0; e < V; e++) result.e[e] = EXPRESSION(IN_SUM);
              run_store(y + (y_ROW + c * y_s0), result);
            }
          }
        }
      }
    }
  }
}

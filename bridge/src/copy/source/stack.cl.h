/* y[s] = x_s for SOURCES arrays, element by element: a group of threads walks one array, as the driver's own copy would, and
   a thread takes TAKES runs along axis 0 of one row, which it reads before it writes the first.

   y is the place of the first slice; the others follow y_step elements apart. Before this text stand the parameters, the
   index space, and FROM_0 and STEP_0: the row of the array number `part`, and its step along axis 0. */

KERNEL stack(PARAMETERS) {
  AFTER_EARLIER_KERNELS
  PROLOGUE
  /* Groups along z come in turns of one for each array. */
  const int part = (int)(GRP(2) % SOURCES);
  const idx turn = (idx)(GRP(2) / SOURCES), turns = (idx)(NGRP(2) / SOURCES);
  const idx step = (idx)GSZ(0) * V;
  y += part * y_step;
  for (idx z = turn * LSZ(2) + LID(2); z < OUTER; z += turns * LSZ(2)) {
    SPLIT(z)
    for (idx i1 = (idx)GID(1); i1 < n1; i1 += (idx)GSZ(1)) {
      const GLOBAL from_t* x = FROM_0;
      const idx x_s0 = STEP_0, y_row = y_ROW;
      for (idx first = (idx)GID(0) * V; first < n0; first += TAKES * step) {
        from_run taken[TAKES];
        UNROLL for (int t = 0; t < TAKES; t++) {
          const idx i = first + t * step;
          if (i + V <= n0) taken[t] = x_s0 == 0 ? run_repeat(x) : run_load(x + i * x_s0);
        }
        UNROLL for (int t = 0; t < TAKES; t++) {
          const idx i = first + t * step;
          if (i + V <= n0) {
            to_run given;
            UNROLL for (int k = 0; k < V; k++) given.e[k] = taken[t].e[k];
            run_store(y + (y_row + i * y_s0), given);
          } else if (i < n0) {
            for (int k = 0; k < (int)(n0 - i); k++) y[y_row + (i + k) * y_s0] = x[(i + k) * x_s0];
          }
        }
      }
    }
  }
}

/* y = EXPRESSION(x0, x1, ..., y), element by element, of arrays that hold 16 bits of each element.

   A thread takes a run along axis 0, and one by one what a row has left behind its last. Before this text stand the parameters, the
   index space, the text of cells and
     INPUTS(DO)      DO(x0) DO(x1) ...
     EXPRESSION(OF)  in terms of OF(x0), OF(x1), ..., OF(y) */

#define ROW(name)      const idx name##_row = name##_ROW;
#define LOAD(name)     const run name##_run = name##_LOAD(name + (name##_row + i * name##_s0));
#define IN_RUN(name)   name##_run.e[k]
#define IN_PLACE(name) cell_value(name[name##_row + (i + k) * name##_s0])

KERNEL map_cells(PARAMETERS) {
  AFTER_EARLIER_KERNELS
  PROLOGUE
  for (idx z = (idx)GID(2); z < OUTER; z += (idx)GSZ(2)) {
    SPLIT(z)
    for (idx i1 = (idx)GID(1); i1 < n1; i1 += (idx)GSZ(1)) {
      ROW(y)
      INPUTS(ROW)
      for (idx i = (idx)GID(0) * V; i < n0; i += (idx)GSZ(0) * V) {
        if (i + V <= n0) {
          INPUTS(LOAD)
#if READS_Y
          LOAD(y)
#endif
          run result;
          UNROLL for (int k = 0; k < V; k++) result.e[k] = EXPRESSION(IN_RUN);
          run_store(y + (y_row + i * y_s0), result);
        } else {
          for (int k = 0; k < (int)(n0 - i); k++) y[y_row + i + k] = cell_of(EXPRESSION(IN_PLACE));
        }
      }
    }
  }
}

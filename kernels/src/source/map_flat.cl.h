/* y = EXPRESSION(x0, x1, ..., y), element by element, where the rows of y lie one behind the other without gaps.

   All rows are taken as one line: its runs are aligned wherever rows begin. A thread takes a run of y and of every input
   that lies as y does; the others repeat along some axis, and their elements are found by the place of each of the run's.
   Before this text stand the parameters, the index space and
     LINES(DO), OTHERS(DO)   DO(x0) ... of the inputs that lie as y does, and of the others
     EXPRESSION(OF)          in terms of OF(x0), OF(x1), ..., OF(y)
     ALL                     elements of the line
     INDICES(f)              makes i0, i1, ... of place f
     NEXT                    makes those of the next place
     name_IN_LINE            1 if an operand lies as y does */

#define LOAD(name)     const run name##_run = run_load(name + f);
#define RUN(name)      run name##_run;
#define FETCH(name)    name##_run.e[k] = name[name##_ROW + i0 * name##_s0];
#define IN_RUN(name)   name##_run.e[k]
#define IN_PLACE(name) name[name##_IN_LINE ? f + k : name##_ROW + i0 * name##_s0]

KERNEL map_flat(PARAMETERS) {
  AFTER_EARLIER_KERNELS
  PROLOGUE
  const idx f = (idx)GID(0) * V;
  if (f >= ALL) return;
  INDICES(f)
  if (f + V <= ALL) {
    LINES(LOAD)
#if READS_Y
    LOAD(y)
#endif
    OTHERS(RUN)
    UNROLL for (int k = 0; k < V; k++) {
      OTHERS(FETCH)
      NEXT
    }
    run result;
    UNROLL for (int k = 0; k < V; k++) result.e[k] = EXPRESSION(IN_RUN);
    run_store(y + f, result);
  } else {
    for (int k = 0; k < (int)(ALL - f); k++) {
      y[f + k] = EXPRESSION(IN_PLACE);
      NEXT
    }
  }
}

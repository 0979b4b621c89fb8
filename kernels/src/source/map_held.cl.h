/* y = EXPRESSION(x0, x1, ..., y), element by element, where some inputs are the same in all rows.

   A thread takes a run along axis 0 of up to ROWS rows, and loads the run of such an input once for all of them. Before this text
   stand the parameters, the index space, whose axis 0 has whole runs, and
     HELD(DO), OTHERS(DO)   DO(x0) ... of the inputs that are the same in all rows, and of the others
     EXPRESSION(OF)         in terms of OF(x0), OF(x1), ..., OF(y)
     AT_ONCE                rows that are loaded before the first of them is stored
     SKEWED                 1 if rows begin at odd places: runs are those of aligned accesses to y, of which a row's first and last
                            may lie beyond it, and a thread takes every V-th row, so that all of its runs are alike. Inputs that
                            are not held are single numbers of a row then */

#define RUNS(name) run name##_runs[AT_ONCE];
#define IN_RUN(name) name##_runs[name##_HELD ? 0 : b].e[k]

#if SKEWED
/* The elements of a run that lie within their row; others are repeated. */
  #define HOLD(name)                                                              \
    run name##_runs[1];                                                           \
    UNROLL for (int k = 0; k < V; k++) {                                          \
      const idx at = i0 + k < 0 ? 0 : i0 + k < n0 ? i0 + k : n0 - 1;              \
      name##_runs[0].e[k] = name[name##_ROW + at * name##_s0];                    \
    }
  #define LOAD(name) name##_runs[b] = run_repeat(name + (name##_ROW + b * STEP * name##_s1));
  #define STORE                                                                   \
    {                                                                             \
      GLOBAL elem* to = y + (y_ROW + b * STEP * y_s1 + i0);                       \
      if (i0 >= 0 && i0 + V <= n0) {                                              \
        run_store(to, result);                                                    \
      } else {                                                                    \
        UNROLL for (int k = 0; k < V; k++) {                                      \
          if (i0 + k >= 0 && i0 + k < n0) to[k] = result.e[k];                    \
        }                                                                         \
      }                                                                           \
    }
  /* Every V-th row begins at the same place between two accesses. */
  #define STEP V
  #define FIRST_ROW(block) ((block) / V * (V * ROWS) + (block) % V)
  #define SKEW (int)(((y_at + y_ROW) % V + V) % V)
#else
  #define HOLD(name) const run name##_runs[1] = { name##_LOAD(name + (name##_ROW + i0 * name##_s0)) };
  #define LOAD(name) name##_runs[b] = name##_LOAD(name + (name##_ROW + b * name##_s1 + i0 * name##_s0));
  #define STORE run_store(y + (y_ROW + b * y_s1 + i0 * y_s0), result);
  #define STEP 1
  #define FIRST_ROW(block) ((block) * ROWS)
  #define SKEW 0
#endif

/* So many rows from i1 on. */
#if READS_Y
  #define OLD(DO) DO(y)
#else
  #define OLD(DO)
#endif
#define TAKE(count)                                                               \
  {                                                                               \
    OTHERS(RUNS)                                                                  \
    OLD(RUNS)                                                                     \
    UNROLL for (int b = 0; b < count; b++) {                                      \
      OTHERS(LOAD)                                                                \
      OLD(LOAD)                                                                   \
    }                                                                             \
    UNROLL for (int b = 0; b < count; b++) {                                      \
      run result;                                                                 \
      UNROLL for (int k = 0; k < V; k++) result.e[k] = EXPRESSION(IN_RUN);        \
      STORE                                                                       \
    }                                                                             \
  }

KERNEL map_held(PARAMETERS) {
  AFTER_EARLIER_KERNELS
  PROLOGUE
  for (idx z = (idx)GID(2); z < OUTER; z += (idx)GSZ(2)) {
    SPLIT(z)
    for (idx block = (idx)GID(1); block * ROWS < n1 + V * ROWS; block += (idx)GSZ(1)) {
      idx i1 = FIRST_ROW(block);
      if (i1 >= n1) continue;
      const idx last = (n1 - i1 + STEP - 1) / STEP < ROWS ? n1 : i1 + ROWS * STEP;
      const int skew = SKEW;
      for (idx i0 = (idx)GID(0) * V - skew; i0 < n0; i0 += (idx)GSZ(0) * V) {
        idx i1 = FIRST_ROW(block);
        HELD(HOLD)
        for (; i1 + (AT_ONCE - 1) * STEP < last; i1 += AT_ONCE * STEP) TAKE(AT_ONCE)
        for (; i1 < last; i1 += STEP) TAKE(1)
      }
    }
  }
}

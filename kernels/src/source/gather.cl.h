/* y = EXPRESSION(sum of the entries of a row times the columns of x0 that they name, y).

   A thread takes the same runs along axis 0 of the other axes in AT_ONCE rows, RUNS of them at once. Where neighbours in y are
   rows (ALONG), neighbouring threads take these, and a thread runs side by side; else neighbouring threads take neighbouring
   runs, and a thread rows side by side, which often name the same columns. What a row names is loaded once for all of a
   thread's runs.
   Before this text stand the parameters, the weights and
     PLACES                 places of a row in the table; 0 where rows begin at `starts`
     FULL                   1 if none of them is empty
     APART                  threads of a group along runs
     WEIGHTED               1 if entries have weights
     LONG                   where not 0, rows with more entries than this are left to gather_long.cl.h
     OUTER, OUTER_SPLIT(z)  the other axes but axis 0, x0_OUTER and y_OUTER their places
     ROWS, ROW_SPLIT(j), y_ROW         rows and their places
     COLUMN_SPLIT(i), x0_COLUMN        columns and their places */

#if ALONG
  #define ROW_DIM 0
  #define RUN_DIM 1
  #define FIRST_ROW (idx)GID(ROW_DIM)
  #define ROW_AT(m) (first + (m) * row_step)
#else
  #define ROW_DIM 1
  #define RUN_DIM 0
  #define FIRST_ROW ((idx)GID(ROW_DIM) * AT_ONCE)
  #define ROW_AT(m) (first + (m))
#endif

#if PLACES > 0
  #define HELD (AT_ONCE * PLACES)

  #if FULL
    #define IS_THERE(k) 1
  #else
    #define IS_THERE(k) (columns[k] >= 0)
  #endif

  /* Adds what the rows name to `sum`; a place without entry adds nothing. */
  #if WEIGHTED
    #define SUM_PLACES(u, m)                                                      \
      run sum = run_zero();                                                       \
      UNROLL for (int k = 0; k < PLACES; k++) {                                   \
        sum = run_add_scaled(sum, weights[(m) * PLACES + k], parts[u][(m) * PLACES + k]); \
      }
  #else
    #define SUM_PLACES(u, m)                                                      \
      run sum = parts[u][(m) * PLACES];                                           \
      UNROLL for (int k = 1; k < PLACES; k++) sum = run_sum(sum, parts[u][(m) * PLACES + k]);
  #endif

  /* The runs u = 0, 1, ... of all rows that are `inside`. All loads come before the first sum, so that they are on their way
     together. */
  #define TAKE_RUNS(inside)                                                       \
    {                                                                             \
      run parts[RUNS][HELD];                                                      \
      UNROLL for (int u = 0; u < RUNS; u++) {                                     \
        UNROLL for (int k = 0; k < HELD; k++) {                                   \
          if (!FULL || !(inside)) parts[u][k] = run_zero();                       \
          if (IS_THERE(k) && (inside)) parts[u][k] = x0_LOAD(near[k] + u * apart * x0_s0); \
        }                                                                         \
      }                                                                           \
      UNROLL for (int u = 0; u < RUNS; u++) {                                     \
        UNROLL for (int m = 0; m < AT_ONCE; m++) {                                \
          if ((m == 0 || ROW_AT(m) < ROWS) && (inside)) {                         \
            SUM_PLACES(u, m)                                                      \
            STORE_SUM(rows[m] + u * apart * y_s0)                                 \
          }                                                                       \
        }                                                                         \
      }                                                                           \
    }
#elif RUNS > 1
  /* The runs u = 0, 1, ... of a row that are `inside`: what an entry names is loaded once for all of them. */
  #define TAKE_RUNS(inside)                                                       \
    {                                                                             \
      run sums[RUNS];                                                             \
      UNROLL for (int u = 0; u < RUNS; u++) sums[u] = run_zero();                 \
      for (place entry = begin; entry < end; entry++) {                           \
        COLUMN_SPLIT((idx)indices[entry])                                         \
        const GLOBAL cell* near = x0 + (from_x0 + x0_COLUMN + i0 * x0_s0);        \
        UNROLL for (int u = 0; u < RUNS; u++) {                                   \
          if (inside) ADD_ENTRY(sums[u], entry, x0_LOAD(near + u * apart * x0_s0)); \
        }                                                                         \
      }                                                                           \
      ROW_SPLIT(first)                                                            \
      UNROLL for (int u = 0; u < RUNS; u++) {                                     \
        const run sum = sums[u];                                                  \
        if (inside) STORE_SUM(y + (from_y + y_ROW + (i0 + u * apart) * y_s0))     \
      }                                                                           \
    }
#endif

KERNEL gather(PARAMETERS) {
  AFTER_EARLIER_KERNELS
  PROLOGUE
  /* The runs of a thread lie as far apart as its group is wide. */
  const idx row_step = (idx)GSZ(ROW_DIM), apart = (idx)APART * V;
  const idx first_run = (idx)GRP(RUN_DIM) * RUNS * apart + (idx)LID(RUN_DIM) * V, run_step = (idx)GSZ(RUN_DIM) * RUNS * V;
  for (idx z = (idx)GID(2); z < OUTER; z += (idx)GSZ(2)) {
    OUTER_SPLIT(z)
    const idx from_x0 = x0_OUTER, from_y = y_OUTER;
    for (idx first = FIRST_ROW; first < ROWS; first += row_step * AT_ONCE) {
#if PLACES > 0
      place columns[HELD];
  #if WEIGHTED
      weight weights[HELD];
  #endif
      idx from[HELD], to[AT_ONCE];
      UNROLL for (int m = 0; m < AT_ONCE; m++) {
        /* Behind the last row the first is loaded again. */
        const idx row = m == 0 || ROW_AT(m) < ROWS ? ROW_AT(m) : first;
        ROW_SPLIT(row)
        to[m] = from_y + y_ROW;
        UNROLL for (int k = 0; k < PLACES; k++) {
          columns[m * PLACES + k] = indices[(i64)k * ROWS + row];
  #if WEIGHTED
          weights[m * PLACES + k] = factors[(i64)k * ROWS + row];
  #endif
        }
      }
      UNROLL for (int k = 0; k < HELD; k++) {
        from[k] = from_x0;
        if (IS_THERE(k)) {
          COLUMN_SPLIT((idx)columns[k])
          from[k] += x0_COLUMN;
        }
      }
      for (idx begin = first_run; begin < n0; begin += run_step) {
        const GLOBAL cell* near[HELD];
        GLOBAL cell* rows[AT_ONCE];
        UNROLL for (int k = 0; k < HELD; k++) near[k] = x0 + (from[k] + begin * x0_s0);
        UNROLL for (int m = 0; m < AT_ONCE; m++) rows[m] = y + (to[m] + begin * y_s0);
        if (begin + (RUNS - 1) * apart < n0) {
          TAKE_RUNS(1)
        } else {
          TAKE_RUNS(begin + u * apart < n0)
        }
      }
#else
      const place begin = starts[first], end = starts[first + 1];
  #if LONG > 0
      if (end - begin > LONG) continue;
  #endif
      for (idx i0 = first_run; i0 < n0; i0 += run_step) {
  #if RUNS > 1
        if (i0 + (RUNS - 1) * apart < n0) {
          TAKE_RUNS(1)
        } else {
          TAKE_RUNS(i0 + u * apart < n0)
        }
  #else
        run sum = run_zero();
        place entry = begin;
        for (; entry + 4 <= end; entry += 4) {
          ADD_ENTRIES(4, 1)
        }
        for (; entry < end; entry++) {
          ADD_ENTRIES(1, 1)
        }
        STORE_ROW(first)
  #endif
      }
#endif
    }
  }
}

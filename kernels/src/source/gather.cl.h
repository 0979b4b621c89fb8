/* y = EXPRESSION(sum of the entries of a row times the columns of x0 that they name, y).

   A thread takes the same runs along axis 0 of the other axes in AT_ONCE rows, RUNS of them at once. Where neighbours in y are
   rows (ALONG), neighbouring threads take these, and a thread runs side by side; else neighbouring threads take neighbouring
   runs, and a thread rows side by side, which often name the same columns. What a row names is loaded once for all of a
   thread's runs.
   Before this text stand the parameters, the weights and
     PLACES                 places of a row in the table, some of them empty; 0 where rows begin at `starts`
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

KERNEL gather(PARAMETERS) {
  PROLOGUE
  /* The runs of a thread lie as far apart as its group is wide. */
  const idx row_step = (idx)GSZ(ROW_DIM), apart = (idx)LSZ(RUN_DIM) * V;
  const idx first_run = (idx)GRP(RUN_DIM) * RUNS * apart + (idx)LID(RUN_DIM) * V, run_step = (idx)GSZ(RUN_DIM) * RUNS * V;
  for (idx z = (idx)GID(2); z < OUTER; z += (idx)GSZ(2)) {
    OUTER_SPLIT(z)
    const idx from_x0 = x0_OUTER, from_y = y_OUTER;
    for (idx first = FIRST_ROW; first < ROWS; first += row_step * AT_ONCE) {
#if PLACES > 0
      place columns[AT_ONCE * PLACES];
  #if WEIGHTED
      weight weights[AT_ONCE * PLACES];
  #endif
      UNROLL for (int m = 0; m < AT_ONCE; m++) {
        const idx row = ROW_AT(m);
        UNROLL for (int k = 0; k < PLACES; k++) {
          columns[m * PLACES + k] = -1;
          if (row < ROWS) {
            columns[m * PLACES + k] = indices[(i64)k * ROWS + row];
  #if WEIGHTED
            weights[m * PLACES + k] = factors[(i64)k * ROWS + row];
  #endif
          }
        }
      }
      for (idx begin = first_run; begin < n0; begin += run_step) {
        /* All loads before the first sum, so that they are on their way together. */
        run parts[RUNS][AT_ONCE * PLACES];
        UNROLL for (int u = 0; u < RUNS; u++) {
          const idx i0 = begin + u * apart;
          UNROLL for (int k = 0; k < AT_ONCE * PLACES; k++) {
            parts[u][k] = run_zero();
            if (columns[k] >= 0 && i0 < n0) {
              LOAD_COLUMN(parts[u][k], columns[k])
            }
          }
        }
        UNROLL for (int u = 0; u < RUNS; u++) {
          const idx i0 = begin + u * apart;
          UNROLL for (int m = 0; m < AT_ONCE; m++) {
            const idx row = ROW_AT(m);
            if (row < ROWS && i0 < n0) {
  #if WEIGHTED
              run sum = run_zero();
              UNROLL for (int k = 0; k < PLACES; k++) {
                if (columns[m * PLACES + k] >= 0) {
                  sum = run_add_scaled(sum, weights[m * PLACES + k], parts[u][m * PLACES + k]);
                }
              }
  #else
              run sum = parts[u][m * PLACES];
              UNROLL for (int k = 1; k < PLACES; k++) sum = run_sum(sum, parts[u][m * PLACES + k]);
  #endif
              STORE_ROW(row)
            }
          }
        }
      }
#else
      const place begin = starts[first], end = starts[first + 1];
  #if LONG > 0
      if (end - begin > LONG) continue;
  #endif
      for (idx i0 = first_run; i0 < n0; i0 += run_step) {
        run sum = run_zero();
        place entry = begin;
        for (; entry + 4 <= end; entry += 4) {
          ADD_ENTRIES(4, 1)
        }
        for (; entry < end; entry++) {
          ADD_ENTRIES(1, 1)
        }
        STORE_ROW(first)
      }
#endif
    }
  }
}

/* y = EXPRESSION(one band along axis 0 applied to x0, y), where both have two axes.

   All rows are taken as one line, each behind GAP zeros, so that no tap reaches from a row into another one. A group loads what
   WIDTH places of this line take into local memory; a thread makes RESULTS of them, and takes each value once: value k is
   that of tap k - u of result u. What falls on zeros is not stored.
   Before this text stand the parameters, the index space and
     THREADS, RESULTS   threads of a group; places of a thread
     RESIDENT           groups that a processor is to hold at once
     FIRST_TAP, TAPS    the offset of the first tap; places up to the last tap, each with a tap
     tap_weights        their weights
     GAP                how far a row reaches before or behind itself */

#define WIDTH (RESULTS * THREADS)
#define TILE (WIDTH + TAPS - 1)
#define LOADS ((TILE + THREADS - 1) / THREADS)

#define IN_SUM(name) IN_SUM_##name
#define IN_SUM_x0 sum.e[0]
#define IN_SUM_y old.e[0]
#if READS_Y
  #define OLD(to) run old = run_load(to);
#else
  #define OLD(to)
#endif

/* Aligned as a whole: one access for a complex number. */
#if ELEMENT == 2
typedef struct ALIGNED(BITS / 4) { real re; real im; } slot;
FN slot to_slot(elem a) { slot s; s.re = a.re; s.im = a.im; return s; }
FN elem from_slot(slot s) { return e_make(s.re, s.im); }
#else
typedef elem slot;
FN slot to_slot(elem a) { return a; }
FN elem from_slot(slot s) { return s; }
#endif

/* The row i1 and the column of a place of the line, the column of zeros being negative; and those of the place that comes as many
   places later as a group has threads. */
#define BEGIN_AT(place)                                                           \
  idx i1 = (place) / padded, column = (place) - i1 * padded - GAP;                \
  if (column < -GAP) { i1 -= 1; column += padded; }
#define STEP                                                                      \
  {                                                                               \
    i1 += step_rows;                                                              \
    column += step_columns;                                                       \
    if (column >= n0) { i1 += 1; column -= padded; }                              \
  }

KERNEL_OF(THREADS, 1, RESIDENT) stencil_padded(PARAMETERS) {
  AFTER_EARLIER_KERNELS
  LOCAL_ARRAY(slot, tile, TILE);
  PROLOGUE
  FROM_FIRST_PLACES
  const int thread = LID(0);
  const idx padded = n0 + GAP, begin = (idx)GRP(0) * WIDTH + thread;
  const idx step_rows = THREADS / padded, step_columns = THREADS - step_rows * padded;
  {
    /* All are loaded before the first is stored. */
    elem values[LOADS];
    BEGIN_AT(begin + FIRST_TAP)
    UNROLL for (int k = 0; k < LOADS; k++) {
      values[k] = e_zero();
      if (column >= 0 && i1 >= 0 && i1 < n1) values[k] = run_load(x0 + (x0_ROW + column)).e[0];
      STEP
    }
    UNROLL for (int k = 0; k < LOADS; k++) {
      if (k * THREADS + thread < TILE) tile[k * THREADS + thread] = to_slot(values[k]);
    }
  }
  BARRIER();
  elem sums[RESULTS];
  {
    const LOCAL slot* mine = tile + thread * RESULTS;
    UNROLL for (int u = 0; u < RESULTS; u++) sums[u] = e_zero();
    UNROLL for (int k = 0; k < RESULTS + TAPS - 1; k++) {
      const elem value = from_slot(mine[k]);
      UNROLL for (int u = 0; u < RESULTS; u++) {
        const int t = k - u;
        if (t >= 0 && t < TAPS) sums[u] = e_add_scaled(sums[u], tap_weights[t], value);
      }
    }
  }
  /* Through local memory, so that threads side by side store places side by side. */
  BARRIER();
  UNROLL for (int u = 0; u < RESULTS; u++) tile[thread * RESULTS + u] = to_slot(sums[u]);
  BARRIER();
  BEGIN_AT(begin)
  UNROLL for (int k = 0; k < RESULTS; k++) {
    if (column >= 0 && i1 < n1) {
      GLOBAL elem* to = y + (y_ROW + column);
      run sum, result;
      sum.e[0] = from_slot(tile[k * THREADS + thread]);
      OLD(to)
      result.e[0] = EXPRESSION(IN_SUM);
      run_store(to, result);
    }
    STEP
  }
}

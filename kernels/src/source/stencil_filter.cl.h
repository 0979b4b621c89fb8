/* y = EXPRESSION(one band along axis 0 applied to x0, y), where the rows of both lie one behind the other without gaps.

   All rows are taken as one line. A group loads what WIDTH places of it take into local memory, in aligned runs wherever rows
   begin; a thread makes RESULTS of them by the formula of the common row, and takes each value once: value k is that of tap
   k - u of result u. Where a row ends, that formula takes values of its neighbour: these results are made again, each by the
   taps that fall on its row, before anything is stored. All leaves in aligned runs, too.
   Before this text stand the parameters, the index space and
     THREADS, RESULTS   threads of a group; places of a thread, a multiple of V
     RESIDENT           groups that a processor is to hold at once
     FIRST_TAP, TAPS    the offset of the first tap of the common row; its places up to the last tap
     TILE_FIRST, SKIP   where the tile begins, counted from the group's first place: the last run before FIRST_TAP; places
                        from there to the first tap
     tap_weights        the weights of all places
     BEFORE, AFTER      how many first and last results of a row have taps beyond it */

#define WIDTH (RESULTS * THREADS)
#define TILE_RUNS ((WIDTH + TAPS - 1 + SKIP + V - 1) / V)
/* Runs of the tile, and of what is made of it, that a thread moves; runs that it makes and that it takes for that. */
#define LOADS ((TILE_RUNS + THREADS - 1) / THREADS)
#define OWN (RESULTS / V)
#define TAKEN ((RESULTS + TAPS - 1 + SKIP + V - 1) / V)
#define ENDS (BEFORE + AFTER)

#define IN_SUM(name) IN_SUM_##name
#define IN_SUM_x0 sum.e[e]
#define IN_SUM_y old.e[e]
#if READS_Y
  #define OLD(at) old = filter_load(y, at, all);
#else
  #define OLD(at)
#endif

/* The run at place `at` of a line of `all` elements; zeros beyond its ends. */
FN run filter_load(const GLOBAL elem* line, idx at, idx all) {
  if (at >= 0 && at + V <= all) return run_load(line + at);
  run part = run_zero();
  UNROLL for (int e = 0; e < V; e++) {
    if (at + e >= 0 && at + e < all) part.e[e] = line[at + e];
  }
  return part;
}

KERNEL_OF(THREADS, 1, RESIDENT) stencil_filter(PARAMETERS) {
  AFTER_EARLIER_KERNELS
  LOCAL_ARRAY(run, tile, TILE_RUNS);
  LOCAL_ARRAY(run, made, WIDTH / V);
  PROLOGUE
  const int thread = LID(0);
  const idx all = n0 * n1, begin = (idx)GRP(0) * WIDTH, from = begin + TILE_FIRST;
  {
    /* All are loaded before the first is stored, without a branch for each where none crosses an end of the line. */
    run parts[LOADS];
    if (from >= 0 && from + TILE_RUNS * V <= all) {
      UNROLL for (int turn = 0; turn < LOADS; turn++) {
        const int k = turn * THREADS + thread;
        if (k < TILE_RUNS) parts[turn] = run_load(x0 + from + k * V);
      }
    } else {
      UNROLL for (int turn = 0; turn < LOADS; turn++) parts[turn] = filter_load(x0, from + (turn * THREADS + thread) * V, all);
    }
    UNROLL for (int turn = 0; turn < LOADS; turn++) {
      const int k = turn * THREADS + thread;
      if (k < TILE_RUNS) tile[k] = parts[turn];
    }
  }
  BARRIER();
  {
    const LOCAL run* mine = tile + thread * OWN;
    elem sums[RESULTS];
    UNROLL for (int u = 0; u < RESULTS; u++) sums[u] = e_zero();
    UNROLL for (int b = 0; b < TAKEN; b++) {
      const run part = mine[b];
      UNROLL for (int e = 0; e < V; e++) {
        UNROLL for (int u = 0; u < RESULTS; u++) {
          const int t = b * V + e - SKIP - u;
          if (t >= 0 && t < TAPS) sums[u] = e_add_scaled(sums[u], tap_weights[t], part.e[e]);
        }
      }
    }
    UNROLL for (int b = 0; b < OWN; b++) {
      run part;
      UNROLL for (int e = 0; e < V; e++) part.e[e] = sums[b * V + e];
      made[thread * OWN + b] = part;
    }
  }
  BARRIER();
#if ENDS > 0
  /* The rows that begin within reach of the group's places: row `end` begins where the row before it ends. */
  const idx first_end = (begin - BEFORE + n0) / n0, ends = (begin + WIDTH - 1 + AFTER) / n0 - first_end + 1;
  if (ends > 0) {
    for (int k = thread; k < (int)ends * ENDS; k += THREADS) {
      const int end = k / ENDS, beside = k - end * ENDS - AFTER;
      const idx place = (first_end + end) * n0 + beside;
      if (place < begin || place >= begin + WIDTH || place >= all) continue;
      const idx column = (beside < 0 ? n0 : 0) + beside + FIRST_TAP;
      const LOCAL elem* near = (const LOCAL elem*)tile + ((int)(place - begin) + SKIP);
      elem sum = e_zero();
      /* All threads take the same weight at once, wherever they begin. */
      _Pragma("unroll 4") for (int t = 0; t < TAPS; t++) {
        if (column + t >= 0 && column + t < n0) sum = e_add_scaled(sum, tap_weights[t], near[t]);
      }
      ((LOCAL elem*)made)[place - begin] = sum;
    }
    BARRIER();
  }
#endif
  UNROLL for (int turn = 0; turn < OWN; turn++) {
    const int k = turn * THREADS + thread;
    const idx at = begin + k * V;
    const run sum = made[k];
    run old, result;
    OLD(at)
    UNROLL for (int e = 0; e < V; e++) result.e[e] = EXPRESSION(IN_SUM);
    if (at + V <= all) {
      run_store(y + at, result);
    } else {
      UNROLL for (int e = 0; e < V; e++) {
        if (at + e < all) y[at + e] = result.e[e];
      }
    }
  }
}

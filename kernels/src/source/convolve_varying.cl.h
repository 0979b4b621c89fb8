/* y = EXPRESSION(a convolution of x0 whose filters change from place to place, y).

   A group makes a tile of LANES results along axis l and DEEP * ROWS along axis m, at one place along axis a; a thread ROWS of them, beside each
   other along m. For each filter that the tile meets, and each block of its taps, the group holds what the taps meet in local memory: x0 times
   the weights of the filter's place there, so that sums over filters are sums over taps. Of the transpose it holds x0 as it is, and what a
   filter makes of it is weighted where it is written. Before this text stand the parameters, the weights of bands, products with these and
     LANES, DEEP         threads of a group along l and along m
     RESIDENT            groups that a processor is to hold at once
     ROWS                results of a thread
     TRANSPOSED          1 if filters are those of the results, 0 if those of the samples
     HEIGHT, M_BLOCKS    taps of a block along m, and blocks
     WIDTH, L_BLOCKS     the same along l
     UNROLL_WIDTH        how far the loop over a block's taps along l is unrolled
     QUAD, QUADS         weights of 16 bytes, and how many such parts HEIGHT weights fill
     OTHER, OTHER_SPLIT(z)      axes along which nothing is shared, x0_OTHER and y_OTHER their places
   Parameters tell of each axis its elements n, the index o of the tap at time zero, and strides; tiles along l, strips along m, taps along a,
   places along m and l, and where filters begin in the table. `places` has the place before each sample, along a, m and l, and the table
   how far each sample is to the next place. */

#define THREADS (LANES * DEEP)
#define HIGH (DEEP * ROWS)
#define REACH (ROWS + HEIGHT - 1)
#define PITCH (LANES + WIDTH - 1)
#define HELD_ROWS (HIGH + HEIGHT - 1)
/* Blocks along m and l, and parts of the weights of one. */
#define BLOCKS (M_BLOCKS * L_BLOCKS)
#define BLOCK (WIDTH * QUADS)

typedef struct ALIGNED(16) { weight w[QUAD]; } quad;

#if COMPLEX_WEIGHTS
  #define REAL_OF(weight) ((weight).re)
#else
  #define REAL_OF(weight) (weight)
#endif

#define IN_SUM(name) IN_SUM_##name
#define IN_SUM_x0 sums[r]
#define IN_SUM_y *to

/* The weight of a place at a sample that is so far from the place before it. */
FN real weight_at(int place, int before, real share) {
  return place == before ? R(1.0) - share : place == before + 1 ? share : R(0.0);
}

/* The element nearest to a place. */
FN idx nearest(idx at, idx n) {
  return at < 0 ? 0 : at < n ? at : n - 1;
}

/* The last place that has a weight at a sample. */
FN int last_place(const GLOBAL int* before, const GLOBAL weight* share, idx at) {
  return before[at] + (REAL_OF(share[at]) > R(0.0) ? 1 : 0);
}

KERNEL_OF(THREADS, 1, RESIDENT) convolve_varying(PARAMETERS) {
  AFTER_EARLIER_KERNELS
  LOCAL_ARRAY(elem, held, HELD_ROWS * PITCH);
#if !TRANSPOSED
  /* The weights of a filter's place at the rows that are held, and along them. */
  LOCAL_ARRAY(real, hats, HELD_ROWS + PITCH);
#endif
  PROLOGUE
  const GLOBAL int* const before_a = places;
  const GLOBAL int* const before_m = before_a + n_a;
  const GLOBAL int* const before_l = before_m + n_m;
  const GLOBAL weight* const share_a = table;
  const GLOBAL weight* const share_m = share_a + n_a;
  const GLOBAL weight* const share_l = share_m + n_m;
  const GLOBAL quad* const filters = (const GLOBAL quad*)(table + taps_at);
  const int thread = LID(0), lane = thread % LANES, deep = thread / LANES;
  const idx groups = tiles * strips * n_a * OTHER;
  for (idx group = (idx)GRP(0); group < groups; group += (idx)NGRP(0)) {
    const idx z = group / (tiles * strips * n_a), in_z = group - z * (tiles * strips * n_a);
    const idx at_a = in_z / (tiles * strips), in_plane = in_z - at_a * (tiles * strips);
    const idx strip = in_plane / tiles, tile = in_plane - strip * tiles;
    OTHER_SPLIT(z)
    const idx place = tile * LANES + lane, row = strip * HIGH + deep * ROWS;
    elem sums[ROWS];
    UNROLL for (int r = 0; r < ROWS; r++) sums[r] = e_zero();
    /* The taps along a that meet samples. */
    const int first_t = at_a + o_a < n_a ? 0 : (int)(at_a + o_a - (n_a - 1));
    const int end_t = at_a + o_a < taps_a ? (int)(at_a + o_a + 1) : (int)taps_a;
    for (int step = first_t * BLOCKS; step < end_t * BLOCKS; step++) {
      const int t = step / BLOCKS, block = step - t * BLOCKS, b = block / L_BLOCKS, c = block - b * L_BLOCKS;
      /* The first of the samples that the group holds. */
      const idx from_a = at_a + o_a - t;
      const idx low_m = strip * HIGH + o_m - (HEIGHT - 1) - b * HEIGHT;
      const idx low_l = tile * LANES + o_l - (WIDTH - 1) - c * WIDTH;
      const int is_met = low_m < n_m && low_m + HELD_ROWS > 0 && low_l < n_l && low_l + PITCH > 0;
      const GLOBAL elem* const from = x0 + (x0_OTHER + from_a * x_a);
      /* What has filters, of the group along each axis and of the thread along m: results of the transpose, else samples. */
#if TRANSPOSED
      const idx of_group = strip * HIGH, of_thread = row, of_lanes = tile * LANES, to_a = at_a;
      const int high = HIGH, own_high = ROWS, wide = LANES;
#else
      const idx of_group = low_m, of_thread = low_m + deep * ROWS, of_lanes = low_l, to_a = from_a;
      const int high = HELD_ROWS, own_high = REACH, wide = PITCH;
#endif
      const int first_of_a = before_a[to_a], count_a = last_place(before_a, share_a, to_a) + 1 - first_of_a;
      const int first_of_m = before_m[nearest(of_group, n_m)];
      const int count_m = last_place(before_m, share_m, nearest(of_group + high - 1, n_m)) + 1 - first_of_m;
      const int first_of_l = before_l[nearest(of_lanes, n_l)];
      const int count_l = last_place(before_l, share_l, nearest(of_lanes + wide - 1, n_l)) + 1 - first_of_l;
      const int own_first = before_m[nearest(of_thread, n_m)];
      const int own_last = last_place(before_m, share_m, nearest(of_thread + own_high - 1, n_m));
      const int count = is_met ? count_a * count_m * count_l : 0;
#if TRANSPOSED
      BARRIER();
      for (int i = deep; i < HELD_ROWS; i += DEEP) {
        for (int j = lane; j < PITCH; j += LANES) {
          const idx m = low_m + i, l = low_l + j;
          const int inside = m >= 0 && m < n_m && l >= 0 && l < n_l;
          held[i * PITCH + j] = inside ? from[m * x_m + l * x_l] : e_zero();
        }
      }
      BARRIER();
#endif
      for (int number = 0; number < count; number++) {
        const int plane = number / (count_m * count_l), in_filters = number - plane * (count_m * count_l);
        const int p_a = first_of_a + plane, p_m = first_of_m + in_filters / count_l, p_l = first_of_l + in_filters % count_l;
        const real of_a = weight_at(p_a, first_of_a, REAL_OF(share_a[to_a]));
#if !TRANSPOSED
        for (int i = thread; i < HELD_ROWS + PITCH; i += THREADS) {
          const int is_row = i < HELD_ROWS;
          const idx sample = is_row ? low_m + i : low_l + (i - HELD_ROWS), n = is_row ? n_m : n_l;
          const GLOBAL int* const before = is_row ? before_m : before_l;
          const GLOBAL weight* const share = is_row ? share_m : share_l;
          real hat = R(0.0);
          if (sample >= 0 && sample < n) hat = weight_at(is_row ? p_m : p_l, before[sample], REAL_OF(share[sample]));
          hats[i] = is_row ? of_a * hat : hat;
        }
        BARRIER();
        for (int at = thread; at < HELD_ROWS * PITCH; at += THREADS) {
          const int i = at / PITCH, j = at - i * PITCH;
          const real share = hats[i] * hats[HELD_ROWS + j];
          elem x = e_zero();
          if (share != R(0.0)) x = e_scale(share, from[(low_m + i) * x_m + (low_l + j) * x_l]);
          held[at] = x;
        }
        BARRIER();
#endif
        if (p_m >= own_first && p_m <= own_last) {
          const idx filter = (p_a * places_m + p_m) * places_l + p_l;
          const GLOBAL quad* const of = filters + ((filter * taps_a + t) * BLOCKS + block) * BLOCK;
          const LOCAL elem* const at = held + (deep * ROWS * PITCH + lane + WIDTH - 1);
#if TRANSPOSED
          elem made[ROWS];
          UNROLL for (int r = 0; r < ROWS; r++) made[r] = e_zero();
  #define MADE made
#else
  #define MADE sums
#endif
          UNROLL_WIDTH for (int k = 0; k < WIDTH; k++) {
            elem x[REACH];
            UNROLL for (int j = 0; j < REACH; j++) x[j] = at[j * PITCH - k];
            weight w[QUADS * QUAD];
            UNROLL for (int q = 0; q < QUADS; q++) {
              const quad few = of[k * QUADS + q];
              UNROLL for (int e = 0; e < QUAD; e++) w[q * QUAD + e] = few.w[e];
            }
            UNROLL for (int d = 0; d < HEIGHT; d++) {
              if (IS_MET(w[d])) {
                UNROLL for (int r = 0; r < ROWS; r++) MADE[r] = ADD_SCALED(MADE[r], w[d], x[r + HEIGHT - 1 - d]);
              }
            }
          }
#if TRANSPOSED
          if (place < n_l) {
            const real of_l = of_a * weight_at(p_l, before_l[place], REAL_OF(share_l[place]));
            UNROLL for (int r = 0; r < ROWS; r++) {
              if (row + r < n_m) {
                const real of_m = of_l * weight_at(p_m, before_m[row + r], REAL_OF(share_m[row + r]));
                if (of_m != R(0.0)) sums[r] = e_add(sums[r], e_scale(of_m, made[r]));
              }
            }
          }
#endif
        }
      }
    }
    if (place < n_l) {
      UNROLL for (int r = 0; r < ROWS; r++) {
        if (row + r < n_m) {
          GLOBAL elem* const to = y + (y_OTHER + at_a * y_a + (row + r) * y_m + place * y_l);
          *to = EXPRESSION(IN_SUM);
        }
      }
    }
  }
}

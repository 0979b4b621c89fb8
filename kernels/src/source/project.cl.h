/* y = EXPRESSION(sum along curves of x0, y), or what curves spread: a thread for each element of y, over all lines, or rows of rays, of x0.

   Neighbouring threads take neighbours in y, which read neighbours in x0. Positions are computed in integers, the same wherever they
   are needed, so that both directions have the same weights; `places` and `numbers` have what is known of each pair of a row of rays and a line
   (lines fastest), or of each ray. Before this text stand the parameters and
     KIND        0: s + places + numbers, 1: sqrt(s * s + places + numbers), 2: places + k * places, and numbers as weights
     TRANSPOSED  1 if x0 has rays and y lines, which rays spread on
     NEAREST     1 if the nearest sample is taken alone
     THREADS     threads of a group
     bits        of positions on straight rays behind the point
     y_a, y_b, n; x_a, x_b, m   extents: two of rows or lines, and that along them
     OUTER, OUTER_SPLIT(z)      the other axes, x0_OUTER and y_OUTER their places */

#if KIND == 0
typedef int place;
#else
typedef i64 place;
#endif

#define IN_SUM(name) IN_SUM_##name
#define IN_SUM_x0 sum
#define IN_SUM_y *to
#define ELEMENT_AT(i) line[(idx)(i) * x0_s]
#define ADD(weight, i) sum = e_add(sum, e_scale(weight, ELEMENT_AT(i)));

#if KIND == 1
/* The largest number whose square is not larger; the root of a 32-bit float may be off by one. */
FN i64 floor_root(i64 square) {
  i64 root = (i64)R_SQRT((real)square);
  if (root * root > square) root -= 1;
  else if ((root + 1) * (root + 1) <= square) root += 1;
  return root;
}

/* The sample that lies before the square root of s * s + whole + part; the distance is told without cancellation, from what is left of the
   square. -1 if it is not on the line. */
FN i64 sample_of(i64 s, i64 whole, real part, i64 last, real* share) {
  const i64 square = s * s + whole, root = floor_root(square), rest = square - root * root;
  *share = R(0.0);
#if NEAREST
  /* (root + 1/2)^2 = root^2 + root + 1/4 */
  const i64 nearest = root + (rest > root || (rest == root && part >= R(0.25)) ? 1 : 0);
  return nearest <= last ? nearest : -1;
#else
  if (root > last || (root == last && (rest > 0 || part > R(0.0)))) return -1;
  if (rest > 0 || part > R(0.0)) *share = ((real)rest + part) / (R_SQRT((real)square + part) + (real)root);
  return root;
#endif
}
#endif

#if KIND == 2
  #if BITS == 64
    #define SHARE(position) ((real)((position) & (((i64)1 << bits) - 1)) / (real)((i64)1 << bits))
  #else
    #define SHARE(position) ((real)((int)((position) >> (bits - 24)) & 0xffffff) / R(16777216.0))
  #endif
#endif

KERNEL_OF(THREADS, 1, 1) project(PARAMETERS) {
  AFTER_EARLIER_KERNELS
  PROLOGUE
  for (idx z = (idx)GRP(2); z < OUTER; z += (idx)NGRP(2)) {
    OUTER_SPLIT(z)
    for (idx row = (idx)GRP(1); row < y_a * y_b; row += (idx)NGRP(1)) {
      for (idx s = (idx)GRP(0) * THREADS + LID(0); s < n; s += (idx)NGRP(0) * THREADS) {
        elem sum = e_zero();
#if KIND == 2 && !TRANSPOSED
        const i64 ray = (i64)row * n + s, rays = (i64)y_b * n;
        const i64 slope = places[rays + ray];
        i64 position = places[ray];
        const real weight = numbers[ray];
#endif
#if KIND == 2 && !TRANSPOSED
        const idx lines = weight == R(0.0) ? 0 : x_a;
#else
        const idx lines = x_a;
#endif
        idx at = 0;
        for (idx a = 0; a < lines; a++) {
          for (idx b = 0; b < x_b; b++, at++) {
            const GLOBAL elem* line = x0 + (x0_OUTER + a * x0_a + b * x0_b);
#if KIND < 2
  #if TRANSPOSED
            const i64 pair = (i64)at * (y_a * y_b) + row;
  #else
            const i64 pair = (i64)row * (x_a * x_b) + at;
  #endif
            const place whole = places[pair];
            const real part = numbers[pair];
#endif
#if KIND == 0 && !TRANSPOSED
            const int i = (int)s + whole;
            if (i >= 0 && i < (int)m - (part > R(0.0) ? 1 : 0)) {
              ADD(R(1.0) - part, i)
              if (part > R(0.0)) ADD(part, i + 1)
            }
#elif KIND == 0
            /* Those of sample t and of that before it, where their curves stay on the line. */
            const int t = (int)s - whole;
            if (t >= 0 && t < (int)m && (part == R(0.0) || s + 1 < n)) ADD(R(1.0) - part, t)
            if (part > R(0.0) && t >= 1 && t <= (int)m && s >= 1) ADD(part, t - 1)
#elif KIND == 1 && !TRANSPOSED
            real share;
            const i64 i = sample_of(s, whole, part, m - 1, &share);
            if (i >= 0) {
              ADD(R(1.0) - share, i)
              if (share > R(0.0)) ADD(share, i + 1)
            }
#elif KIND == 1
            /* Those that cross before sample s + 1, and not before s - 1. */
            const i64 above = s > 0 ? ((i64)s - 1) * (s - 1) - whole : 0, below = ((i64)s + 1) * (s + 1) - 1 - whole;
            if (below >= 0) {
              const i64 first = above > 0 ? floor_root(above - 1) + 1 : 0, end = floor_root(below) + 1;
              for (i64 t = first; t < end && t < m; t++) {
                real share;
                const i64 i = sample_of(t, whole, part, n - 1, &share);
                if (i == s) ADD(R(1.0) - share, t)
                else if (i == s - 1 && i >= 0 && share > R(0.0)) ADD(share, t)
              }
            }
#elif !TRANSPOSED
            const i64 i = position >> bits;
            if (i >= -1 && i < m) {
              const real share = SHARE(position);
              if (i >= 0) ADD(R(1.0) - share, i)
              if (i + 1 < m && share > R(0.0)) ADD(share, i + 1)
            }
            position += slope;
#else
            /* Detectors that may see what lies between the neighbours. */
            const GLOBAL real* of = numbers + ((i64)x_b * m + (i64)at * 6);
            const real k = (real)row, over = of[0] + of[1] * k, under = of[3] + of[4] * k;
            const real one = (over + of[2] * ((real)s - R(1.0))) / (under + of[5] * ((real)s - R(1.0)));
            const real other = (over + of[2] * ((real)s + R(1.0))) / (under + of[5] * ((real)s + R(1.0)));
            const real low = (one < other ? one : other) - margin, high = (one < other ? other : one) + margin;
            const idx first = low > R(0.0) ? (low < (real)m ? (idx)low : m) : 0;
            const idx end = high >= R(0.0) ? (high < (real)m ? (idx)high + 1 : m) : 0;
            for (idx t = first; t < end; t++) {
              const i64 ray = (i64)at * m + t;
              const i64 position = places[ray] + places[(i64)x_b * m + ray] * row;
              const i64 i = position >> bits;
              const real share = SHARE(position);
              if (i == s) ADD(numbers[ray] * (R(1.0) - share), t)
              else if (i == s - 1 && share > R(0.0)) ADD(numbers[ray] * share, t)
            }
#endif
          }
        }
#if KIND == 2 && !TRANSPOSED
        sum = e_scale(weight, sum);
#endif
        GLOBAL elem* to = y + (y_OUTER + row / y_b * y_0 + row % y_b * y_1 + s * y_s);
        *to = EXPRESSION(IN_SUM);
      }
    }
  }
}

/* Transforms of a few points in registers, with negative exponents: v[k] = sum over j of v[j] exp(-2 pi i j k / P).

   Before this text stand, of each odd radix P that is used, HAS_P and the tables COSINES_P and SINES_P of 2 pi k / P. */

/* -i times a. */
FN elem e_turned(elem a) { return e_make(a.im, -a.re); }

FN void butterfly_2(elem* v) {
  const elem a = v[0];
  v[0] = e_add(a, v[1]);
  v[1] = e_sub(a, v[1]);
}

FN void butterfly_4(elem* v) {
  const elem a = e_add(v[0], v[2]), b = e_sub(v[0], v[2]);
  const elem c = e_add(v[1], v[3]), d = e_turned(e_sub(v[1], v[3]));
  v[0] = e_add(a, c);
  v[1] = e_add(b, d);
  v[2] = e_sub(a, c);
  v[3] = e_sub(b, d);
}

FN void butterfly_8(elem* v) {
  const real half_root = R(0.70710678118654752440);
  elem even[4], odd[4];
  UNROLL for (int r = 0; r < 4; r++) {
    even[r] = v[2 * r];
    odd[r] = v[2 * r + 1];
  }
  butterfly_4(even);
  butterfly_4(odd);
  odd[1] = e_scale(half_root, e_make(odd[1].re + odd[1].im, odd[1].im - odd[1].re));
  odd[2] = e_turned(odd[2]);
  odd[3] = e_scale(half_root, e_make(odd[3].im - odd[3].re, -odd[3].re - odd[3].im));
  UNROLL for (int r = 0; r < 4; r++) {
    v[r] = e_add(even[r], odd[r]);
    v[r + 4] = e_sub(even[r], odd[r]);
  }
}

/* Of 4 times 4 points. */
FN void butterfly_16(elem* v) {
  const real cosine = R(0.92387953251128675613), sine = R(0.38268343236508977173), half_root = R(0.70710678118654752440);
  const elem first = e_make(cosine, -sine), second = e_make(half_root, -half_root), third = e_make(sine, -cosine);
  elem rows[4][4];
  UNROLL for (int j = 0; j < 4; j++) {
    UNROLL for (int r = 0; r < 4; r++) rows[j][r] = v[j + 4 * r];
    butterfly_4(rows[j]);
  }
  rows[1][1] = e_mul(rows[1][1], first);
  rows[1][2] = e_mul(rows[1][2], second);
  rows[1][3] = e_mul(rows[1][3], third);
  rows[2][1] = e_mul(rows[2][1], second);
  rows[2][2] = e_turned(rows[2][2]);
  rows[2][3] = e_turned(e_mul(rows[2][3], second));
  rows[3][1] = e_mul(rows[3][1], third);
  rows[3][2] = e_turned(e_mul(rows[3][2], second));
  rows[3][3] = e_neg(e_mul(rows[3][3], first));
  UNROLL for (int k = 0; k < 4; k++) {
    elem column[4];
    UNROLL for (int j = 0; j < 4; j++) column[j] = rows[j][k];
    butterfly_4(column);
    UNROLL for (int m = 0; m < 4; m++) v[k + 4 * m] = column[m];
  }
}

/* Of an odd number of points: elements r and P - r have one cosine, and sines of either sign. */
#define ODD_BUTTERFLY(P)                                              \
  FN void butterfly_##P(elem* v) {                                    \
    elem sums[P / 2 + 1], differences[P / 2 + 1];                     \
    elem all = v[0];                                                  \
    UNROLL for (int j = 1; j <= P / 2; j++) {                         \
      sums[j] = e_add(v[j], v[P - j]);                                \
      differences[j] = e_turned(e_sub(v[j], v[P - j]));               \
      all = e_add(all, sums[j]);                                      \
    }                                                                 \
    UNROLL for (int k = 1; k <= P / 2; k++) {                         \
      elem a = v[0], b = e_zero();                                    \
      UNROLL for (int j = 1; j <= P / 2; j++) {                       \
        a = e_add(a, e_scale(COSINES_##P[j * k % P], sums[j]));       \
        b = e_add(b, e_scale(SINES_##P[j * k % P], differences[j]));  \
      }                                                               \
      v[k] = e_add(a, b);                                             \
      v[P - k] = e_sub(a, b);                                         \
    }                                                                 \
    v[0] = all;                                                       \
  }

#ifdef HAS_3
ODD_BUTTERFLY(3)
#endif
#ifdef HAS_5
ODD_BUTTERFLY(5)
#endif
#ifdef HAS_7
ODD_BUTTERFLY(7)
#endif
#ifdef HAS_11
ODD_BUTTERFLY(11)
#endif
#ifdef HAS_13
ODD_BUTTERFLY(13)
#endif

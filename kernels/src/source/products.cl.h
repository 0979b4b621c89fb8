/* Products of weights and samples, added to sums that are not rounded in between.
   ZEROS  1 if a weight may be zero, and takes no sample then */

/* Complex products as four multiply-adds: no sum of two of them is rounded by itself. */
#if COMPLEX_WEIGHTS && ELEMENT == 2
FN elem add_scaled(elem sum, weight w, elem a) {
  return e_make(sum.re + w.re * a.re - w.im * a.im, sum.im + w.re * a.im + w.im * a.re);
}
  #define ADD_SCALED add_scaled
#else
  #define ADD_SCALED e_add_scaled
#endif
#if ZEROS
  #define IS_MET(weight) (!weight_is_zero(weight))
#else
  #define IS_MET(weight) 1
#endif

/* Weights of bands: real ones wherever they can be, also for complex x.
   COMPLEX_WEIGHTS  1 if they cannot */

#if COMPLEX_WEIGHTS
typedef elem weight;
FN elem e_add_scaled(elem sum, weight w, elem a) { return e_add(sum, e_mul(w, a)); }
FN int weight_is_zero(weight w) { return e_is_zero(w); }
#else
typedef real weight;
FN int weight_is_zero(weight w) { return w == R(0.0); }
  #if ELEMENT == 1
FN elem e_add_scaled(elem sum, weight w, elem a) { return sum + w * a; }
  #else
FN elem e_add_scaled(elem sum, weight w, elem a) { return e_make(sum.re + w * a.re, sum.im + w * a.im); }
  #endif
#endif

FN run run_zero() {
  run r;
  UNROLL for (int e = 0; e < V; e++) r.e[e] = e_zero();
  return r;
}
FN run run_add_scaled(run sum, weight w, run a) {
  UNROLL for (int e = 0; e < V; e++) sum.e[e] = e_add_scaled(sum.e[e], w, a.e[e]);
  return sum;
}

/* Runs times coefficients, and sums of runs. */

FN run run_times(run w, run a) {
  UNROLL for (int e = 0; e < V; e++) a.e[e] = e_mul(w.e[e], a.e[e]);
  return a;
}
FN run run_times_conj(run w, run a) {
  UNROLL for (int e = 0; e < V; e++) a.e[e] = e_mul(e_conj(w.e[e]), a.e[e]);
  return a;
}
FN run run_add(run a, run b) {
  UNROLL for (int e = 0; e < V; e++) a.e[e] = e_add(a.e[e], b.e[e]);
  return a;
}

/* The affine map that takes the least and the largest of all parts to `to` and `to + extent`; as copy/cast/affine.rs. */

#define MOST_THREADS 256
#define PLUS_INFINITY AS_F64((u64)0x7ff0000000000000ul)

KERNEL affine_of(GLOBAL double* RESTRICT found, const GLOBAL double* RESTRICT parts, int count, double to, double extent) {
  AFTER_EARLIER_KERNELS
  LOCAL_ARRAY(double, low, MOST_THREADS);
  LOCAL_ARRAY(double, high, MOST_THREADS);
  const int thread = LID(0);
  double least = PLUS_INFINITY, largest = -PLUS_INFINITY;
  for (int part = thread; part < count; part += MOST_THREADS) {
    if (parts[2 * part] < least) least = parts[2 * part];
    if (parts[2 * part + 1] > largest) largest = parts[2 * part + 1];
  }
  low[thread] = least;
  high[thread] = largest;
  for (int half_way = MOST_THREADS / 2; half_way > 0; half_way /= 2) {
    BARRIER();
    if (thread < half_way) {
      if (low[thread + half_way] < low[thread]) low[thread] = low[thread + half_way];
      if (high[thread + half_way] > high[thread]) high[thread] = high[thread + half_way];
    }
  }
  if (thread == 0) {
    /* Without finite elements there is no range. */
    least = low[0] > high[0] ? 0.0 : low[0];
    largest = low[0] > high[0] ? 0.0 : high[0];
    const double prescale = largest - least < PLUS_INFINITY ? 1.0 : 0.5;
    const double offset = least * prescale + 0.0, between = largest * prescale - offset;
    found[0] = prescale;
    found[1] = offset;
    found[2] = between > 0.0 ? extent / between : 0.0;
    found[3] = to;
  }
}

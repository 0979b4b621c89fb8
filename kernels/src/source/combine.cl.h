/* y = reduction of the parts that the groups of `reduce` left. */

KERNEL combine(GLOBAL elem* RESTRICT y, i64 y_at, const GLOBAL total* RESTRICT parts, i64 parts_at, int count) {
  LOCAL_ARRAY(total, shared, THREADS);
  const int thread = LID(0);
  total sum = t_none();
  for (int i = thread; i < count; i += THREADS) sum = t_join(sum, parts[parts_at + i]);
  shared[thread] = sum;
  group_join(shared, thread, thread, 1);
  if (thread == 0) y[y_at] = t_result(shared[0]);
}

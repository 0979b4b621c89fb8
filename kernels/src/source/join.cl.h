/* y = the parts, from `first` on, that the groups of the kernel before have left, joined as the last of them would have. One group. */
KERNEL join(GLOBAL result* RESTRICT y, i64 y_at, GLOBAL total* parts, int first, int groups) {
  AFTER_EARLIER_KERNELS
  LOCAL_ARRAY(total, shared, THREADS);
  const int thread = LID(0);
  parts_join(parts + first, groups, shared, thread);
  if (thread == 0) y[y_at] = t_result(shared[0]);
}

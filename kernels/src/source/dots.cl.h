/* Sums of products that a kernel adds up beside what it is for. Each thread has sums of its own, which the group joins at its end,
   and the last group those of all.

   Before this text stand reductions and
     DOTS            1 if there are any
     DOT_SUMS        declares the sums dot0, dot1, ... of a thread
     EACH_DOT(DO)    DO(0, dot0, d0, type) ..., with the places d0 of results and their types */

#if ELEMENT == 1
  #define DOT(type, a, b) ((type)(a) * (type)(b))
#else
  #define DOT(type, a, b) ((type)(a).re * (type)(b).re + (type)(a).im * (type)(b).im)
#endif

/* The sum of a group, which leaves it for others if they share the result. */
#if PARTIAL
  #define LEAVE(number, to, type) t_store(parts + number * groups + group, shared[0]);
#else
  #define LEAVE(number, to, type) to[to##_at] = (type)shared[0];
#endif
#define OF_GROUP(number, sum, to, type)        \
  shared[thread] = sum;                        \
  group_join(shared, thread, thread, 1);       \
  if (thread == 0) { LEAVE(number, to, type) } \
  BARRIER();
#define OF_ALL(number, sum, to, type)                          \
  parts_join(parts + number * groups, groups, shared, thread); \
  if (thread == 0) to[to##_at] = (type)shared[0];              \
  BARRIER();

/* Where the kernel begins, and where it ends: the whole group comes there, thread `number` of it, of group `which` of `count`. */
#if ACROSS_GROUPS
  #define DOTS_BEGIN                         \
    LOCAL_ARRAY(total, shared, THREADS);     \
    LOCAL_ARRAY(int, last, 1);               \
    DOT_SUMS
  #define DOTS_END(number, which, count)                                                              \
    {                                                                                                 \
      const int thread = (number), group = (which), groups = (count);                                 \
      EACH_DOT(OF_GROUP)                                                                              \
      if (group_is_last(parts, 0, groups, thread, last)) { EACH_DOT(OF_ALL) }                         \
    }
#else
  #define DOTS_BEGIN                     \
    LOCAL_ARRAY(total, shared, THREADS); \
    DOT_SUMS
  #define DOTS_END(number, which, count)                              \
    {                                                                 \
      const int thread = (number), group = (which), groups = (count); \
      EACH_DOT(OF_GROUP)                                              \
    }
#endif

/* Sums of products that a kernel adds up beside what it is for. Each thread has sums of its own, which the group joins at its end,
   and the last group to begin those of all.

   Before this text stand reductions and
     DOTS            1 if there are any
     DOT_SUMS        declares the sums dot0, dot1, ... of a thread
     EACH_DOT(DO)    DO(0, dot0, d0, type) ..., with the places d0 of results and their types
     EPILOGUE_LOADS(FIRST)   loads what is needed beside the results, in the thread that is FIRST
     EPILOGUE        computes what is computed of the results d0_value, d1_value, ... */

#if ELEMENT == 1
  #define DOT(type, a, b) ((type)(a) * (type)(b))
  #define SQUARED_DIFFERENCE(type, factor, a, b) \
    ((factor) * ((type)(a) - (type)(b)) * ((factor) * ((type)(a) - (type)(b))))
#else
  #define DOT(type, a, b) ((type)(a).re * (type)(b).re + (type)(a).im * (type)(b).im)
  #define PART_DIFFERENCE(type, factor, a, b, part) ((factor) * ((type)(a).part - (type)(b).part))
  #define SQUARED_DIFFERENCE(type, factor, a, b)                                            \
    (PART_DIFFERENCE(type, factor, a, b, re) * PART_DIFFERENCE(type, factor, a, b, re) +    \
     PART_DIFFERENCE(type, factor, a, b, im) * PART_DIFFERENCE(type, factor, a, b, im))
#endif

/* The sum of a group, which leaves it for others if they share the result. */
#if ACROSS_GROUPS
  #define LEAVE(number, to, type) part_leave(parts + (number * groups + group) * PART_WORDS, shared[0]);
#elif PARTIAL
  #define LEAVE(number, to, type) t_store(parts + number * groups + group, shared[0]);
#else
  #define LEAVE(number, to, type) to[to##_at] = to##_value = (type)shared[0];
#endif
#define OF_GROUP(number, sum, to, type)        \
  shared[thread] = sum;                        \
  group_join(shared, thread, thread, 1);       \
  if (thread == 0) { LEAVE(number, to, type) } \
  BARRIER();
#define OF_ALL(number, sum, to, type)                                                         \
  shared[thread] = parts_take(parts + number * groups * PART_WORDS, groups, thread, THREADS); \
  group_join(shared, thread, thread, 1);                                                      \
  if (thread == 0) to[to##_at] = to##_value = (type)shared[0];                                \
  BARRIER();

#define VALUE_OF(number, sum, to, type) type to##_value = (type)0;

/* Where the kernel begins, and where it ends: the whole group comes there, thread `number` of it, of group `which` of `count`. The
   first thread is that whose places along all axes of the group are 0. */
#if ACROSS_GROUPS
  #define DOTS_BEGIN                                                               \
    LOCAL_ARRAY(total, shared, THREADS);                                           \
    LOCAL_ARRAY(int, last, 1);                                                     \
    const u32 ticket = LID(0) + LID(1) + LID(2) == 0 ? ticket_take(parts, 0) : 0u; \
    DOT_SUMS
  #define DOTS_END(number, which, count)                                                         \
    {                                                                                            \
      const int thread = (number), group = (which), groups = (count);                            \
      EACH_DOT(VALUE_OF)                                                                         \
      EACH_DOT(OF_GROUP)                                                                         \
      if (is_last_ticket(parts, 0, groups, ticket, thread, last)) {                              \
        EPILOGUE_LOADS(thread == 0)                                                              \
        EACH_DOT(OF_ALL)                                                                         \
        if (thread == 0) { EPILOGUE }                                                            \
      }                                                                                          \
    }
#else
  #define DOTS_BEGIN                     \
    LOCAL_ARRAY(total, shared, THREADS); \
    DOT_SUMS
  #define DOTS_END(number, which, count)                              \
    {                                                                 \
      const int thread = (number), group = (which), groups = (count); \
      EACH_DOT(VALUE_OF)                                              \
      EPILOGUE_LOADS(thread == 0)                                     \
      EACH_DOT(OF_GROUP)                                              \
      if (thread == 0) { EPILOGUE }                                   \
    }
#endif

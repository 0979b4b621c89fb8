/* What kernels of sparse matrices share: from entries of a row to the sum of what they name, and from that to y.
   TABLE_WIDE  1 if columns or entries need 64 bits */

#if TABLE_WIDE
typedef i64 place;
#else
typedef int place;
#endif

FN run run_sum(run a, run b) {
  UNROLL for (int e = 0; e < V; e++) a.e[e] = e_add(a.e[e], b.e[e]);
  return a;
}

#define IN_SUM(name) IN_SUM_##name
#define IN_SUM_x0 sum.e[e]
#define IN_SUM_y old.e[e]

/* A run of y from its sum. */
#if READS_Y
  #define OLD run old = run_load(to);
#else
  #define OLD
#endif
#define STORE_SUM(place)                                                          \
  {                                                                               \
    GLOBAL cell* to = place;                                                      \
    run result;                                                                   \
    OLD                                                                           \
    UNROLL for (int e = 0; e < V; e++) result.e[e] = EXPRESSION(IN_SUM);          \
    run_store(to, result);                                                        \
  }

/* y's run i0 of a row from its sum. */
#define STORE_ROW(row)                                                            \
  {                                                                               \
    ROW_SPLIT(row)                                                                \
    STORE_SUM(y + (from_y + y_ROW + i0 * y_s0))                                   \
  }

/* The run i0 of a column. */
#define LOAD_COLUMN(part, column)                                                 \
  {                                                                               \
    COLUMN_SPLIT((idx)(column))                                                   \
    part = x0_LOAD(x0 + (from_x0 + x0_COLUMN + i0 * x0_s0));                      \
  }

#if WEIGHTED
  #define ADD_ENTRY(sum, entry, part) sum = run_add_scaled(sum, factors[entry], part)
#else
  #define ADD_ENTRY(sum, entry, part) sum = run_sum(sum, part)
#endif

/* `sum` + so many entries from `entry` on, so far apart; their loads are on their way together. */
#define ADD_ENTRIES(count, apart)                                                 \
  {                                                                               \
    run parts[count];                                                             \
    UNROLL for (int k = 0; k < count; k++) LOAD_COLUMN(parts[k], indices[entry + k * (apart)]) \
    UNROLL for (int k = 0; k < count; k++) ADD_ENTRY(sum, entry + k * (apart), parts[k]); \
  }

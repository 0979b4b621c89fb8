/* y = EXPRESSION(running sums of x0, y) along an axis whose elements are apart: neighbours are those of other lines.

   COLUMNS threads take neighbouring lines, P of each E rows of a tile. With AHEAD threads load those of the next tile before they
   store these. This text is what the kernel in scan_tiles.cl.h does with a tile. */

#define IN_SUM(name) IN_SUM_##name
#define IN_SUM_x0 own[e]
#define IN_SUM_y old
#if READS_Y
  #define OLD const elem old = cell_value(*at);
#else
  #define OLD
#endif
#if BACKWARD
  #define ROW(k)     (n - 1 - (k))
  #define STEP(s)    (-(s))
#else
  #define ROW(k)     (k)
  #define STEP(s)    (s)
#endif
/* Whether row j is one of `count`. */
#if WIDE
  #define IS_OF(j, count) ((u64)(j) < (u64)(count))
#else
  #define IS_OF(j, count) ((u32)(j) < (u32)(count))
#endif
#define ROWS_LOAD(to, t)                                                          \
  {                                                                               \
    const idx j = ROW(((t) * P + p) * E) - x0_first;                              \
    const GLOBAL cell* near = from + (i64)j * x0_s;                               \
    UNROLL for (int e = 0; e < E; e++) {                                          \
      to[e] = e_zero();                                                           \
      if (IS_OF(j + STEP(e), x0_rows)) to[e] = cell_value(near[(i64)STEP(e) * x0_s]); \
    }                                                                             \
  }

#define SCAN         scan_across
#define THREAD_PLACE const int q = thread % COLUMNS, p = thread / COLUMNS;
#define TILE_ARRAYS
#define ORIGIN
#define BEFORE       0
/* Rows that this thread reads and writes. */
#define LINE_BEGIN   const idx x0_rows = there ? n - x0_first : 0, y_rows = there ? n - y_first : 0; elem own[E];
#define TILE_LOAD(t) ROWS_LOAD(own, t)
#if AHEAD
  #define TILE_TAKE(t) elem next[E]; ROWS_LOAD(next, (t) + 1)
  #define TILE_NEXT(t) UNROLL for (int e = 0; e < E; e++) own[e] = next[e];
#else
  #define TILE_TAKE(t)
#endif
#if BACKWARD
  #define FIRST_HERE(t) (n - 1 - ((t) * P + p) * E < E ? (int)(n - 1 - ((t) * P + p) * E) : -1)
#else
  #define FIRST_HERE(t) ((t) == 0 && p == 0 ? 0 : -1)
#endif
#define TILE_STORE(t)                                                             \
  {                                                                               \
    const idx j = ROW(((t) * P + p) * E) - y_first;                               \
    GLOBAL cell* near = to + (i64)j * y_s;                                        \
    UNROLL for (int e = 0; e < E; e++) {                                          \
      if (IS_OF(j + STEP(e), y_rows)) {                                           \
        GLOBAL cell* at = near + (i64)STEP(e) * y_s;                              \
        OLD                                                                       \
        *at = cell_of(EXPRESSION(IN_SUM));                                        \
      }                                                                           \
    }                                                                             \
  }

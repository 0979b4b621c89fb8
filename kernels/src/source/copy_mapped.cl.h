/* y = EXPRESSION(the sum of what maps read of x0, x1, ..., y), element by element.

   All of y is taken as one line. A thread takes TAKES runs of it, and finds for each what every axis reads; where a run lies
   within one stretch of axis 0, its elements are read one step apart. Before this text stand the parameters and
     ALL               elements of the line
     SPLIT(f)          makes i0, i1, ... of place f
     Y_PLACE(f)        where element f is, of which i0, i1, ... are the indices; f itself if Y_IN_LINE
     SOURCES(DO)       DO(x0, 0) DO(x1, 1) ...
     name_OUTER        makes of i1, i2, ...: name_in, whether anything is read of the row; name_at, where
     name_ALONG(i)     makes of i along axis 0: name_reads and name_place, the same there; name_step, from there to the next
                       place; name_end, up to where all this is so
     EXPRESSION(OF)    in terms of OF(x0), which is the sum, and OF(y)
     BOTH_ENDS         1 if groups take turns at both ends of the line, so that what mirror images read is still in the cache */

#if WIDE
typedef u64 uidx;
#else
typedef u32 uidx;
#endif
/* The upper half of the product of two numbers of 32 bits. */
#define HIGH_PRODUCT(a, b) ((u32)(((u64)(a) * (u64)(b)) >> 32))

#define IN_SUM(name) IN_SUM_##name
#define IN_SUM_x0 sum[t].e[k]
#define IN_SUM_y old.e[k]

#define WHOLE(name, number) && i0 + V <= name##_end
#define ADD(name, number, place) \
  const elem found = name[(idx)(place)]; \
  sum[t].e[k] = number == 0 ? found : e_add(sum[t].e[k], found);
#define FIND(name, number) \
  name##_OUTER \
  int name##_reads; uidx name##_place, name##_step; idx name##_end; \
  name##_ALONG(i0)
#define READ(name, number) \
  if (name##_in & name##_reads) { \
    UNROLL for (int k = 0; k < V; k++) { ADD(name, number, name##_at + name##_place + (uidx)k * name##_step) } \
  }
#define NEXT_ROW(name, number) int name##_in_next; uidx name##_at_next;
#define FIND_NEXT(name, number) { name##_OUTER name##_in_next = name##_in; name##_at_next = name##_at; }
#define READ_ONE(name, number) \
  name##_ALONG(i) \
  if ((is_next ? name##_in_next : name##_in) & name##_reads) { \
    ADD(name, number, (is_next ? name##_at_next : name##_at) + name##_place) \
  }

KERNEL copy_mapped(PARAMETERS) {
  AFTER_EARLIER_KERNELS
  PROLOGUE
#if BOTH_ENDS
  const idx turn = (idx)GRP(0), group = turn % 2 ? (idx)NGRP(0) - 1 - turn / 2 : turn / 2;
#else
  const idx group = (idx)GRP(0);
#endif
  const idx step = (idx)LSZ(0) * V, first = group * TAKES * step + (idx)LID(0) * V;
  run sum[TAKES];
  /* All is read before the first is written. */
  UNROLL for (int t = 0; t < TAKES; t++) {
    const idx f = first + t * step;
    UNROLL for (int k = 0; k < V; k++) sum[t].e[k] = e_zero();
    if (f < ALL) {
      SPLIT(f)
      SOURCES(FIND)
      if (f + V <= ALL SOURCES(WHOLE)) {
        SOURCES(READ)
      } else {
        /* Over the end of a stretch, or into the next row: rows are no shorter than runs. */
        const idx last = f + V <= ALL ? f + V - 1 : ALL - 1;
        SOURCES(NEXT_ROW)
        { SPLIT(last) SOURCES(FIND_NEXT) }
        UNROLL for (int k = 0; k < V; k++) {
          const int is_next = i0 + k >= n0;
          const idx i = is_next ? i0 + k - n0 : i0 + k;
          if (f + k <= last) {
            SOURCES(READ_ONE)
          }
        }
      }
    }
  }
  UNROLL for (int t = 0; t < TAKES; t++) {
    const idx f = first + t * step;
    if (f + V <= ALL) {
#if Y_IN_LINE
      GLOBAL elem* const place = y + f;
#else
      SPLIT(f)
      GLOBAL elem* const place = y + Y_PLACE(f);
#endif
#if READS_Y
      const run old = run_load(place);
#endif
      run result;
      UNROLL for (int k = 0; k < V; k++) result.e[k] = EXPRESSION(IN_SUM);
      run_store(place, result);
    } else {
      /* The end of the line; elsewhere runs are single elements. */
      UNROLL for (int k = 0; k < V; k++) {
        if (f + k < ALL) {
#if READS_Y
          run old;
          old.e[k] = y[f + k];
#endif
          y[f + k] = EXPRESSION(IN_SUM);
        }
      }
    }
  }
}

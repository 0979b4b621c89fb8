/* y = EXPRESSION(the sum of what maps read of x0, x1, ..., y), element by element, of arrays that hold 16 bits of each element.

   All of y is taken as one line, of which a group takes TAKES times V stretches, a thread one place of each. It finds for each what
   every axis reads. Before this text stand the parameters, the text of cells and the macros of copy_mapped.cl.h:
     ALL, SPLIT(f), Y_PLACE(f), SOURCES(DO), name_OUTER, name_ALONG(i), EXPRESSION(OF) */

#if WIDE
typedef u64 uidx;
#else
typedef u32 uidx;
#endif
/* The upper half of the product of two numbers of 32 bits. */
#define HIGH_PRODUCT(a, b) ((u32)(((u64)(a) * (u64)(b)) >> 32))

#define IN_SUM(name) IN_SUM_##name
#define IN_SUM_x0 sum
#define IN_SUM_y old

#define ADD(name, number)                                                         \
  {                                                                               \
    name##_OUTER                                                                  \
    int name##_reads; uidx name##_place, name##_step; idx name##_end;             \
    name##_ALONG(i0)                                                              \
    if (name##_in & name##_reads) {                                               \
      const elem found = cell_value(name[(idx)(name##_at + name##_place)]);       \
      sum = number == 0 ? found : e_add(sum, found);                              \
    }                                                                             \
  }

KERNEL copy_mapped_cells(PARAMETERS) {
  AFTER_EARLIER_KERNELS
  PROLOGUE
  const idx step = (idx)LSZ(0), first = (idx)GRP(0) * (TAKES * V) * step + (idx)LID(0);
  for (int t = 0; t < TAKES * V; t++) {
    const idx f = first + t * step;
    if (f < ALL) {
      SPLIT(f)
      elem sum = e_zero();
      SOURCES(ADD)
#if READS_Y
      const elem old = cell_value(y[Y_PLACE(f)]);
#endif
      y[Y_PLACE(f)] = cell_of(EXPRESSION(IN_SUM));
    }
  }
}

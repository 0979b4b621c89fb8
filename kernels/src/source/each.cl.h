/* EACH(d, i, n): what follows, for each i below n that a thread takes along axis d of the grid.
   COVERED  1 if there is a thread for each: a loop would keep registers */

#if COVERED
  #define EACH(d, i, n) const idx i = (idx)GID(d); if (i < n)
#else
  #define EACH(d, i, n) for (idx i = (idx)GID(d); i < n; i += (idx)GSZ(d))
#endif

/* Where the elements of a line are in its array, and what is stored in the line `line_y` of the result.

   Before this text stand the parameters and
     Y_PAIRS             1 if samples 2 k and 2 k + 1 of lines are next to each other, aligned as one
     X_PLAIN, Y_PLAIN    1 if elements of lines follow each other and are taken in that order, as many as there are points */

#define PLACE(k, turn, extent) ((k) + (turn) < (extent) ? (k) + (turn) : (k) + (turn) - (extent))
#if X_PLAIN
  #define X_AT(k) (k)
  #define X_HAS(k) 1
#else
  #define X_AT(k) (PLACE(k, x_turn, x_extent) * x0_s)
  #define X_HAS(k) ((k) < x_extent)
#endif
#if Y_PLAIN
  #define Y_AT(k) (k)
  #define Y_HAS(k) 1
#else
  #define Y_AT(k) (PLACE(k, y_turn, y_extent) * y_s)
  #define Y_HAS(k) ((k) < y_extent)
#endif
/* The expression of results takes `value`: the result is known before anything has that name. */
#define STORE(k, result)                                             \
  {                                                                  \
    const elem stored = result;                                      \
    GLOBAL y_cell* to = line_y + Y_AT(k);                            \
    OLD(to)                                                          \
    { const elem value = stored; *to = y_of(EXPRESSION(NEW)); }      \
  }
#define STORE_SAMPLE(k, sample) if (Y_HAS(k)) STORE(k, e_make(scale * (sample), R(0.0)))
/* Samples k and k + 1, where k is even. */
#if Y_PAIRS && !READS_Y
  #define STORE_SAMPLES(k, samples)                                \
    if (Y_HAS((k) + 1)) {                                          \
      PUT_PAIR(line_y, k, scale * (samples).re, scale * (samples).im) \
    } else STORE_SAMPLE(k, (samples).re)
#else
  #define STORE_SAMPLES(k, samples) \
    STORE_SAMPLE(k, (samples).re)   \
    STORE_SAMPLE((k) + 1, (samples).im)
#endif

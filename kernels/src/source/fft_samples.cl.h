/* Where the elements of a line are in its array, and what is stored in the line `line_y` of the result.

   Before this text stand the parameters and
     Y_PAIRS             1 if samples 2 k and 2 k + 1 of lines are next to each other, aligned as one */

#define PLACE(k, turn, extent) ((k) + (turn) < (extent) ? (k) + (turn) : (k) + (turn) - (extent))
/* The expression of results takes `value`: the result is known before anything has that name. */
#define STORE(k, result)                                             \
  {                                                                  \
    const elem stored = result;                                      \
    GLOBAL y_cell* to = line_y + PLACE(k, y_turn, y_extent) * y_s;   \
    OLD(to)                                                          \
    { const elem value = stored; *to = y_of(EXPRESSION(NEW)); }      \
  }
#define STORE_SAMPLE(k, sample) if ((k) < y_extent) STORE(k, e_make(scale * (sample), R(0.0)))
/* Samples k and k + 1, where k is even. */
#if Y_PAIRS && !READS_Y
  #define STORE_SAMPLES(k, samples)                                \
    if ((k) + 1 < y_extent) {                                      \
      PUT_PAIR(line_y, k, scale * (samples).re, scale * (samples).im) \
    } else STORE_SAMPLE(k, (samples).re)
#else
  #define STORE_SAMPLES(k, samples) \
    STORE_SAMPLE(k, (samples).re)   \
    STORE_SAMPLE((k) + 1, (samples).im)
#endif

/* The elements of x0 and y as Fourier transforms and what stands around them find them: real numbers where X_REAL and Y_REAL are 1, else
   complex ones, aligned to X_ALIGN and Y_ALIGN bytes. */

#if X_REAL
typedef real x_cell;
FN elem x_value(x_cell a) { return e_make(a, R(0.0)); }
#else
typedef struct ALIGNED(X_ALIGN) { real re; real im; } x_cell;
FN elem x_value(x_cell a) { return e_make(a.re, a.im); }
#endif
#if Y_REAL
typedef real y_cell;
FN elem y_value(y_cell a) { return e_make(a, R(0.0)); }
FN y_cell y_of(elem a) { return a.re; }
#else
typedef struct ALIGNED(Y_ALIGN) { real re; real im; } y_cell;
FN elem y_value(y_cell a) { return e_make(a.re, a.im); }
FN y_cell y_of(elem a) { y_cell c; c.re = a.re; c.im = a.im; return c; }
#endif

/* What an expression of results takes: the result, and what there was. */
#define NEW(name) NEW_##name
#define NEW_x0 value
#define NEW_y old
#if READS_Y
  #define OLD(to) const elem old = y_value(*(to));
#else
  #define OLD(to)
#endif

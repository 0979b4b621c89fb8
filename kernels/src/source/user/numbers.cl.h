/* What the source of user kernels computes with: for real numbers REAL the functions OF_REAL(add), ..., and for complex ones
   of such parts, PAIR, the functions OF_PAIR(add), .... Those of both take and give the same, so that one text serves both.

   R(x) is a literal of REAL, MATH(f) the compiler's own function, HUGE, TINY and LIFT are as in the prelude of the verbs. */

FN REAL OF_REAL(make)(REAL re, REAL im) { return re; }
FN REAL OF_REAL(add)(REAL a, REAL b) { return a + b; }
FN REAL OF_REAL(sub)(REAL a, REAL b) { return a - b; }
FN REAL OF_REAL(mul)(REAL a, REAL b) { return a * b; }
FN REAL OF_REAL(div)(REAL a, REAL b) { return a / b; }
FN REAL OF_REAL(neg)(REAL a) { return -a; }
FN REAL OF_REAL(conj)(REAL a) { return a; }
FN REAL OF_REAL(scale)(REAL factor, REAL a) { return factor * a; }
FN REAL OF_REAL(re)(REAL a) { return a; }
FN REAL OF_REAL(im)(REAL a) { return R(0.0); }
FN REAL OF_REAL(abs)(REAL a) { return MATH(fabs)(a); }
FN REAL OF_REAL(abs2)(REAL a) { return a * a; }
FN int OF_REAL(is_zero)(REAL a) { return a == R(0.0); }
FN REAL OF_REAL(sqrt)(REAL a) { return MATH(sqrt)(a); }
FN REAL OF_REAL(exp)(REAL a) { return MATH(exp)(a); }

/* Of real numbers alone. */
FN REAL OF_REAL(log)(REAL a) { return MATH(log)(a); }
FN REAL OF_REAL(sin)(REAL a) { return MATH(sin)(a); }
FN REAL OF_REAL(cos)(REAL a) { return MATH(cos)(a); }
FN REAL OF_REAL(tanh)(REAL a) { return MATH(tanh)(a); }
FN REAL OF_REAL(floor)(REAL a) { return MATH(floor)(a); }
FN REAL OF_REAL(pow)(REAL a, REAL b) { return MATH(pow)(a, b); }
FN REAL OF_REAL(atan2)(REAL a, REAL b) { return MATH(atan2)(a, b); }
/* NaN if either is. */
FN REAL OF_REAL(min)(REAL a, REAL b) { return a < b || a != a ? a : b; }
FN REAL OF_REAL(max)(REAL a, REAL b) { return a > b || a != a ? a : b; }

FN PAIR OF_PAIR(make)(REAL re, REAL im) { PAIR z; z.re = re; z.im = im; return z; }
FN PAIR OF_PAIR(add)(PAIR a, PAIR b) { return OF_PAIR(make)(a.re + b.re, a.im + b.im); }
FN PAIR OF_PAIR(sub)(PAIR a, PAIR b) { return OF_PAIR(make)(a.re - b.re, a.im - b.im); }
FN PAIR OF_PAIR(mul)(PAIR a, PAIR b) {
  return OF_PAIR(make)(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
}
FN REAL OF_PAIR(part)(REAL one, REAL other, REAL re, REAL im, REAL ratio, REAL divisor) {
  const REAL product = other * ratio;
  if (ratio == R(0.0)) return (one + im * (other / re)) / divisor;
  if (product == R(0.0)) return one / divisor + (other / divisor) * ratio;
  return (one + product) / divisor;
}
/* As the verbs divide: overflows and underflows only where the result does. */
FN PAIR OF_PAIR(div)(PAIR a, PAIR b) {
  const REAL of_a = OF_REAL(max)(MATH(fabs)(a.re), MATH(fabs)(a.im));
  const REAL of_b = OF_REAL(max)(MATH(fabs)(b.re), MATH(fabs)(b.im));
  REAL scale = R(1.0);
  if (of_a >= HUGE) { a = OF_PAIR(make)(a.re * R(0.5), a.im * R(0.5)); scale = scale * R(2.0); }
  if (of_b >= HUGE) { b = OF_PAIR(make)(b.re * R(0.5), b.im * R(0.5)); scale = scale * R(0.5); }
  if (of_a <= TINY) { a = OF_PAIR(make)(a.re * LIFT, a.im * LIFT); scale = scale / LIFT; }
  if (of_b <= TINY) { b = OF_PAIR(make)(b.re * LIFT, b.im * LIFT); scale = scale * LIFT; }
  if (MATH(fabs)(b.im) > MATH(fabs)(b.re)) {
    a = OF_PAIR(make)(a.im, -a.re);
    b = OF_PAIR(make)(b.im, -b.re);
  }
  const REAL ratio = b.im / b.re, divisor = b.re + b.im * ratio;
  return OF_PAIR(make)(OF_PAIR(part)(a.re, a.im, b.re, b.im, ratio, divisor) * scale,
                       OF_PAIR(part)(a.im, -a.re, b.re, b.im, ratio, divisor) * scale);
}
FN PAIR OF_PAIR(neg)(PAIR a) { return OF_PAIR(make)(-a.re, -a.im); }
FN PAIR OF_PAIR(conj)(PAIR a) { return OF_PAIR(make)(a.re, -a.im); }
FN PAIR OF_PAIR(scale)(REAL factor, PAIR a) { return OF_PAIR(make)(factor * a.re, factor * a.im); }
FN REAL OF_PAIR(re)(PAIR a) { return a.re; }
FN REAL OF_PAIR(im)(PAIR a) { return a.im; }
FN REAL OF_PAIR(abs)(PAIR a) { return MATH(hypot)(a.re, a.im); }
FN REAL OF_PAIR(abs2)(PAIR a) { return a.re * a.re + a.im * a.im; }
FN int OF_PAIR(is_zero)(PAIR a) { return a.re == R(0.0) && a.im == R(0.0); }
FN PAIR OF_PAIR(sqrt)(PAIR a) {
  const REAL root = MATH(sqrt)((MATH(fabs)(a.re) + MATH(hypot)(a.re, a.im)) * R(0.5));
  const REAL other = root == R(0.0) ? root : MATH(fabs)(a.im) / (root + root);
  return a.re >= R(0.0) ? OF_PAIR(make)(root, MATH(copysign)(other, a.im))
                        : OF_PAIR(make)(other, MATH(copysign)(root, a.im));
}
FN PAIR OF_PAIR(exp)(PAIR a) {
  const REAL size = MATH(exp)(a.re);
  return OF_PAIR(make)(size * MATH(cos)(a.im), size * MATH(sin)(a.im));
}

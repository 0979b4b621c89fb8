"""Decorators for operators and solvers of one's own."""

from functools import wraps

from ..config import disabled_ndarray_multiplication

__all__ = ["disable_ndarray_multiplication", "add_ndarray_support_to_solver", "reshaped", "count"]


def disable_ndarray_multiplication(func):
    """Calls `func` while operators take vectors and matrices only."""

    @wraps(func)
    def alone(*args, **kwargs):
        with disabled_ndarray_multiplication():
            return func(*args, **kwargs)

    return alone


def add_ndarray_support_to_solver(func):
    """Lets a solver ``func(A, y, ..., x0=None)`` of vectors take data of shape ``dimsd``.

    The first result has the shape ``A.dims``, unless ``x0`` was a vector or ``A.forceflat`` is true.
    """

    @wraps(func)
    def of_arrays(A, y, *args, **kwargs):
        start = kwargs.get("x0")
        flat = bool(getattr(A, "forceflat", None))
        if start is not None:
            flat = flat or start.ndim == 1
            kwargs["x0"] = start.reshape(-1)
        with disabled_ndarray_multiplication():
            x, *others = func(A, y.reshape(-1), *args, **kwargs)
        if not flat:
            x = x.reshape(getattr(A, "dims", (A.shape[1],)))
        return (x, *others)

    return of_arrays


def reshaped(func=None, forward=None, swapaxis=False, axis=-1):
    """Lets a ``_matvec`` or ``_rmatvec`` take arrays of shape ``dims`` or ``dimsd`` and return any shape.

    Parameters
    ----------
    forward : bool, optional
        Whether the argument has the shape ``dims`` (`True`) or ``dimsd`` (`False`); by default what the name of the
        function says.
    swapaxis : bool, optional
        Whether ``self.axis`` is swapped with `axis` before and after.
    axis : int, optional
        Where ``self.axis`` goes.
    """

    def decorate(method):
        name = method.__name__
        adjoint = "rmat" in name or name in ("div", "__truediv__")
        takes_model = not adjoint if forward is None else forward

        @wraps(method)
        def of_vectors(self, x):
            x = x.reshape(self.dims if takes_model else self.dimsd)
            if swapaxis:
                x = x.swapaxes(self.axis, axis)
            y = method(self, x)
            if swapaxis:
                y = y.swapaxes(self.axis, axis)
            return y.reshape(-1)

        return of_vectors

    return decorate if func is None else decorate(func)


def count(func=None, forward=None, matmat=False):
    """Counts the calls of a method in the counters of its operator.

    A product with a matrix counts as one, not as its columns.
    """

    def decorate(method):
        ahead = "rmat" not in method.__name__ if forward is None else forward
        many = "matvec" not in method.__name__ if matmat is None else matmat
        vectors = "matvec_count" if ahead else "rmatvec_count"
        matrices = "matmat_count" if ahead else "rmatmat_count"

        @wraps(method)
        def counted(self, x):
            before = getattr(self, vectors)
            y = method(self, x)
            if many:
                setattr(self, matrices, getattr(self, matrices) + 1)
                setattr(self, vectors, before)
            else:
                setattr(self, vectors, before + 1)
            return y

        return counted

    return decorate if func is None else decorate(func)

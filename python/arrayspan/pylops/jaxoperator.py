"""An operator on arrays of JAX."""

import numpy as np

from arrayspan import _native
from arrayspan.errors import DTypeError

from .linearoperator import LinearOperator
from .utils import deps

__all__ = ["JaxOperator"]


def _of_engine(native, adjoint):
    import jax

    from arrayspan.jax import function

    apply, space = function(native, adjoint), native.range if adjoint else native.domain
    # Compiled, it is called back where it has arrays of another device.
    return jax.jit(lambda x: apply(x.reshape(space.shape)).reshape(-1))


def _result_dtype(Op, adjoint, given):
    """The dtype of what comes of an argument: in its precision, complex where that or the operator is."""
    computed = Op._dtype_for(given) if isinstance(Op, LinearOperator) else None
    native = None if computed is None else Op._native(computed)
    if native is None:
        is_complex = given.kind == "c" or Op.dtype is not None and np.dtype(Op.dtype).kind == "c"
    else:
        # Of real models the spectrum is complex, of whose adjoint models are real.
        is_complex = np.dtype((native.domain if adjoint else native.range).dtype).kind == "c"
    if is_complex:
        return np.result_type(given, np.complex64)
    return np.zeros((), given).real.dtype


def _called_back(Op, adjoint, dtype):
    import jax

    def called(adjoint):
        function, size = (Op.rmatvec, Op.shape[1]) if adjoint else (Op.matvec, Op.shape[0])

        def call(x):
            result = jax.ShapeDtypeStruct((size,), _result_dtype(Op, adjoint, np.dtype(x.dtype)))

            def host(x):
                y = np.asarray(function(np.asarray(x)))
                if y.dtype.kind == "c" and result.dtype.kind != "c":
                    raise DTypeError(f"{type(Op).__name__}: it made {y.dtype} of {x.dtype}, but is said to be {Op.dtype}")
                return y.astype(result.dtype, copy=False).reshape(size)

            return jax.pure_callback(host, result, x, vmap_method="sequential")

        return call

    one, other = called(adjoint), called(not adjoint)
    function = jax.custom_vjp(one)

    def back(_, y):
        # JAX's transpose does not conjugate: the gradient of what is complex is the conjugate of the adjoint's. That of what is real is real.
        x = other(y.conj()).conj()
        return ((x if dtype.kind == "c" else x.real).astype(dtype),)

    function.defvjp(lambda x: (one(x), None), back)
    return function


class JaxOperator(LinearOperator):
    """An operator that takes and gives arrays of JAX, inside ``jax.jit`` too, and that JAX differentiates.

    Compiled functions call the engine where the arrays are; the host is called back for operators that the engine does not have (users'
    own ones).

    Parameters
    ----------
    Op : LinearOperator
        The operator.
    """

    def __init__(self, Op):
        if not deps.jax_enabled:
            raise NotImplementedError('Jax package not installed. Run "pip install jax".')
        if isinstance(Op, _native.Operator):
            raise TypeError("JaxOperator takes operators under PyLops's names; arrayspan.jax.function takes an arrayspan.Operator")
        super().__init__(Op, explicit=False)
        self._functions = {}

    def _function(self, dtype, adjoint):
        """What is applied to arrays of a dtype: the engine, or what calls the operator back."""
        Op = self.Op
        # Where that is another dtype the operator is complex, and the argument is real.
        fits = isinstance(Op, LinearOperator) and Op._dtype_for(dtype) == dtype
        native = Op._native(dtype) if fits else None
        if native is not None and not native.domain.dtype == native.range.dtype == dtype:
            native = None
        known, made = self._functions.get((dtype, adjoint), (self, None))
        # An operator whose arrays have changed is another one.
        if known is not native:
            made = _called_back(Op, adjoint, dtype) if native is None else _of_engine(native, adjoint)
            self._functions[dtype, adjoint] = native, made
        return made

    def _matvec(self, x):
        return self._function(np.dtype(x.dtype), False)(x)

    def _rmatvec(self, x):
        return self._function(np.dtype(x.dtype), True)(x)

    def _build(self, dtype, like):
        return None

    def rmatvecad(self, x, y):
        """The gradient at `x` of what `y` is that of: ``Op.H y``, by JAX.

        Parameters
        ----------
        x : jax.Array
            A model.
        y : jax.Array
            Data.
        """
        import jax

        rows, columns = self.shape
        if x.shape != (columns,) or y.shape != (rows,):
            raise ValueError(f"Dimension mismatch. Got {x.shape} and {y.shape}, but expected ({columns},) and ({rows},).")
        return jax.vjp(self._matvec, x)[1](y)[0]

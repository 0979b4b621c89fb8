"""An operator on arrays of JAX."""

import numpy as np

from .linearoperator import LinearOperator
from .utils import deps

__all__ = ["JaxOperator"]


def _of_engine(native, adjoint):
    import jax

    from arrayspan.jax import function

    apply, space = function(native, adjoint), native.range if adjoint else native.domain
    # Compiled, it is called back where it has arrays of another device.
    return jax.jit(lambda x: apply(x.reshape(space.shape)).reshape(-1))


def _called_back(Op, adjoint):
    import jax

    def called(function, size):
        def host(x):
            return np.asarray(function(np.asarray(x)), dtype=x.dtype).reshape(size)

        return lambda x: jax.pure_callback(host, jax.ShapeDtypeStruct((size,), x.dtype), x, vmap_method="sequential")

    rows, columns = Op.shape
    both = called(Op.matvec, rows), called(Op.rmatvec, columns)
    one, other = both[adjoint], both[not adjoint]
    function = jax.custom_vjp(one)
    # JAX's transpose does not conjugate: the gradient of what is complex is the conjugate of the adjoint's.
    function.defvjp(lambda x: (one(x), None), lambda _, y: (other(y.conj()).conj(),))
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
        super().__init__(Op, explicit=False)
        self._functions = {}

    def _function(self, dtype, adjoint):
        """What is applied to arrays of a dtype: the engine, or what calls the operator back."""
        native = self.Op._native(dtype) if isinstance(self.Op, LinearOperator) else None
        if native is not None and not native.domain.dtype == native.range.dtype == dtype:
            native = None
        known, made = self._functions.get((dtype, adjoint), (self, None))
        # An operator whose arrays have changed is another one.
        if known is not native:
            made = _called_back(self.Op, adjoint) if native is None else _of_engine(native, adjoint)
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

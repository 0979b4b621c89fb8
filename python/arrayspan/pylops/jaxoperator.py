"""An operator on arrays of JAX."""

import numpy as np

from .linearoperator import LinearOperator
from .utils import deps

__all__ = ["JaxOperator"]


class JaxOperator(LinearOperator):
    """An operator that takes and gives arrays of JAX, inside ``jax.jit`` too, and that JAX differentiates.

    Inside a compiled function the host is called back.

    Parameters
    ----------
    Op : LinearOperator
        The operator.
    """

    def __init__(self, Op):
        if not deps.jax_enabled:
            raise NotImplementedError('Jax package not installed. Run "pip install jax".')
        super().__init__(Op, explicit=False)
        import jax

        def called(function, size):
            def host(x):
                return np.asarray(function(np.asarray(x)), dtype=x.dtype).reshape(size)

            return lambda x: jax.pure_callback(
                host, jax.ShapeDtypeStruct((size,), x.dtype), x, vmap_method="sequential"
            )

        rows, columns = Op.shape
        apply, adjoint = called(Op.matvec, rows), called(Op.rmatvec, columns)

        def differentiable(one, other):
            function = jax.custom_vjp(one)
            # JAX's transpose does not conjugate: the gradient of what is complex is the conjugate of the adjoint's.
            function.defvjp(lambda x: (one(x), None), lambda _, y: (other(y.conj()).conj(),))
            return function

        self._jax_matvec = differentiable(apply, adjoint)
        self._jax_rmatvec = differentiable(adjoint, apply)

    def _build(self, dtype, like):
        return None

    def _matvec(self, x):
        return self._jax_matvec(x)

    def _rmatvec(self, x):
        return self._jax_rmatvec(x)

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

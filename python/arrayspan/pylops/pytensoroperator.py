"""An operator as an operation of PyTensor."""

from functools import lru_cache

from .utils import deps

__all__ = ["PyTensorOperator"]


@lru_cache(maxsize=None)
def _operation():
    """The class of operations, made when it is asked for: PyTensor takes its time to be imported."""
    import pytensor.tensor as pt
    from pytensor.graph.basic import Apply
    from pytensor.graph.op import Op

    class PyTensorOperation(Op):
        """``LOp @ x``, of which the gradient is that of the adjoint."""

        def __init__(self, LOp, adjoint=None):
            self._LOp, self._adjoint = LOp, adjoint
            self.dims, self.dimsd, self.shape = LOp.dims, LOp.dimsd, LOp.shape
            super().__init__()

        def make_node(self, x):
            x = pt.as_tensor_variable(x)
            return Apply(self, [x], [pt.tensor(dtype=x.dtype, shape=self.dimsd)])

        def perform(self, node, inputs, outputs):
            outputs[0][0] = self._LOp @ inputs[0]

        def grad(self, inputs, gradients):
            if self._adjoint is None:
                self._adjoint = PyTensorOperation(self._LOp.H, self)
            return [self._adjoint(gradients[0])]

    return PyTensorOperation


class PyTensorOperator:
    """An operation of PyTensor, with its gradient.

    Parameters
    ----------
    LOp : LinearOperator
        The operator.
    """

    def __new__(cls, LOp):
        if not deps.pytensor_enabled:
            raise NotImplementedError('PyTensor package not installed. Run "pip install pytensor".')
        return _operation()(LOp)

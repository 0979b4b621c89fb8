"""An operator as a differentiable function of torch."""

from math import prod

import numpy as np

from .utils import deps

__all__ = ["TorchOperator"]


def _function():
    """The function of torch, made when it is asked for: torch is not imported before."""
    import torch

    class Applied(torch.autograd.Function):
        @staticmethod
        def forward(x, forward, adjoint, to_array, to_tensor):
            return to_tensor(forward(to_array(x.detach())))

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.directions = inputs[1:]

        @staticmethod
        def backward(ctx, y):
            forward, adjoint, *others = ctx.directions
            # The gradient of a linear map is its adjoint, whose gradient is the map.
            return (Applied.apply(y, adjoint, forward, *others), None, None, None, None)

    return Applied


class TorchOperator:
    """A function of tensors that torch differentiates.

    Parameters
    ----------
    Op : LinearOperator
        The operator.
    batch : bool, optional
        Whether tensors have a first axis of samples.
    flatten : bool, optional
        Whether samples are vectors, not of shape ``dims``.
    device : str, optional
        ``"cpu"``, or any other name if `Op` is applied to arrays of CuPy.
    devicetorch : str, optional
        Where tensors are.
    """

    def __init__(self, Op, batch=False, flatten=True, device="cpu", devicetorch="cpu"):
        if not deps.torch_enabled:
            raise NotImplementedError('Torch package not installed. Run "pip install torch".')
        self.device, self.devicetorch = device, devicetorch
        self.dtype, self.name = np.dtype(Op.dtype), Op.name
        self.dims, self.dimsd = Op.dims, Op.dimsd
        adjoint = Op.H

        def batched(op, axes):
            last = tuple(range(1, axes)) + (0,)
            first = (axes - 1,) + tuple(range(axes - 1))
            return lambda x: (op @ x.transpose(last)).transpose(first)

        if batch:
            self.matvec = batched(Op, 2 if flatten else len(self.dims) + 1)
            self.rmatvec = batched(adjoint, 2 if flatten else len(self.dimsd) + 1)
        else:
            self.matvec, self.rmatvec = Op.__matmul__, adjoint.__matmul__
        self._apply = _function().apply

    def _to_array(self, x):
        if self.device == "cpu":
            return x.cpu().numpy()
        import cupy

        return cupy.from_dlpack(x)

    def _to_tensor(self, y):
        import torch

        if self.device == "cpu":
            return torch.from_numpy(np.ascontiguousarray(y)).to(self.devicetorch)
        return torch.from_dlpack(y)

    def __call__(self, x):
        return self.apply(x)

    def __repr__(self):
        rows, columns = prod(self.dimsd), prod(self.dims)
        return f"<{rows}x{columns} {type(self).__name__} with dtype={self.dtype}>"

    def apply(self, x):
        """``Op x`` of a tensor."""
        return self._apply(x, self.matvec, self.rmatvec, self._to_array, self._to_tensor)

    forward = apply

    def adjoint(self, x):
        """``Op.H x`` of a tensor."""
        return self._apply(x, self.rmatvec, self.matvec, self._to_array, self._to_tensor)

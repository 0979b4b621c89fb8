"""Operators below, beside and after each other."""

from itertools import accumulate

import numpy as np

from ... import operators as engine
from .. import _dtypes
from .._recipes import built, common, same
from ..linearoperator import LinearOperator, _get_dtype, _is_operator, aslinearoperator

__all__ = ["VStack", "HStack", "BlockDiag", "Block"]


def _operator(part):
    """An operator as it is, a matrix as `MatrixMult`."""
    if _is_operator(part):
        return aslinearoperator(part)
    from .matrixmult import MatrixMult

    return MatrixMult(part, dtype=part.dtype)


class _Stack(LinearOperator):
    """What stacks have in common: their parts, and arguments that say how PyLops applies them."""

    def __init__(self, ops, nproc, inoutengine, parallel_kind, dtype, forceflat, dims, dimsd):
        if parallel_kind not in ("multiproc", "multithread"):
            raise ValueError("parallel_kind must be 'multiproc' or 'multithread'")
        self.ops = ops
        self.parallel_kind, self.inoutengine, self.nproc = parallel_kind, inoutengine, nproc
        self.nnops = [0, *accumulate(op.shape[0] for op in ops)]
        self.mmops = [0, *accumulate(op.shape[1] for op in ops)]
        dtype = _get_dtype(ops) if dtype is None else np.dtype(dtype)
        clinear = all(op.clinear for op in ops)
        super().__init__(dtype=dtype, dims=dims, dimsd=dimsd, clinear=clinear, forceflat=forceflat)

    def close(self):
        """Does nothing: there are no processes to end."""

    def _counted_parts(self):
        return tuple((op, False) for op in self.ops)

    def _dtype_for(self, given):
        return common(self.ops, given)

    # The engine's function, and the sides of which all operators have the same.
    _stack, _same = None, ()

    def _build(self, dtype, like):
        natives = built(self.ops, dtype, like)
        if natives is None:
            return None
        for side in ("domain", "range"):
            spaces = [getattr(native, side) for native in natives]
            # One operator has one dtype on each side.
            if len({space.dtype for space in spaces}) > 1 or (side in self._same and not same(*spaces)):
                return None
        return getattr(engine, self._stack)(natives)

    def _within(self, y, given):
        """A result in the dtype of the stack, as PyLops has it; nothing imaginary is dropped."""
        return _dtypes.cast(y, _dtypes.within(np.dtype(self.dtype), y.dtype)) if self.dtype.kind in "fc" else y

    def _matvec(self, x):
        x = x.reshape(-1)
        y = self._forward(x)
        return self._within(self._apply(x, "matvec") if y is None else y, x.dtype)

    def _rmatvec(self, x):
        x = x.reshape(-1)
        y = self._adjoint_of(x)
        return self._within(self._apply_adjoint(x, "rmatvec") if y is None else y, x.dtype)

    def _matmat(self, x):
        y = self._forward_columns(x)
        return self._within(self._apply(x, "matmat") if y is None else y, x.dtype)

    def _rmatmat(self, x):
        y = self._adjoint_columns(x)
        return self._within(self._apply_adjoint(x, "rmatmat") if y is None else y, x.dtype)

    def _slices(self, x, ends):
        return [x[first:last] for first, last in zip(ends, ends[1:])]

    def _joined(self, parts):
        from ..utils.backend import get_array_module

        return get_array_module(parts[0]).concatenate(parts)

    def _each(self, parts, method):
        return [getattr(op, method)(part) for op, part in zip(self.ops, parts)]


def _common_dims(dims, size, forceflat):
    """The shape that all have, else one axis of all elements, where results are vectors."""
    return (dims[0], forceflat) if len(set(dims)) == 1 else ((size,), True)


class VStack(_Stack):
    """Operators one below the other: of one model, data one after the other.

    Parameters
    ----------
    ops : sequence
        Operators or matrices.
    nproc : int, optional
        Accepted: the engine uses all cores.
    forceflat : bool, optional
        Whether models are vectors; they are where those of the operators differ in shape.
    inoutengine : tuple, optional
        Accepted: results are where their argument is.
    parallel_kind : str, optional
        Accepted, if it is ``"multiproc"`` or ``"multithread"``.
    dtype : str, optional
        The dtype of results, by default that which holds those of the operators.
    """

    _stack, _same = "vstack", ("domain",)

    def __init__(self, ops, nproc=1, forceflat=None, inoutengine=None, parallel_kind="multiproc", dtype=None):
        ops = [_operator(part) for part in ops]
        columns = [op.shape[1] for op in ops]
        if len(set(columns)) > 1:
            raise ValueError(f"Operators have different number of columns - {columns}")
        dims, forceflat = _common_dims([op.dims for op in ops], columns[0], forceflat)
        dimsd = (sum(op.shape[0] for op in ops),)
        super().__init__(ops, nproc, inoutengine, parallel_kind, dtype, forceflat, dims, dimsd)

    def _apply(self, x, method):
        return self._joined(self._each([x] * len(self.ops), method))

    def _apply_adjoint(self, x, method):
        return sum(self._each(self._slices(x, self.nnops), method))


class HStack(_Stack):
    """Operators side by side: of models one after the other, the sum of their data.

    The parameters are those of `VStack`, where `forceflat` is of data.
    """

    _stack, _same = "hstack", ("range",)

    def __init__(self, ops, nproc=1, forceflat=None, inoutengine=None, parallel_kind="multiproc", dtype=None):
        ops = [_operator(part) for part in ops]
        rows = [op.shape[0] for op in ops]
        if len(set(rows)) > 1:
            raise ValueError(f"Operators have different number of rows - {rows}")
        dimsd, forceflat = _common_dims([op.dimsd for op in ops], rows[0], forceflat)
        dims = (sum(op.shape[1] for op in ops),)
        super().__init__(ops, nproc, inoutengine, parallel_kind, dtype, forceflat, dims, dimsd)

    def _apply(self, x, method):
        return sum(self._each(self._slices(x, self.mmops), method))

    def _apply_adjoint(self, x, method):
        return self._joined(self._each([x] * len(self.ops), method))


class BlockDiag(_Stack):
    """Operators each for itself: of models one after the other, data one after the other.

    The parameters are those of `VStack`. Models, and data, of the same shape make a new first axis.
    """

    _stack = "block_diagonal"

    def __init__(self, ops, nproc=1, forceflat=None, inoutengine=None, parallel_kind="multiproc", dtype=None):
        ops = [_operator(part) for part in ops]
        sides = []
        for each, at in (([op.dims for op in ops], 1), ([op.dimsd for op in ops], 0)):
            equal = len(set(each)) == 1
            sides.append((len(ops), *each[0]) if equal else (sum(op.shape[at] for op in ops),))
            forceflat = forceflat if equal else True
        super().__init__(ops, nproc, inoutengine, parallel_kind, dtype, forceflat, *sides)

    def _apply(self, x, method):
        return self._joined(self._each(self._slices(x, self.mmops), method))

    def _apply_adjoint(self, x, method):
        return self._joined(self._each(self._slices(x, self.nnops), method))


class Block(LinearOperator):
    """A table of operators: `HStack` of each row, one below the other.

    Parameters
    ----------
    ops : sequence of sequences
        Operators or matrices, row by row.
    nproc, parallel_kind, dtype, forceflat
        As those of `VStack`.
    """

    def __init__(self, ops, nproc=1, forceflat=None, parallel_kind="multiproc", dtype=None):
        rows = [HStack(row, dtype=dtype) for row in ops]
        super().__init__(Op=VStack(rows, nproc, forceflat, parallel_kind=parallel_kind, dtype=dtype), name="B")

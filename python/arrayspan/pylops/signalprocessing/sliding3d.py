"""Operators on sliding windows of the first two of three axes."""

from math import prod

from ._windows import _design, _expect_model, _shape, _Windowed

__all__ = ["sliding3d_design", "Sliding3D"]


def sliding3d_design(dimsd, nwin, nover, nop, verb=True):
    """How many windows there are, the shape of all models, and where the models and data of windows begin and end.

    Parameters
    ----------
    dimsd : tuple
        The shape of data.
    nwin : tuple
        The samples of a window along the first two axes.
    nover : tuple
        Those that a window shares with the one before it.
    nop : tuple
        The shape of the model of a window.
    verb : bool, optional
        Accepted.
    """
    nwins, dims, models, data = _design(dimsd[:2], nwin, nover, nop[:2])
    return nwins, (*dims, nop[2]), models, data


class Sliding3D(_Windowed):
    """An operator on sliding windows of the first two axes of data of three, added up with tapers where they overlap.

    Parameters
    ----------
    Op : LinearOperator
        What is applied to each window, or, if it has as many columns as all models have elements, to all at once.
    dims, dimsd : tuple
        The shapes of all models, one behind the other along the first two axes, and of data.
    nwin : tuple
        The samples of a window along the first two axes.
    nover : tuple
        Those that it shares with the one before it.
    nop : tuple
        The shape of the model of a window.
    tapertype : str, optional
        ``"hanning"``, ``"cosine"``, ``"cosinesquare"``, ``"cosinesqrt"`` or `None`.
    savetaper : bool, optional
        Accepted: it changes nothing but what `taps` has.
    nproc : int, optional
        Accepted.
    name : str, optional
        What `describe` calls it.
    """

    _cut = "Sliding3D"

    def __init__(
        self, Op, dims, dimsd, nwin, nover, nop, tapertype="hanning", savetaper=True, nproc=1, name="P"
    ):
        dims, dimsd = _shape(dims), _shape(dimsd)
        counts, _, _, self.dwins_inends = _design(dimsd[:2], nwin, nover, nop[:2])
        self.mwins_inends = tuple(_design((extent,), (own,), (0,), (own,))[3][0] for extent, own in zip(dims, nop[:2]))
        fits = prod(counts) * Op.shape[1] // dims[2] == dims[0] * dims[1] or Op.shape[1] == prod(dims)
        _expect_model(fits, dims, "sliding3d_design")
        model = (*counts, dims[0] // counts[0], dims[1] // counts[1], dims[2])
        self._finish(Op, counts, model, dimsd, nwin, nover, tapertype, savetaper, name)

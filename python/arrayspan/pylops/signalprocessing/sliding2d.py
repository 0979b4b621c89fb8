"""Operators on sliding windows of the first of two axes."""

from math import prod

from ._windows import _design, _expect_model, _shape, _slidingsteps, _Windowed  # noqa: F401

__all__ = ["sliding2d_design", "Sliding2D"]


def sliding2d_design(dimsd, nwin, nover, nop, verb=True):
    """How many windows there are, the shape of all models, and where the models and data of windows begin and end.

    Parameters
    ----------
    dimsd : tuple
        The shape of data.
    nwin : int
        The samples of a window along the first axis.
    nover : int
        Those that a window shares with the one before it.
    nop : tuple
        The shape of the model of a window.
    verb : bool, optional
        Accepted.
    """
    (nwins,), (dim,), (models,), (data,) = _design(dimsd[:1], (nwin,), (nover,), nop[:1])
    return nwins, (dim, nop[1]), models, data


class Sliding2D(_Windowed):
    """An operator on sliding windows of the first axis of data of two, added up with tapers where they overlap.

    Parameters
    ----------
    Op : LinearOperator
        What is applied to each window, or, if it has as many columns as all models have elements, to all at once.
    dims, dimsd : tuple
        The shapes of all models, one behind the other along the first axis, and of data.
    nwin : int
        The samples of a window along the first axis.
    nover : int
        Those that it shares with the one before it.
    tapertype : str, optional
        ``"hanning"``, ``"cosine"``, ``"cosinesquare"``, ``"cosinesqrt"`` or `None`.
    savetaper : bool, optional
        Accepted: it changes nothing but what `taps` has.
    name : str, optional
        What `describe` calls it.
    """

    _cut = "Sliding2D"

    def __init__(self, Op, dims, dimsd, nwin, nover, tapertype="hanning", savetaper=True, name="S"):
        dims, dimsd = _shape(dims), _shape(dimsd)
        counts, _, _, (self.dwin_inends,) = _design(dimsd[:1], (nwin,), (nover,), (1,))
        nwins = prod(counts)
        fits = nwins * Op.shape[1] // dims[1] == dims[0] or Op.shape[1] == prod(dims)
        _expect_model(fits, dims, "sliding2d_design")
        model = (nwins, dims[0] // nwins, dims[1])
        self._finish(Op, counts, model, dimsd, nwin, nover, tapertype, savetaper, name)

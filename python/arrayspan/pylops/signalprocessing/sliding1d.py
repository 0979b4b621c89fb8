"""Operators on sliding windows of one axis."""

from math import prod

from ._windows import _design, _expect_model, _shape, _Windowed

__all__ = ["sliding1d_design", "Sliding1D"]


def sliding1d_design(dimd, nwin, nover, nop, verb=True):
    """How many windows there are, the length of a model, and where the models and data of windows begin and end.

    Parameters
    ----------
    dimd : int
        The samples of data.
    nwin : int
        Those of a window.
    nover : int
        Those that a window shares with the one before it.
    nop : int
        The length of the model of a window.
    verb : bool, optional
        Accepted.
    """
    (nwins,), (dim,), (models,), (data,) = _design((dimd,), (nwin,), (nover,), (nop,))
    return nwins, dim, models, data


class Sliding1D(_Windowed):
    """An operator on sliding windows of data of one axis, added up with tapers where they overlap.

    Parameters
    ----------
    Op : LinearOperator
        What is applied to each window, or, if it has as many columns as all models have elements, to all at once.
    dim, dimd : int
        The length of models and of data.
    nwin : int
        The samples of a window.
    nover : int
        Those that it shares with the one before it.
    tapertype : str, optional
        ``"hanning"``, ``"cosine"``, ``"cosinesquare"``, ``"cosinesqrt"`` or `None`.
    savetaper : bool, optional
        Accepted: it changes nothing but what `taps` has.
    name : str, optional
        What `describe` calls it.
    """

    _cut = "Sliding1D"

    def __init__(self, Op, dim, dimd, nwin, nover, tapertype="hanning", savetaper=True, name="S"):
        dim, dimd = _shape(dim), _shape(dimd)
        counts, _, _, (self.dwin_inends,) = _design(dimd, (nwin,), (nover,), (1,))
        nwins = prod(counts)
        _expect_model(dim[0] in (nwins * Op.shape[1], Op.shape[1]), dim, "sliding1d_design")
        dims = (nwins, dim[0] // nwins)
        self._finish(Op, counts, dims, dimd, nwin, nover, tapertype, savetaper, name)

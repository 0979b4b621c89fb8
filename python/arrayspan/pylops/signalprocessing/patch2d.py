"""Operators on patches of two axes."""

from math import prod

from ._windows import _design, _expect_model, _shape, _Windowed

__all__ = ["patch2d_design", "Patch2D"]


def patch2d_design(dimsd, nwin, nover, nop, verb=True):
    """How many patches there are, the shape of all models, and where the models and data of patches begin and end.

    Parameters
    ----------
    dimsd : tuple
        The shape of data.
    nwin : tuple
        That of a patch.
    nover : tuple
        The samples that a patch shares with the one before it along each axis.
    nop : tuple
        The shape of the model of a patch.
    verb : bool, optional
        Accepted.
    """
    return _design(dimsd, nwin, nover, nop)


class Patch2D(_Windowed):
    """An operator on patches of data of two axes, added up with tapers where they overlap.

    Parameters
    ----------
    Op : LinearOperator
        What is applied to each patch, or, if it has as many columns as all models have elements, to all at once.
    dims, dimsd : tuple
        The shapes of all models, one behind the other along each axis, and of data.
    nwin : tuple
        The shape of a patch.
    nover : tuple
        The samples that it shares with the one before it along each axis.
    nop : tuple
        The shape of the model of a patch.
    tapertype : str, optional
        ``"hanning"``, ``"cosine"``, ``"cosinesquare"``, ``"cosinesqrt"`` or `None`.
    savetaper : bool, optional
        Accepted: it changes nothing but what `taps` has.
    scalings : sequence, optional
        Kept, and not used, as in PyLops.
    name : str, optional
        What `describe` calls it.
    """

    _cut = "Patch2D"

    def __init__(
        self, Op, dims, dimsd, nwin, nover, nop, tapertype="hanning", savetaper=True, scalings=None, name="P"
    ):
        dims, dimsd = _shape(dims), _shape(dimsd)
        counts, expected, self.mwins_inends, self.dwins_inends = _design(dimsd, nwin, nover, nop)
        _expect_model(expected == dims, dims, "patch2d_design")
        self.scalings = [1.0] * prod(counts) if scalings is None else scalings
        self._finish(Op, counts, (*counts, *nop), dimsd, nwin, nover, tapertype, savetaper, name)

"""What is asked of places of filters."""

import numpy as np

from .. import _dtypes
from .._leaf import Leaf

ENGINES = ("numpy", "numba", "cuda")


def expect_engine(engine):
    """Refuses what PyLops does not know."""
    if engine not in ENGINES:
        raise ValueError("`engine` must be numpy or numba or cuda")


def expect_odd(sizes):
    if any(size % 2 == 0 for size in sizes):
        raise ValueError("The filters `hs` must have odd length")


def expect_regular(*lists):
    """Refuses places that are not evenly spaced."""
    if any(len(np.unique(np.diff(places))) > 1 for places in lists):
        raise ValueError("The indices of the filters must be regularly sampled.")


def expect_within(dims, *lists):
    """Refuses places that are no samples."""
    if any(min(places) < 0 or max(places) >= extent for places, extent in zip(lists, dims)):
        raise ValueError("The indices of the filters must be larger than 0 and smaller than `dims`.")


def grid(places):
    """The first place, the distance of two, how many there are, and the last."""
    step = places[1] - places[0] if len(places) > 1 else 1
    return places[0], step, len(places), places[-1]


def integers(places):
    return [int(place) for place in places]


class Allocated(Leaf):
    """Results have the dtype that it was made with, as PyLops allocates them, complex where what is given or held is."""

    def _choose_dtype(self, given):
        held = (getattr(self, name).dtype for name in self._holds)
        return _dtypes.within(_dtypes.promoted(self.dtype), _dtypes.promoted(given, *held))

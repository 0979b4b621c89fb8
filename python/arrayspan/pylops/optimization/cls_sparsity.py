"""Solvers for sparse models, in steps."""

from ._irls import IRLS
from ._ista import FISTA, ISTA
from ._omp import OMP
from ._spgl1 import SPGL1
from ._splitbregman import SplitBregman

__all__ = ["IRLS", "OMP", "ISTA", "FISTA", "SPGL1", "SplitBregman"]

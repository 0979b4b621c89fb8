"""Axes of Radon transforms, in steps of 1."""

import numpy as np

KINDS = ("linear", "parabolic", "hyperbolic")


def expect_engine(engine):
    """Refuses what PyLops does not know."""
    if engine not in ("numpy", "numba"):
        raise ValueError("`engine` must be numpy or numba")


def expect_kind(kind):
    if kind not in KINDS:
        raise NotImplementedError(f"Wrong kind of basis function, expected one of {KINDS}, got {kind!r}")


def step_of(axis):
    """The distance of two places."""
    return float(abs(axis[1] - axis[0]))


def from_middle(count):
    """So many places around 0."""
    return np.arange(count) - (count - 1) / 2

"""Positions between samples."""

import warnings

import numpy as np


def _ensure_iava_is_unique(iava, axis=None):
    """Raises `ValueError` if a position, or one of those along an axis, is there twice."""
    if np.unique(iava, axis=axis).shape != (iava.shape if axis is not None else (iava.size,)):
        raise ValueError("Found repeated/non-unique values in iava.")


def _within_samples(iava, sample_size):
    """The positions, of which none is beyond the last sample, and none there twice."""
    last = sample_size - 1
    if np.any(iava > last):
        warnings.warn(
            f"At least one value in iava is beyond the last sample index {last}, which stands for it.", stacklevel=3
        )
        iava = np.minimum(iava, last)
    _ensure_iava_is_unique(iava)
    return iava

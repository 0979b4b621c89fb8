"""Tomography of images."""

import warnings

import numpy as np

from ... import operators as engine_of
from .._leaf import Leaf
from ..utils.backend import to_numpy

__all__ = ["CT2D"]


class CT2D(Leaf):
    """Line integrals of an image along the rays that detectors see at some angles; its adjoint projects back.

    Rays are taken by linear interpolation, whatever the projector is called, on every device and in the dtype of what is given.

    Parameters
    ----------
    dims : tuple
        Pixels along y and x.
    det_width : float
        The width of a detector, in pixels.
    det_count : int
        How many there are side by side.
    thetas : ndarray
        Angles, in radians.
    engine : str
        ``"cpu"`` or ``"cuda"``, accepted: it is computed where arrays are.
    proj_geom_type : str, optional
        ``"parallel"`` or ``"fanflat"``.
    source_origin_dist, origin_detector_dist : float, optional
        Of fans: how far the source is before the middle of the image, and the detectors behind it.
    projector_type : str, optional
        ``"strip"``, ``"line"`` or ``"linear"``, or ``"cuda"``, accepted.
    dtype : str, optional
        The dtype that it says it has.
    name : str, optional
        What `describe` calls it.
    """

    _rule = "given"

    def __init__(
        self,
        dims,
        det_width,
        det_count,
        thetas,
        engine,
        proj_geom_type="parallel",
        source_origin_dist=None,
        origin_detector_dist=None,
        projector_type=None,
        dtype="float32",
        name="C",
    ):
        if engine not in ("cpu", "cuda"):
            raise NotImplementedError(f"engine must be 'cpu' or 'cuda', got {engine}")
        if proj_geom_type not in ("parallel", "fanflat"):
            raise ValueError(f"proj_geom_type must be 'parallel' or 'fanflat', got {proj_geom_type}")
        if engine == "cuda":
            if projector_type not in (None, "cuda"):
                raise ValueError(
                    f"Only 'cuda' projector type is supported for 'cuda' engine. Got {projector_type}"
                )
            projector_type = "cuda"
        else:
            projector_type = projector_type or "strip"
            if projector_type == "cuda":
                warnings.warn("'cuda' projector type specified with 'cpu' engine.", stacklevel=2)
            elif projector_type not in ("strip", "line", "linear"):
                raise ValueError(f"unknown projector type {projector_type}")
            elif proj_geom_type == "fanflat":
                projector_type += "_fanflat"
        self.thetas = to_numpy(thetas)
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=(len(self.thetas), det_count), name=name)
        self.det_width, self.det_count, self.engine = det_width, det_count, engine
        self.proj_geom_type, self.projector_type = proj_geom_type, projector_type
        self.source_origin_dist, self.origin_detector_dist = source_origin_dist, origin_detector_dist

    def _build(self, dtype, like):
        fan = None
        if self.proj_geom_type == "fanflat":
            fan = float(self.source_origin_dist), float(self.origin_detector_dist)
        angles = np.asarray(to_numpy(self.thetas), dtype=float).tolist()
        return engine_of.CT2D(self.dims, self.det_count, angles, float(self.det_width), fan, dtype=dtype)

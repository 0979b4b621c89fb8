from collections.abc import Sequence
from typing import Any, Literal

from arrayspan._native import ArrayLike, Shape

def taper(
    shape: Shape,
    ramps: Shape,
    kind: Literal["cosine", "cosine_squared", "square_root_cosine"] = "cosine",
) -> Any: ...
def ricker(half: int, step: float, frequency: float) -> Any: ...
def gaussian(half: int, deviation: float) -> Any: ...
def klauder(half: int, step: float, frequencies: Sequence[float]) -> Any: ...
def ormsby(half: int, step: float, frequencies: Sequence[float]) -> Any: ...
def mae(reference: ArrayLike, found: ArrayLike) -> float: ...
def mse(reference: ArrayLike, found: ArrayLike) -> float: ...
def snr(reference: ArrayLike, found: ArrayLike) -> float: ...
def psnr(
    reference: ArrayLike,
    found: ArrayLike,
    *,
    least: float | None = 0.0,
    largest: float | None = None,
) -> float: ...
def slope_estimate(
    section: ArrayLike,
    steps: Sequence[float] = (1.0, 1.0),
    deviations: Sequence[float] = (5.0, 5.0),
    threshold: float = 0.0,
    *,
    dips: bool = False,
) -> tuple[Any, Any]: ...
def pwd_slope_estimate(
    section: ArrayLike,
    iterations: int = 5,
    inner: int = 20,
    taps: Literal[3, 5] = 5,
    smoothing: Shape = 10,
    kind: Literal["boxcar", "triangle"] = "triangle",
    damping: float = 0.0,
    axis: int = -1,
) -> Any: ...

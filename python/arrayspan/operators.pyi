from collections.abc import Callable, Sequence
from typing import Any, Literal

from arrayspan._native import ArrayLike, DeviceLike, DType, Operator, Shape, Space

def vstack(operators: Sequence[Operator]) -> Operator: ...
def hstack(operators: Sequence[Operator]) -> Operator: ...
def stack(operators: Sequence[Operator]) -> Operator: ...
def block_diagonal(operators: Sequence[Operator]) -> Operator: ...
def Kronecker(a: Operator, b: Operator) -> Operator: ...
def Identity(shape: Shape, range_shape: Shape | None = None, dtype: DType = "float32") -> Operator: ...
def Zero(
    shape: Shape,
    range_shape: Shape | None = None,
    dtype: DType = "float32",
    range_dtype: DType | None = None,
) -> Operator: ...
def Diagonal(weights: ArrayLike, shape: Shape | None = None, axis: int | None = None) -> Operator: ...
def Conj(shape: Shape, dtype: DType = "complex64") -> Operator: ...
def Real(shape: Shape, dtype: DType = "complex64") -> Operator: ...
def Imag(shape: Shape, dtype: DType = "complex64") -> Operator: ...
def MatrixMult(
    matrix: ArrayLike,
    others: Shape | None = None,
    *,
    shape: Shape | None = None,
    axis: int | None = None,
    dtype: DType | None = None,
) -> Operator: ...
def Transpose(shape: Shape, order: Shape, dtype: DType = "float32") -> Operator: ...
def Flip(shape: Shape, axes: Shape = -1, dtype: DType = "float32") -> Operator: ...
def Roll(shape: Shape, shift: int = 1, axis: int = -1, dtype: DType = "float32") -> Operator: ...
def Pad(shape: Shape, pad: Sequence[tuple[int, int]], dtype: DType = "float32") -> Operator: ...
def Symmetrize(shape: Shape, axis: int = -1, dtype: DType = "float32") -> Operator: ...
def Restriction(
    shape: Shape,
    indices: Sequence[int],
    axis: int = -1,
    *,
    mask: bool = False,
    dtype: DType = "float32",
) -> Operator: ...
def Spread(
    shape: Shape,
    range_shape: Shape,
    table: ArrayLike,
    interpolation: Literal["linear", "nearest"] = "linear",
    dtype: DType = "float32",
) -> Operator: ...
def SumAlong(shape: Shape, axis: int = -1, dtype: DType = "float32") -> Operator: ...
def CausalIntegration(
    shape: Shape,
    axis: int = -1,
    step: float = 1.0,
    integral: Literal["full", "half", "trapezoidal"] = "full",
    *,
    first: bool = True,
    dtype: DType = "float32",
) -> Operator: ...
def Regression(positions: ArrayLike, order: int, *, shape: Shape | None = None, axis: int = 0) -> Operator: ...
def LinearRegression(positions: ArrayLike, *, shape: Shape | None = None, axis: int = 0) -> Operator: ...
def MemoizeOperator(operator: Operator, entries: int = 10) -> Operator: ...
def ToDevice(shape: Shape, source: DeviceLike, target: DeviceLike, dtype: DType = "float32") -> Operator: ...
def FirstDerivative(
    shape: Shape,
    axis: int = 0,
    step: float = 1.0,
    scheme: Literal["forward", "backward", "centered3", "centered5"] = "centered3",
    edge: Literal["zero", "reduced"] = "zero",
    dtype: DType = "float32",
) -> Operator: ...
def SecondDerivative(
    shape: Shape,
    axis: int = 0,
    step: float = 1.0,
    scheme: Literal["forward", "backward", "centered3", "centered5"] = "centered3",
    edge: Literal["zero", "reduced"] = "zero",
    dtype: DType = "float32",
) -> Operator: ...
def Laplacian(
    shape: Shape,
    axes: Shape = (-2, -1),
    steps: Sequence[float] | None = None,
    weights: Sequence[float] | None = None,
    scheme: Literal["forward", "backward", "centered3", "centered5"] = "centered3",
    edge: Literal["zero", "reduced"] = "zero",
    dtype: DType = "float32",
) -> Operator: ...
def Gradient(
    shape: Shape,
    steps: Sequence[float] | None = None,
    scheme: Literal["forward", "backward", "centered3", "centered5"] = "centered3",
    edge: Literal["zero", "reduced"] = "zero",
    dtype: DType = "float32",
) -> Operator: ...
def FirstDirectionalDerivative(
    shape: Shape,
    direction: ArrayLike,
    steps: Sequence[float] | None = None,
    scheme: Literal["forward", "backward", "centered3", "centered5"] = "centered3",
    edge: Literal["zero", "reduced"] = "zero",
    dtype: DType = "float32",
) -> Operator: ...
def SecondDirectionalDerivative(
    shape: Shape,
    direction: ArrayLike,
    steps: Sequence[float] | None = None,
    scheme: Literal["forward", "backward", "centered3", "centered5"] = "centered3",
    edge: Literal["zero", "reduced"] = "zero",
    dtype: DType = "float32",
) -> Operator: ...
def from_functions(
    domain: Space,
    range: Space,
    forward: Callable[..., Any],
    adjoint: Callable[..., Any] | None = None,
    name: str = "FunctionOperator",
    *,
    complex_linear: bool = True,
    self_adjoint: bool = False,
    library: str | None = None,
) -> Operator: ...
def Convolve1D(
    shape: Shape,
    filter: Sequence[complex] | Any,
    offset: int = 0,
    axis: int = -1,
    dtype: DType = "float32",
    method: Literal["auto", "direct", "fourier"] = "auto",
) -> Operator: ...
def Convolve2D(
    shape: Shape,
    filter: ArrayLike,
    offset: Sequence[int] = (0, 0),
    axes: Sequence[int] = (-2, -1),
    dtype: DType = "float32",
    method: Literal["auto", "direct", "fourier"] = "auto",
) -> Operator: ...
def ConvolveND(
    shape: Shape,
    filter: ArrayLike,
    offset: Shape | None = None,
    axes: Shape | None = None,
    dtype: DType = "float32",
    method: Literal["auto", "direct", "fourier"] = "auto",
) -> Operator: ...
def NonStationaryConvolve1D(
    shape: Shape, filters: ArrayLike, places: Sequence[int], axis: int = -1, dtype: DType = "float32"
) -> Operator: ...
def NonStationaryConvolve2D(
    shape: Shape,
    filters: ArrayLike,
    places: Sequence[Sequence[int]],
    dtype: DType = "float32",
    method: Literal["auto", "direct", "fourier"] = "auto",
) -> Operator: ...
def NonStationaryConvolve3D(
    shape: Shape,
    filters: ArrayLike,
    places: Sequence[Sequence[int]],
    dtype: DType = "float32",
    method: Literal["auto", "direct", "fourier"] = "auto",
) -> Operator: ...
def NonStationaryFilters1D(input: ArrayLike, taps: int, places: Sequence[int]) -> Operator: ...
def NonStationaryFilters2D(
    input: ArrayLike, taps: Sequence[int], places: Sequence[Sequence[int]]
) -> Operator: ...
def Fredholm1(kernel: ArrayLike, others: int = 1) -> Operator: ...
def ChirpRadon2D(shape: Shape, pmax: float, inverse: bool = False, dtype: DType = "float32") -> Operator: ...
def ChirpRadon3D(
    shape: Shape, pmax: Sequence[float], inverse: bool = False, dtype: DType = "float32"
) -> Operator: ...
def FourierRadon2D(
    shape: Shape,
    slownesses: ArrayLike,
    offsets: ArrayLike,
    points: int | None = None,
    step: float = 1.0,
    band: tuple[int, int] | None = None,
    kind: Literal["linear", "parabolic"] = "linear",
    dtype: DType = "float32",
) -> Operator: ...
def FourierRadon3D(
    shape: Shape,
    slownesses: Sequence[ArrayLike],
    offsets: Sequence[ArrayLike],
    points: int | None = None,
    step: float = 1.0,
    band: tuple[int, int] | None = None,
    kinds: Sequence[Literal["linear", "parabolic"]] = ("linear", "linear"),
    dtype: DType = "float32",
) -> Operator: ...
def Radon2D(
    shape: Shape,
    slownesses: ArrayLike,
    offsets: ArrayLike,
    step: float = 1.0,
    kind: Literal["linear", "parabolic", "hyperbolic"] = "linear",
    interpolation: Literal["linear", "nearest"] = "linear",
    dtype: DType = "float32",
) -> Operator: ...
def Radon3D(
    shape: Shape,
    slownesses: Sequence[ArrayLike],
    offsets: Sequence[ArrayLike],
    step: float = 1.0,
    kinds: Sequence[Literal["linear", "parabolic", "hyperbolic"]] = ("linear", "linear"),
    interpolation: Literal["linear", "nearest"] = "linear",
    dtype: DType = "float32",
) -> Operator: ...
def CT2D(
    shape: Shape,
    detectors: int,
    angles: ArrayLike,
    width: float = 1.0,
    fan: tuple[float, float] | None = None,
    dtype: DType = "float32",
) -> Operator: ...
def Smoothing(shape: Shape, windows: Sequence[tuple[int, int]], dtype: DType = "float32") -> Operator: ...
def Interp(
    shape: Shape,
    positions: ArrayLike,
    axis: int = -1,
    interpolation: Literal["linear", "nearest", "sinc"] = "linear",
    dtype: DType = "float32",
    least: float = 0.0,
) -> Operator: ...
def InterpCubicSpline(
    shape: Shape, positions: ArrayLike, axis: int = -1, dtype: DType = "float32"
) -> Operator: ...
def Bilinear(shape: Shape, rows: ArrayLike, columns: ArrayLike, dtype: DType = "float32") -> Operator: ...
def FFT(
    shape: Shape,
    axis: int = -1,
    points: int | None = None,
    spectrum: Literal["full", "half"] = "full",
    norm: Literal["ortho", "unscaled", "over_n"] = "ortho",
    ifftshift_before: bool = False,
    fftshift_after: bool = False,
    dtype: DType = "float32",
) -> Operator: ...
def FFT2D(
    shape: Shape,
    axes: Shape = (-2, -1),
    points: int | Sequence[int | None] | None = None,
    spectrum: Literal["full", "half"] = "full",
    norm: Literal["ortho", "unscaled", "over_n"] = "ortho",
    ifftshift_before: bool | Sequence[bool] = False,
    fftshift_after: bool | Sequence[bool] = False,
    dtype: DType = "float32",
) -> Operator: ...
def FFTND(
    shape: Shape,
    axes: Shape,
    points: int | Sequence[int | None] | None = None,
    spectrum: Literal["full", "half"] = "full",
    norm: Literal["ortho", "unscaled", "over_n"] = "ortho",
    ifftshift_before: bool | Sequence[bool] = False,
    fftshift_after: bool | Sequence[bool] = False,
    dtype: DType = "float32",
) -> Operator: ...
def Shift(
    shape: Shape,
    delay: float | ArrayLike,
    axis: int = -1,
    points: int | None = None,
    step: float = 1.0,
    dtype: DType = "float32",
) -> Operator: ...
def Sliding1D(
    inner: Operator,
    extent: int,
    window: int,
    overlap: int = 0,
    taper: Literal["cosine", "cosine_squared", "square_root_cosine"] | None = "cosine",
) -> Operator: ...
def Sliding2D(
    inner: Operator,
    shape: Shape,
    window: int,
    overlap: int = 0,
    taper: Literal["cosine", "cosine_squared", "square_root_cosine"] | None = "cosine",
) -> Operator: ...
def Sliding3D(
    inner: Operator,
    shape: Shape,
    windows: Shape,
    overlaps: Shape = 0,
    taper: Literal["cosine", "cosine_squared", "square_root_cosine"] | None = "cosine",
) -> Operator: ...
def Patch2D(
    inner: Operator,
    shape: Shape,
    windows: Shape,
    overlaps: Shape = 0,
    taper: Literal["cosine", "cosine_squared", "square_root_cosine"] | None = "cosine",
) -> Operator: ...
def Patch3D(
    inner: Operator,
    shape: Shape,
    windows: Shape,
    overlaps: Shape = 0,
    taper: Literal["cosine", "cosine_squared", "square_root_cosine"] | None = "cosine",
) -> Operator: ...
def DWT(
    shape: Shape,
    wavelet: str = "haar",
    levels: int = 1,
    axis: int = -1,
    *,
    inverse: bool = False,
    dtype: DType = "float32",
) -> Operator: ...
def DWT2D(
    shape: Shape,
    wavelet: str = "haar",
    levels: int = 1,
    axes: Shape = (-2, -1),
    *,
    inverse: bool = False,
    dtype: DType = "float32",
) -> Operator: ...
def DWTND(
    shape: Shape,
    axes: Shape,
    wavelet: str = "haar",
    levels: int = 1,
    *,
    inverse: bool = False,
    dtype: DType = "float32",
) -> Operator: ...
def DCT(shape: Shape, axes: Shape | None = None, kind: int = 2, dtype: DType = "float32") -> Operator: ...
def DTCWT(
    shape: Shape,
    levels: int = 3,
    axis: int = -1,
    first: Literal["antonini", "legall", "near_sym_a", "near_sym_b"] = "near_sym_a",
    further: Literal["qshift_06", "qshift_a", "qshift_b", "qshift_c", "qshift_d", "qshift_32"] = "qshift_a",
    *,
    inverse: bool = False,
    dtype: DType = "float32",
) -> Operator: ...
def UDCT(
    shape: Shape,
    scales: int = 3,
    wedges: int = 3,
    overlap: float | None = None,
    radii: tuple[float, float, float, float] | None = None,
    threshold: float = 1e-5,
    finest: Literal["curvelets", "wavelets"] = "curvelets",
    kind: Literal["real", "complex"] = "real",
    *,
    inverse: bool = False,
    dtype: DType = "float32",
) -> Operator: ...
def curvelet_bands(
    shape: Shape,
    scales: int = 3,
    wedges: int = 3,
    finest: Literal["curvelets", "wavelets"] = "curvelets",
    kind: Literal["real", "complex"] = "real",
) -> list[tuple[int, int, int, tuple[int, ...]]]: ...
def Seislet(
    shape: Shape,
    slopes: ArrayLike,
    levels: int,
    steps: tuple[float, float] = (1.0, 1.0),
    basis: Literal["haar", "linear"] = "haar",
    *,
    inverse: bool = False,
    dtype: DType = "float32",
) -> Operator: ...
def PWSprayer2D(
    shape: Shape, slopes: ArrayLike, radius: int = 8, decay: float = 0.9, dtype: DType = "float32"
) -> Operator: ...
def PWSmoother2D(
    shape: Shape, slopes: ArrayLike, radius: int = 8, decay: float = 0.9, dtype: DType = "float32"
) -> Operator: ...
def MRI2D(
    shape: Shape,
    mask: ArrayLike | None = None,
    *,
    lines: Shape | None = None,
    points: tuple[Sequence[float], Sequence[float]] | None = None,
    dtype: DType = "complex64",
) -> Operator: ...
def PoststackLinearModelling(
    shape: Shape,
    wavelet: Sequence[complex] | Any,
    scheme: Literal["forward", "backward", "centered3", "centered5"] = "centered3",
    dtype: DType = "float32",
) -> Operator: ...
def wavelets() -> list[str]: ...

from collections.abc import Callable, Sequence
from typing import Any, Literal

from arrayspan._native import ArrayLike, DeviceLike, Operator

class Progress:
    @property
    def solver(self) -> str: ...
    @property
    def iteration(self) -> int: ...
    @property
    def most(self) -> int: ...
    @property
    def residual(self) -> float: ...
    @property
    def gradient(self) -> float: ...
    @property
    def initial(self) -> float: ...
    @property
    def data(self) -> float: ...
    @property
    def relative_residual(self) -> float: ...
    @property
    def relative_gradient(self) -> float: ...
    @property
    def residuals(self) -> list[float]: ...
    @property
    def elapsed(self) -> float: ...
    @property
    def stopped(self) -> str | None: ...
    def solution(self) -> Any: ...

class Solution:
    @property
    def x(self) -> Any: ...
    @property
    def iterations(self) -> int: ...
    @property
    def residuals(self) -> list[float]: ...
    @property
    def stopped(self) -> str: ...
    @property
    def launched(self) -> str: ...

class Workspace:
    def __new__(cls) -> Workspace: ...
    def clear(self) -> None: ...

def cgls(
    a: Operator,
    y: ArrayLike,
    start: ArrayLike | None = None,
    *,
    damping: float = 0.0,
    callback: Callable[[Progress], object] | None = None,
    iterations: int = 100,
    residual: float = 1e-8,
    absolute: float = 0.0,
    gradient: float = 1e-8,
    stagnation: tuple[int, float] | None = None,
    time: float | None = None,
    check_every: int = 10,
    workspace: Workspace | None = None,
) -> Solution: ...
def single_reduction_cgls(
    a: Operator,
    y: ArrayLike,
    start: ArrayLike | None = None,
    *,
    damping: float = 0.0,
    callback: Callable[[Progress], object] | None = None,
    iterations: int = 100,
    residual: float = 1e-8,
    absolute: float = 0.0,
    gradient: float = 1e-8,
    stagnation: tuple[int, float] | None = None,
    time: float | None = None,
    check_every: int = 10,
    workspace: Workspace | None = None,
) -> Solution: ...
def lsqr(
    a: Operator,
    y: ArrayLike,
    start: ArrayLike | None = None,
    *,
    damping: float = 0.0,
    callback: Callable[[Progress], object] | None = None,
    iterations: int = 100,
    residual: float = 1e-8,
    absolute: float = 0.0,
    gradient: float = 1e-8,
    stagnation: tuple[int, float] | None = None,
    time: float | None = None,
    check_every: int = 10,
    workspace: Workspace | None = None,
) -> Solution: ...
def lsmr(
    a: Operator,
    y: ArrayLike,
    start: ArrayLike | None = None,
    *,
    damping: float = 0.0,
    callback: Callable[[Progress], object] | None = None,
    iterations: int = 100,
    residual: float = 1e-8,
    absolute: float = 0.0,
    gradient: float = 1e-8,
    stagnation: tuple[int, float] | None = None,
    time: float | None = None,
    check_every: int = 10,
    workspace: Workspace | None = None,
) -> Solution: ...
def cg(
    a: Operator,
    y: ArrayLike,
    start: ArrayLike | None = None,
    *,
    preconditioner: Operator | None = None,
    callback: Callable[[Progress], object] | None = None,
    iterations: int = 100,
    residual: float = 1e-8,
    absolute: float = 0.0,
    gradient: float = 1e-8,
    stagnation: tuple[int, float] | None = None,
    time: float | None = None,
    check_every: int = 10,
    workspace: Workspace | None = None,
) -> Solution: ...
def single_reduction_cg(
    a: Operator,
    y: ArrayLike,
    start: ArrayLike | None = None,
    *,
    preconditioner: Operator | None = None,
    callback: Callable[[Progress], object] | None = None,
    iterations: int = 100,
    residual: float = 1e-8,
    absolute: float = 0.0,
    gradient: float = 1e-8,
    stagnation: tuple[int, float] | None = None,
    time: float | None = None,
    check_every: int = 10,
    workspace: Workspace | None = None,
) -> Solution: ...
def minres(
    a: Operator,
    y: ArrayLike,
    start: ArrayLike | None = None,
    *,
    callback: Callable[[Progress], object] | None = None,
    iterations: int = 100,
    residual: float = 1e-8,
    absolute: float = 0.0,
    gradient: float = 1e-8,
    stagnation: tuple[int, float] | None = None,
    time: float | None = None,
    check_every: int = 10,
    workspace: Workspace | None = None,
) -> Solution: ...
def gmres(
    a: Operator,
    y: ArrayLike,
    start: ArrayLike | None = None,
    *,
    restart: int = 30,
    preconditioner: Operator | None = None,
    callback: Callable[[Progress], object] | None = None,
    iterations: int = 100,
    residual: float = 1e-8,
    absolute: float = 0.0,
    gradient: float = 1e-8,
    stagnation: tuple[int, float] | None = None,
    time: float | None = None,
    check_every: int = 10,
    workspace: Workspace | None = None,
) -> Solution: ...
def bicgstab(
    a: Operator,
    y: ArrayLike,
    start: ArrayLike | None = None,
    *,
    preconditioner: Operator | None = None,
    callback: Callable[[Progress], object] | None = None,
    iterations: int = 100,
    residual: float = 1e-8,
    absolute: float = 0.0,
    gradient: float = 1e-8,
    stagnation: tuple[int, float] | None = None,
    time: float | None = None,
    check_every: int = 10,
    workspace: Workspace | None = None,
) -> Solution: ...
def ista(
    a: Operator,
    y: ArrayLike,
    start: ArrayLike | None = None,
    *,
    weight: float = 0.1,
    threshold: str = "soft",
    keep: float | None = None,
    basis: Operator | None = None,
    decay: Sequence[float] | None = None,
    step: float | None = None,
    backtracking: bool = False,
    callback: Callable[[Progress], object] | None = None,
    iterations: int = 100,
    residual: float = 1e-8,
    absolute: float = 0.0,
    gradient: float = 1e-8,
    stagnation: tuple[int, float] | None = None,
    time: float | None = None,
    check_every: int = 10,
    workspace: Workspace | None = None,
) -> Solution: ...
def fista(
    a: Operator,
    y: ArrayLike,
    start: ArrayLike | None = None,
    *,
    weight: float = 0.1,
    threshold: str = "soft",
    keep: float | None = None,
    basis: Operator | None = None,
    decay: Sequence[float] | None = None,
    step: float | None = None,
    backtracking: bool = False,
    restart: bool = False,
    callback: Callable[[Progress], object] | None = None,
    iterations: int = 100,
    residual: float = 1e-8,
    absolute: float = 0.0,
    gradient: float = 1e-8,
    stagnation: tuple[int, float] | None = None,
    time: float | None = None,
    check_every: int = 10,
    workspace: Workspace | None = None,
) -> Solution: ...
def irls(
    a: Operator,
    y: ArrayLike,
    *,
    kind: str = "data",
    iterations: int = 10,
    tolerance: float = 1e-10,
    epsilon: float = 1e-10,
    clipped: bool = False,
    damping: float = 1e-10,
    warm: bool = False,
    inner: int = 100,
    inner_residual: float = 1e-8,
    inner_gradient: float = 1e-8,
) -> Solution: ...
def omp(
    a: Operator,
    y: ArrayLike,
    *,
    iterations: int = 10,
    residual: float = 1e-8,
    absolute: float = 0.0,
    normalize: bool = False,
    inner: int = 100,
    inner_residual: float = 1e-8,
    inner_gradient: float = 1e-8,
) -> Solution: ...
def spgl1(
    a: Operator,
    y: ArrayLike,
    *,
    misfit: float | None = None,
    norm: float | None = None,
    iterations: int = 1000,
    tolerance: float = 1e-6,
) -> Solution: ...
def split_bregman(
    a: Operator,
    y: ArrayLike,
    l1: Sequence[tuple[Operator, float, bool]],
    l2: Sequence[tuple[Operator, float, Any | None]] | None = None,
    start: ArrayLike | None = None,
    *,
    mu: float = 1.0,
    relaxation: float = 1.0,
    iterations: int = 50,
    inner: int = 3,
    tolerance: float = 1e-8,
    restart: bool = False,
    inner_iterations: int = 100,
    inner_residual: float = 1e-8,
    inner_gradient: float = 1e-8,
) -> Solution: ...
def eigs(
    a: Operator,
    count: int = 6,
    *,
    which: Literal["largest magnitude", "largest", "smallest", "both ends"] = "largest magnitude",
    basis: int | None = None,
    tolerance: float = 1e-10,
    restarts: int = 300,
    seed: int = 1,
    device: DeviceLike | None = None,
) -> Any: ...
def lobpcg(
    a: Operator,
    count: int = 4,
    *,
    which: Literal["largest magnitude", "largest", "smallest", "both ends"] = "smallest",
    preconditioner: Operator | None = None,
    tolerance: float = 1e-8,
    iterations: int = 500,
    seed: int = 1,
    device: DeviceLike | None = None,
) -> Any: ...
def svds(
    a: Operator,
    count: int = 6,
    *,
    which: Literal["largest magnitude", "largest", "smallest", "both ends"] = "largest",
    basis: int | None = None,
    tolerance: float = 1e-10,
    restarts: int = 300,
    seed: int = 1,
    device: DeviceLike | None = None,
) -> Any: ...
def randomized_svd(
    a: Operator,
    count: int = 6,
    *,
    oversampling: int = 10,
    powers: int = 2,
    tolerance: float | None = None,
    seed: int = 1,
    device: DeviceLike | None = None,
) -> Any: ...
def power_iteration(
    a: Operator,
    *,
    tolerance: float = 1e-6,
    iterations: int = 1000,
    seed: int = 1,
    check_every: int = 10,
    device: DeviceLike | None = None,
) -> Any: ...
def cond(a: Operator, *, device: DeviceLike | None = None) -> Any: ...
def norm_estimate(
    a: Operator,
    *,
    tolerance: float = 0.1,
    failure: float = 1e-6,
    iterations: int = 30,
    seed: int = 1,
    check_every: int = 5,
    device: DeviceLike | None = None,
) -> Any: ...
def log_det(
    a: Operator,
    *,
    probes: int = 20,
    steps: int = 30,
    exact: int = 128,
    seed: int = 1,
    device: DeviceLike | None = None,
) -> Any: ...

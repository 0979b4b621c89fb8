from collections.abc import Callable
from typing import Any, Protocol, TypeVar, overload

from arrayspan._native import DType, Overflow, Rounding, Scale

_F = TypeVar("_F", bound=Callable[..., Any])

class _Declare(Protocol):
    @overload
    def __call__(self, function: _F) -> _F: ...
    @overload
    def __call__(
        self,
        function: None = None,
        *,
        output: str | None = None,
        gpu_id: int | None = None,
        retry: bool = False,
        dtype: DType | None = None,
        overflow: Overflow = "saturate",
        rounding: Rounding = "nearest-even",
        scale: Scale = None,
    ) -> Callable[[_F], _F]: ...

def memory_types(
    input: str,
    output: str | None = None,
    *,
    gpu_id: int | None = None,
    retry: bool = False,
    dtype: DType | None = None,
    overflow: Overflow = "saturate",
    rounding: Rounding = "nearest-even",
    scale: Scale = None,
) -> Callable[[_F], _F]: ...

arrayspan: _Declare
cupy: _Declare
jax: _Declare
numpy: _Declare
pyclesperanto: _Declare
tensorflow: _Declare
torch: _Declare

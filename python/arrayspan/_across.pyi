from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, Self

from arrayspan._native import ArrayLike, DeviceLike, Operator

class Across(Iterator[Any]):
    def __iter__(self) -> Self: ...
    def __next__(self) -> Any: ...
    def report(self) -> list[dict[str, Any]]: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *_raised: object) -> None: ...

def across(
    devices: Sequence[DeviceLike],
    batches: Iterable[ArrayLike],
    work: Operator | Callable[[Any], ArrayLike],
    *,
    progress: Callable[..., Any] | None = None,
    library: str | None = None,
    assign: Literal["least_loaded", "round_robin"] = "least_loaded",
    in_flight: int = 3,
    ahead: int | None = None,
    keep_on_device: bool = False,
    overlap_compute: bool = False,
    least_rows: int | None = None,
    on_lost: Literal["fail", "reassign"] = "fail",
) -> Across: ...

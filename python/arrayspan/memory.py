"""How much memory is held, by whom, and how much may be; what is done when it runs out.

>>> from arrayspan import memory
>>> with memory.Scope("inversion", limit="2GiB") as scope:
...     x = arrayspan.zeros((1000, 1000))
>>> scope.statistics("cpu")["live_bytes"]
4000000
"""

from arrayspan._native import memory as _native

Faults = _native.Faults
Scope = _native.Scope
clear_caches = _native.clear_caches
drain = _native.drain
limit = _native.limit
report_json = _native.report_json
reset_peak = _native.reset_peak
set_cache_limit = _native.set_cache_limit
set_headroom = _native.set_headroom
set_limit = _native.set_limit
statistics = _native.statistics
summary = _native.summary
trim = _native.trim
with_retry = _native.with_retry

__all__ = [name for name in dir() if not name.startswith("_")]

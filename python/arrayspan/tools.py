"""What stands beside operators: tapers, wavelets, and metrics of what was found."""

from arrayspan._native import tools as _native

taper = _native.taper
ricker = _native.ricker
gaussian = _native.gaussian
klauder = _native.klauder
ormsby = _native.ormsby
mae = _native.mae
mse = _native.mse
snr = _native.snr
psnr = _native.psnr

__all__ = [name for name in dir() if not name.startswith("_")]

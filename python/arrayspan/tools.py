"""What stands beside operators: tapers, wavelets, local slopes, and metrics of what was found."""

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
slope_estimate = _native.slope_estimate
pwd_slope_estimate = _native.pwd_slope_estimate

__all__ = [name for name in dir() if not name.startswith("_")]

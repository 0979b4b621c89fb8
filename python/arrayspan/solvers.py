"""Iterative solvers, and what is of spectra.

Solvers take an operator and data, and return a `Solution` with ``x`` as the kind of array that the data are. All of them stop by the
keywords ``iterations`` (100), ``residual`` (1e-8, relative to the data; 0 turns it off), ``absolute`` (0), ``gradient`` (1e-8, relative
to the start), ``stagnation`` (``(iterations, decrease)``), ``time`` (seconds), which are looked at every ``check_every`` (10) iterations. A
``callback`` is called with a `Progress` before the first iteration and at each look; one that returns ``True`` (Python's or NumPy's) ends
the run, and what it raises is raised. Ctrl-C is looked for then, too; where vectors of the host have more than four million elements, after each iteration. Loops around
solvers (``irls``, ``omp``, ``spgl1``, ``split_bregman``) are looked at after each of their iterations, what is of spectra every twentieth of a second. Those of them that take a ``callback`` take a
``workspace``, too: a `Workspace` that several calls are given is made by the first one, and on CUDA later ones like it need not record
their iterations again.
"""

from arrayspan._native import solvers as _native

Progress = _native.Progress
Solution = _native.Solution
Workspace = _native.Workspace
bicgstab = _native.bicgstab
cg = _native.cg
cgls = _native.cgls
gmres = _native.gmres
lsmr = _native.lsmr
lsqr = _native.lsqr
minres = _native.minres
single_reduction_cg = _native.single_reduction_cg
single_reduction_cgls = _native.single_reduction_cgls
fista = _native.fista
irls = _native.irls
ista = _native.ista
omp = _native.omp
spgl1 = _native.spgl1
split_bregman = _native.split_bregman
cond = _native.cond
eigs = _native.eigs
lobpcg = _native.lobpcg
log_det = _native.log_det
norm_estimate = _native.norm_estimate
power_iteration = _native.power_iteration
randomized_svd = _native.randomized_svd
svds = _native.svds

__all__ = [name for name in dir() if not name.startswith("_")]

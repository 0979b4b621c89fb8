"""`arrayspan.pylops`: Radon transforms and tomography, beside their formulas."""

import numpy as np
import pytest

from arrayspan.pylops.medical import CT2D
from arrayspan.pylops.signalprocessing import Radon2D, Radon3D
from arrayspan.pylops.utils import dottest

rng = np.random.default_rng(5)
T, H, P = np.arange(11) * 0.5, np.arange(5) * 2.0, np.array([0.0, 0.1, 0.3])
CURVES = {
    "linear": lambda x, t, p: t + p * x,
    "parabolic": lambda x, t, p: t + p * x**2,
    "hyperbolic": lambda x, t, p: np.sqrt(t**2 + (x / p) ** 2),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", CURVES)
@pytest.mark.parametrize("interp", [True, False])
@pytest.mark.parametrize("centeredh", [True, False])
def test_curves_are_those_of_a_callable(kind, interp, centeredh):
    # No position half-way between two samples, which the last bit would round.
    p = P + 0.2137 if kind == "hyperbolic" else P
    for dtype in ("float64", "complex128"):
        options = {"interp": interp, "centeredh": centeredh, "dtype": dtype}
        ours, own = (Radon2D(T, H, p, kind=kind, **options) for kind in (kind, CURVES[kind]))
        x = rng.normal(size=(3, 11)).astype(dtype)
        np.testing.assert_allclose(ours @ x.ravel(), own @ x.ravel(), atol=1e-12)
        assert (ours @ x).shape == (5, 11) and ours.engine == "numpy"
        assert dottest(ours, complexflag=3 if dtype == "complex128" else 0)


def test_three_axes_have_the_curves_of_two():
    one = Radon3D(T, H[:2], H, np.zeros(2), P, centeredh=False)
    two = Radon2D(T, H, P, centeredh=False)
    x = rng.normal(size=(2, 3, 11))
    y = (one @ x.ravel()).reshape(2, 5, 11)
    np.testing.assert_allclose(y[0], two @ x.sum(0))
    assert one.dims == (6, 11) and one.dimsd == (10, 11)
    with pytest.raises(NotImplementedError):
        Radon3D(T, H, H, P, P, kind=lambda *places: 0)
    with pytest.raises(ValueError):
        Radon3D(T, H, H, P, P, engine="cuda")


def test_images_are_seen_from_all_sides():
    image = rng.normal(size=(6, 5))
    rays = CT2D((6, 5), 1.0, 5, np.array([0.0, np.pi]), "cpu")
    down = image.sum(0)
    np.testing.assert_allclose(rays @ image, [down, down[::-1]], atol=1e-12)
    assert rays.projector_type == "strip" and (rays @ image).dtype == np.float64
    fan = CT2D((6, 5), 1.5, 7, np.array([0.3]), "cpu", "fanflat", 30, 10, "line")
    assert fan.projector_type == "line_fanflat" and dottest(fan)
    with pytest.raises(ValueError, match="Only 'cuda'"):
        CT2D((6, 5), 1.0, 5, np.zeros(1), "cuda", projector_type="line")
    with pytest.raises(NotImplementedError, match="engine must be"):
        CT2D((6, 5), 1.0, 5, np.zeros(1), "gpu")

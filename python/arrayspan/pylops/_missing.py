"""Names of PyLops that arrayspan has nothing for yet: they can be imported, not called."""

import sys
from types import ModuleType

_MODULES = {
    "avo": {
        "avo": [
            "zoeppritz_scattering",
            "zoeppritz_element",
            "zoeppritz_pp",
            "approx_zoeppritz_pp",
            "akirichards",
            "fatti",
            "ps",
            "AVOLinearModelling",
        ],
        "prestack": [
            "AVOLinearModelling",
            "PrestackLinearModelling",
            "PrestackWaveletModelling",
            "PrestackInversion",
        ],
    },
    "waveeqprocessing": {
        "blending": ["BlendingContinuous", "BlendingGroup", "BlendingHalf"],
        "kirchhoff": ["Kirchhoff"],
        "lsm": ["LSM"],
        "marchenko": ["Marchenko", "directwave"],
        "mdd": ["MDC", "MDD"],
        "oneway": ["PhaseShift", "Deghosting"],
        "seismicinterpolation": ["SeismicInterpolation"],
        "twoway": ["AcousticWave2D"],
        "wavedecomposition": [
            "PressureToVelocity",
            "UpDownComposition2D",
            "UpDownComposition3D",
            "WavefieldDecomposition",
        ],
    },
}


class _Refusal(type):
    """The class of a name that there is nothing for: neither it nor what it would have can be used."""

    def __call__(cls, *args, **kwargs):
        raise NotImplementedError(f"{cls.__name__} is not yet part of arrayspan")

    def __getitem__(cls, key):
        return cls()

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return cls()


def refusal(name, module):
    """A class that raises `NotImplementedError` when it is called."""
    doc = f"``{name}`` of PyLops, which is not yet part of arrayspan."
    return _Refusal(name, (), {"__module__": module, "__doc__": doc})


def _others(path):
    """What a module that there is nothing in gives for names that PyLops keeps to itself."""

    def __getattr__(name):
        if name.startswith("__") or not name.startswith("_"):
            raise AttributeError(f"module {path!r} has no attribute {name!r}")
        return refusal(name, path)

    return __getattr__


def publish(package, namespace):
    """Makes the modules that a package of PyLops has and this one has not, and takes their names over; returns these."""
    here = namespace["__name__"]
    classes = {}
    for module, names in _MODULES[package].items():
        path = f"{here}.{module}"
        made = ModuleType(path, "Not yet part of arrayspan.")
        made.__all__, made.__getattr__ = names, _others(path)
        for name in names:
            classes.setdefault(name, refusal(name, path))
            setattr(made, name, classes[name])
        sys.modules[path] = made
        namespace[module] = made
    namespace.update(classes)
    return list(classes)

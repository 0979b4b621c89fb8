"""What the Python Array API asks of a namespace, as far as it says what there is: dtypes and devices."""

from arrayspan._native import best_device, devices

__all__ = ["NamespaceInfo"]

_KINDS = {
    "bool": ["bool"],
    "signed integer": ["int8", "int16", "int32", "int64"],
    "unsigned integer": ["uint8", "uint16", "uint32", "uint64"],
    "real floating": ["float32", "float64"],
    "complex floating": ["complex64", "complex128"],
}
_KINDS["integral"] = _KINDS["signed integer"] + _KINDS["unsigned integer"]
_KINDS["numeric"] = _KINDS["integral"] + _KINDS["real floating"] + _KINDS["complex floating"]


class NamespaceInfo:
    """Facts about the arrays of this package, by the methods that the Python Array API has for them.

    ``arrayspan.Array`` has ``+ - * /``, sums, products and norms, where it is; functions of elements, indices and all else are those of other
    libraries, so that the package is no array namespace beyond this.
    """

    def capabilities(self):
        """What its arrays can do."""
        return {"boolean indexing": False, "data-dependent shapes": False, "max dimensions": 64}

    def default_device(self):
        """Where new arrays are made."""
        from arrayspan._native import Device

        return Device("cpu")

    def best_device(self):
        """The device that computes fastest, which is not the default."""
        return best_device()

    def devices(self):
        """All devices that there are."""
        return list(devices())

    def default_dtypes(self, *, device=None):
        """The dtypes of new arrays."""
        return {
            "real floating": "float32",
            "complex floating": "complex64",
            "integral": "int64",
            "indexing": "int64",
        }

    def dtypes(self, *, device=None, kind=None):
        """The dtypes of the standard that a device has, by their names: all, or those of a kind or of several."""
        if kind is None:
            kind = ("bool", "numeric")
        kinds = (kind,) if isinstance(kind, str) else kind
        unknown = [each for each in kinds if each not in _KINDS]
        if unknown:
            raise ValueError(f"kind: {unknown[0]!r} is none of {', '.join(map(repr, _KINDS))}")
        names = {name: name for each in kinds for name in _KINDS[each]}
        if device is not None:
            from arrayspan._native import Device

            if not Device(device).info()["float64"]:
                names = {name: name for name in names if name not in ("float64", "complex128")}
        return names


def __array_namespace_info__():
    """Which dtypes and devices there are, as the Python Array API asks for it."""
    return NamespaceInfo()

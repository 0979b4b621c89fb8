"""The attributes of an operator that say what it takes and gives."""

from math import prod
from operator import index


def _integers(values, what):
    try:
        return tuple(index(value) for value in values)
    except TypeError:
        raise ValueError(f"Invalid {what}; must be integers, got {values}") from None


class Shaped:
    """``shape``, ``dims`` and ``dimsd``, of which each follows from the others, and what else is set and has a default."""

    @property
    def shape(self):
        """Rows and columns."""
        shape = getattr(self, "_shape", None)
        if shape is None:
            dims, dimsd = getattr(self, "_dims", None), getattr(self, "_dimsd", None)
            if dims is None or dimsd is None:
                raise AttributeError(
                    f"'{type(self).__name__}' object has no attribute 'shape' nor both "
                    "fallback attributes ('dims', 'dimsd')"
                )
            shape = self._shape = (prod(dimsd), prod(dims))
        return shape

    @shape.setter
    def shape(self, shape):
        given = tuple(shape)
        shape = _integers(given, "shape")
        if len(shape) != 2 or min(shape) < 0:
            raise ValueError(f"Invalid shape; must be 2-d tuple of integers, got {given}")
        sides = zip((getattr(self, "_dimsd", None), getattr(self, "_dims", None)), shape, ("dimsd", "dims"))
        wrong = [name for dims, size, name in sides if dims is not None and prod(dims) != size]
        if wrong:
            raise ValueError(f"New shape incompatible with {' and '.join(reversed(wrong))}")
        self._shape = shape

    @shape.deleter
    def shape(self):
        del self._shape

    def _side(self, name, at):
        dims = getattr(self, name, None)
        if dims is not None:
            return dims
        shape = getattr(self, "_shape", None)
        if shape is None:
            raise AttributeError(f"'{type(self).__name__}' object has no attributes '{name[1:]}' or 'shape'")
        return (shape[at],)

    def _set_side(self, name, at, dims):
        dims = _integers(dims, name[1:])
        shape, before = getattr(self, "_shape", None), getattr(self, name, None)
        size = shape[at] if shape is not None else None if before is None else prod(before)
        if size is not None and prod(dims) != size:
            raise ValueError(f"{name[1:]} incompatible with shape[{at}]")
        self.__dict__.pop("_ready", None)
        setattr(self, name, dims)

    @property
    def dims(self):
        """The shape of a model."""
        return self._side("_dims", 1)

    @dims.setter
    def dims(self, dims):
        self._set_side("_dims", 1, dims)

    @dims.deleter
    def dims(self):
        del self._dims

    @property
    def dimsd(self):
        """The shape of data."""
        return self._side("_dimsd", 0)

    @dimsd.setter
    def dimsd(self, dims):
        self._set_side("_dimsd", 0, dims)

    @dimsd.deleter
    def dimsd(self):
        del self._dimsd


def _attribute(name, default, convert, doc):
    """A property that has a default until it is set, and again when it is deleted."""
    kept = "_" + name

    def read(self):
        return getattr(self, kept, default)

    def write(self, value):
        self.__dict__.pop("_ready", None)
        setattr(self, kept, convert(value))

    def delete(self):
        delattr(self, kept)

    return property(read, write, delete, doc)


def _bool_or_none(value):
    return None if value is None else bool(value)


Shaped.clinear = _attribute("clinear", True, bool, "Whether it is complex-linear, not real-linear alone.")
Shaped.explicit = _attribute("explicit", False, bool, "Whether it holds its matrix, in ``A``.")
Shaped.forceflat = _attribute(
    "forceflat", None, _bool_or_none, "Whether results are vectors (`True`), of shape ``dimsd`` (`False`), or as `x` is."
)
Shaped.name = _attribute("name", None, lambda name: name, "What `describe` calls it.")

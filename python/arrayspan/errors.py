"""What arrayspan raises: each also as the exception that Python programs catch in such a place."""


class Error(RuntimeError):
    """What goes wrong in arrayspan; the other exceptions are special cases."""


class ShapeError(Error, ValueError):
    """An array does not have the shape that was needed, or spaces of operators differ."""


class DTypeError(Error, TypeError):
    """Elements are not of the type that was needed, or of none that can be used."""


class ParameterError(Error, ValueError):
    """A parameter makes no sense."""


class WrongDevice(Error, ValueError):
    """An array lives on another device than was needed."""


class CopyRefused(Error, BufferError):
    """A copy would have been needed, and was not allowed."""


class ForeignArrayError(Error, BufferError):
    """An array of another library cannot be trusted or used."""


class DeviceUnavailable(Error):
    """A device, driver or library is not there."""


class OutOfMemory(Error, MemoryError):
    """A device has no room, or a limit allows no more.

    ``device`` (its name) and ``bytes`` say where and how much was asked for, if that is known.
    """

    device = None
    bytes = None


class NoAdjoint(Error, NotImplementedError):
    """The adjoint was asked of an operator that has none."""

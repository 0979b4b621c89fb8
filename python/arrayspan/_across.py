"""Batches over several devices."""

import atexit
import weakref

from arrayspan._native import _Run

#: Runs that were not closed. Their threads may not need the interpreter when that has ended.
_OPEN = weakref.WeakSet()


@atexit.register
def _close():
    for run in list(_OPEN):
        run.close()


class Across:
    """A run of batches over devices: an iterator over their results. Made by ``across``."""

    def __init__(self, run, progress):
        self._run = run
        self._progress = progress
        _OPEN.add(self)

    def __iter__(self):
        return self

    def __next__(self):
        try:
            result = self._run.next()
        except BaseException:
            self.close()
            raise
        if result is None:
            self._end_progress()
            raise StopIteration
        if self._progress is not None:
            self._progress.update(1)
        return result[0]

    def report(self):
        """What each device has done so far: a dictionary for each, in the order of the devices. Times are in seconds."""
        return self._run.report()

    def close(self):
        """Ends the run: what has started ends, nothing starts, and nothing more is returned."""
        self._run.close()
        self._end_progress()

    def _end_progress(self):
        progress, self._progress = self._progress, None
        if progress is not None:
            progress.close()

    def __enter__(self):
        return self

    def __exit__(self, *_raised):
        self.close()


def across(devices, batches, work, *, progress=None, **options):
    """
    Applies an operator or a function to every batch, over several devices at once, with transfers and computing overlapped.

    Parameters
    ----------
    devices : sequence of Device or str
        Where batches are computed, the CPU included; one given twice counts twice.
    batches : iterable of arrays
        Arrays of any library on any device. They are taken on a thread of its own, ahead of what is needed, and must not be written until
        their result has been returned.
    work : Operator or callable
        What is done to each batch. A function is called from several threads with an array of its own on the device: of NumPy on the
        host, else an ``arrayspan.Array``, or one of ``library``. What it returns has to be an array on that device.
    progress : callable, optional
        Called with ``total=len(batches)`` (or ``None``), and told of each result by ``update(1)`` and of the end by ``close()``:
        ``tqdm.tqdm`` is one.
    library : str, optional
        The library whose arrays a function wants: ``"torch"``, ``"cupy"``, ``"jax"``.
    assign : {"least_loaded", "round_robin"}
        Which device gets which batch.
    in_flight : int
        How many batches a GPU has under way at once.
    ahead : int, optional
        How many batches may be taken before the first of them has been returned.
    keep_on_device : bool
        Leaves results where they were computed. Without it they come to the host.
    overlap_compute : bool
        Lets the batches of one device compute at the same time.
    least_rows : int, optional
        Allows a batch that does not fit into memory to be computed in parts along its first axis, of at least so many rows each.
    on_lost : {"fail", "reassign"}
        What happens when a device fails for good.

    Returns
    -------
    Across
        An iterator over the results, in the order of the batches: each the kind of array that its batch is, if it lives on a device
        of the same kind, else an ``arrayspan.Array``. The first failure is raised after the results before it, and ends the run.

    Examples
    --------
    >>> import numpy, arrayspan
    >>> slope = arrayspan.operators.FirstDerivative((5,), scheme="forward")
    >>> batches = (numpy.arange(5, dtype="float32") * k for k in range(3))
    >>> [float(y[0]) for y in arrayspan.across(["cpu"], batches, slope)]
    [0.0, 1.0, 2.0]
    """
    total = len(batches) if hasattr(batches, "__len__") else None
    run = _Run(devices, batches, work, **options)
    try:
        return Across(run, None if progress is None else progress(total=total))
    except BaseException:
        run.close()
        raise

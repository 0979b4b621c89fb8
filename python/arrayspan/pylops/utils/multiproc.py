"""How the time of an operator depends on its workers."""

import time

__all__ = ["scalability_test"]


def scalability_test(Op, x, workers=None, forward=True, ntimes=1):
    """The mean time of an application for each number of workers, and how many times faster than the first it is.

    Operators of arrayspan use all cores whatever ``nproc`` says: their times should be equal.
    """
    times = []
    apply = Op.matvec if forward else Op.rmatvec
    for count in [1, 2, 4] if workers is None else workers:
        Op.nproc = count
        began = time.perf_counter()
        for _ in range(ntimes):
            apply(x)
        times.append((time.perf_counter() - began) / ntimes)
    Op.close()
    return times, [times[0] / each for each in times]

"""A report of what is installed."""

__all__ = ["Report"]

try:
    from scooby import Report as _Report
except ImportError:

    class _Report:
        """Stands for scooby's report, and says how to get it."""

        def __init__(self, **_):
            print(
                "\nNOTE: `pylops.Report` requires `scooby`. Install it via"
                "\n      `pip install scooby` or `conda install -c conda-forge scooby`.\n"
            )


class Report(_Report):
    """Date, machine, and the versions of packages.

    Parameters
    ----------
    add_pckg : list, optional
        Packages to add.
    ncol : int, optional
        Columns of the table.
    text_width : int, optional
        Its width.
    sort : bool, optional
        Whether packages are sorted.
    """

    def __init__(self, add_pckg=None, ncol=3, text_width=80, sort=False):
        super().__init__(
            additional=add_pckg,
            core=["numpy", "scipy", "pylops"],
            optional=["IPython", "matplotlib", "numba"],
            ncol=ncol,
            text_width=text_width,
            sort=sort,
        )

"""The names of PyLops 2.8.0, on the engine of arrayspan: ``import arrayspan.pylops as pylops``.

Operators, solvers and helpers have PyLops's signatures, defaults, attributes and results; what is not yet part of arrayspan
can be imported, and raises `NotImplementedError` when it is called. ``docs/pylops.md`` says where PyLops is wrong and this is not.
"""

from .config import *
from .linearoperator import *
from .torchoperator import *
from .pytensoroperator import *
from .jaxoperator import *
from .basicoperators import *
from . import avo, basicoperators, medical, optimization, signalprocessing, utils, waveeqprocessing
from .avo.poststack import *
from .avo.prestack import *
from .optimization.basic import *
from .optimization.leastsquares import *
from .optimization.sparsity import *
from .utils.seismicevents import *
from .utils.tapers import *
from .utils.utils import *
from .utils.wavelets import *

#: The version of PyLops whose names these are.
__version__ = "2.8.0"

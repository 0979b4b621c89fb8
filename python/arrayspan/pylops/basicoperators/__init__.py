"""Basic operators."""

from .derivatives import *
from .diagonal import *
from .functions import *
from .identity import *
from .indexing import *
from .kronecker import *
from .matrixmult import *
from .parts import *
from .regression import *
from .smoothing import *
from .spread import *
from .stacks import *
from .sums import *

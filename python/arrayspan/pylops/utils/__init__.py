"""Helpers: dot test, library of an array, wavelets, tapers, events, metrics, estimators of the trace."""

from .backend import *
from .deps import *
from .dottest import *
from .estimators import *
from .metrics import *
from .multiproc import *
from .typing import *
from .utils import *

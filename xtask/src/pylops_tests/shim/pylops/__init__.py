"""Stands for the package `pylops` while its tests run: it is `arrayspan.pylops`, and so is every module in it."""

import importlib
import importlib.abc
import importlib.util
import sys


class _Alias(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        return importlib.util.spec_from_loader(name, self) if name.startswith("pylops.") else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        sys.modules[module.__name__] = importlib.import_module("arrayspan." + module.__name__)


sys.meta_path.insert(0, _Alias())
sys.modules[__name__] = importlib.import_module("arrayspan.pylops")

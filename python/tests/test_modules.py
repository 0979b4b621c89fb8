"""Modules that are imported when they are used first."""

import subprocess
import sys

import pytest


def run(program):
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


HIDE = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == {name!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Hidden())
"""


def test_the_package_loads_no_other_library():
    run("import arrayspan, sys; assert not {'numpy', 'jax', 'torch', 'cupy', 'arrayspan.pylops'} & sys.modules.keys()")


def test_modules_are_there_when_they_are_used():
    pytest.importorskip("jax", exc_type=ImportError)
    run("import arrayspan; arrayspan.jax.function; assert arrayspan.pylops.FirstDerivative(3).shape == (3, 3)")
    run("from arrayspan import pylops, jax; import arrayspan; assert arrayspan.jax is jax and arrayspan.pylops is pylops")
    run("import arrayspan; assert {'jax', 'pylops', 'zeros'} <= set(dir(arrayspan))")


def test_names_that_are_none_are_no_attributes():
    run("import arrayspan; assert not hasattr(arrayspan, 'tensorflow') and not hasattr(arrayspan, '__wrapped__')")
    run("from arrayspan import *; import sys; assert 'numpy' not in sys.modules")


@pytest.mark.parametrize("name", ["torch", "jax"])
def test_a_library_that_is_not_installed_is_named(name):
    program = HIDE.format(name=name) + f"""
import arrayspan
for use in ("arrayspan.{name}", "hasattr(arrayspan, '{name}')"):
    try:
        eval(use)
    except ImportError as error:
        assert "arrayspan.{name} needs the package {name}" in str(error), error
    else:
        raise AssertionError(use)
for use in ("from arrayspan import {name}", "import arrayspan.{name}"):
    try:
        exec(use)
    except ImportError as error:
        assert error.name == "{name}" and "not installed" in str(error), error
    else:
        raise AssertionError(use)
"""
    run(program)


def test_what_is_wrong_within_a_library_is_raised_as_it_is(tmp_path):
    (tmp_path / "torch.py").write_text("import no_such_library")
    run(f"""
import sys; sys.path.insert(0, {str(tmp_path)!r})
import arrayspan
try:
    arrayspan.torch
except ModuleNotFoundError as error:
    assert error.name == "no_such_library"
else:
    raise AssertionError
""")

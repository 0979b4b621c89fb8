"""The stubs say what there is."""

import ast
import inspect
import pathlib
import subprocess
import sys

import arrayspan
import pytest

STOP = ["iterations", "residual", "absolute", "gradient", "stagnation", "time", "check_every", "workspace"]
FOLDER = pathlib.Path(arrayspan.__file__).parent

USE = """
from typing import Any

import arrayspan
from arrayspan import memory, operators, solvers

a: arrayspan.Operator = operators.FirstDerivative((5, 6), axis=0, dtype="float32")
b = 2.0 * a.H @ a + a
x: Any = arrayspan.ones((5, 6))
y = b @ x
solution: solvers.Solution = solvers.cgls(b, y, damping=0.1, iterations=5, callback=lambda p: p.iteration > 3)
residuals: list[float] = solution.residuals
with memory.Scope("test", limit="1GiB") as scope:
    live: int = scope.statistics()["live_bytes"]
array: arrayspan.Array = arrayspan.asarray(y, "float64", device="cpu")
shape: tuple[int, ...] = array.shape
"""


def names_in(stub):
    tree = ast.parse(stub.read_text())
    return {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}


@pytest.mark.parametrize("module", ["operators", "solvers", "memory", "tools"])
def test_every_name_of_the_library_has_a_stub(module):
    native = getattr(arrayspan._native, module)
    public = {name for name in dir(native) if not name.startswith("__")}
    assert public == names_in(FOLDER / f"{module}.pyi")
    assert public == set(getattr(arrayspan, module).__all__)


@pytest.mark.parametrize("module", ["", "operators", "solvers", "memory", "tools"])
def test_functions_have_the_parameters_that_their_stubs_say(module):
    native = getattr(arrayspan._native, module) if module else arrayspan._native
    for node in ast.parse((FOLDER / f"{module or '_native'}.pyi").read_text()).body:
        if not isinstance(node, ast.FunctionDef):
            continue
        parameters = inspect.signature(getattr(native, node.name)).parameters.values()
        names = [each.name for each in parameters if each.kind is not each.VAR_KEYWORD]
        said = [each.arg for each in (*node.args.args, *node.args.kwonlyargs)]
        if any(each.kind is each.VAR_KEYWORD for each in parameters):
            assert said[-8:] == STOP
            said = said[:-8]
        assert names == said, node.name


def test_classes_have_the_members_that_their_stubs_say():
    tree = ast.parse((FOLDER / "_native.pyi").read_text())
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert all(hasattr(arrayspan._native, name) for name in functions)
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            members = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
            there = set(dir(getattr(arrayspan._native, node.name)))
            assert members <= there, (node.name, members - there)
            public = {name for name in there if not name.startswith("_")}
            assert public <= members, (node.name, public - members)


def test_mypy_takes_the_stubs(tmp_path):
    pytest.importorskip("mypy")
    use = tmp_path / "use.py"
    use.write_text(USE)
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--cache-dir", str(tmp_path), str(use)],
        capture_output=True,
        text=True,
        env={"MYPYPATH": str(FOLDER.parent), "PATH": "/usr/bin:/bin"},
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
    use.write_text(USE + 'a.forwards(1)\nsolvers.cgls(3, y)\n')
    wrong = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--cache-dir", str(tmp_path), str(use)],
        capture_output=True,
        text=True,
        env={"MYPYPATH": str(FOLDER.parent), "PATH": "/usr/bin:/bin"},
    )
    assert "attr-defined" in wrong.stdout and "arg-type" in wrong.stdout

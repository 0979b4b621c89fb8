"""What Python says of constructors of operators, and of solvers."""

import inspect
import re

import pytest

from arrayspan import operators, solvers

DOCUMENTED = [
    name
    for name, function in vars(operators).items()
    if name[0].isupper() and callable(function)
]


def sections(text):
    """The sections of a docstring in NumPy's style, by their titles."""
    parts = re.split(r"^(\w+)\n-+$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("name", DOCUMENTED)
def test_operators_are_documented_in_the_style_of_numpy(name):
    function = getattr(operators, name)
    found = sections(inspect.getdoc(function))
    described = re.findall(r"^(\w+) : ", found["Parameters"], flags=re.MULTILINE)
    assert described == list(inspect.signature(function).parameters)
    assert found["Returns"].strip() == "Operator"
    assert not re.search(r"\[``[\w:]+``\][(\[]|\]\(\w+::", inspect.getdoc(function)), "a link of Rust"


@pytest.mark.parametrize("name", ["cgls", "lsqr", "gmres", "fista", "spgl1", "split_bregman"])
def test_solvers_are_documented_in_the_style_of_numpy(name):
    function = getattr(solvers, name)
    found = sections(inspect.getdoc(function))
    described = re.findall(r"^(\w+) : ", found["Parameters"], flags=re.MULTILINE)
    of_signature = [
        name
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind is not parameter.VAR_KEYWORD
    ]
    assert set(of_signature) <= set(described)
    assert found["Returns"].strip() == "Solution"


def test_all_operators_are_among_them():
    assert len(DOCUMENTED) > 60

"""An operator as a formula."""

from string import ascii_uppercase

from ..linearoperator import LinearOperator
from . import deps

__all__ = ["describe"]


class _Symbols:
    """The symbol of each operator that is not made of others: its name, or a letter where that is taken."""

    def __init__(self):
        from sympy import MatrixSymbol

        self._symbol = MatrixSymbol
        self._of = {}
        self.where = {}

    def __call__(self, op):
        if id(op) not in self._of:
            candidates = [op.name] if getattr(op, "name", None) else []
            letters = (letter + suffix for suffix in ("", *map(str, range(1, 1000))) for letter in ascii_uppercase)
            name = next(name for name in (*candidates, *letters) if name not in self.where)
            if candidates and name != candidates[0]:
                print(f"The name {candidates[0]} is that of several operators; one of them is called {name} here.")
            self._of[id(op)] = name
            self.where[name] = type(op).__name__
        return self._symbol(self._of[id(op)], 1, 1)


def _formula(op, symbols, top=False):
    from sympy import BlockDiagMatrix, BlockMatrix

    from .. import basicoperators, linearoperator

    kind = type(op)
    if getattr(op, "name", None) is not None and kind not in (basicoperators.HStack, basicoperators.VStack):
        return symbols(op)
    parts = [_formula(part, symbols) for part in getattr(op, "args", ()) if isinstance(part, LinearOperator)]
    if kind is linearoperator._AdjointLinearOperator:
        return parts[0].adjoint()
    if kind is linearoperator._TransposedLinearOperator:
        return parts[0].T
    if kind is linearoperator._ConjLinearOperator:
        return parts[0].conjugate()
    if kind is linearoperator._ScaledLinearOperator:
        return op.args[1] * parts[0]
    if kind is linearoperator._PowerLinearOperator:
        return parts[0] ** op.args[1]
    if kind is linearoperator._SumLinearOperator:
        return parts[0] + parts[1]
    if kind is linearoperator._ProductLinearOperator:
        return parts[0] * parts[1]
    if kind is LinearOperator and isinstance(getattr(op, "Op", None), LinearOperator):
        return _formula(op.Op, symbols)
    if kind in (basicoperators.VStack, basicoperators.HStack, basicoperators.BlockDiag):
        blocks = [_formula(part, symbols) for part in op.ops]
        if kind is basicoperators.BlockDiag:
            return BlockDiagMatrix(*blocks)
        return BlockMatrix([[block] for block in blocks] if kind is basicoperators.VStack else [blocks])
    return symbols(op)


def describe(Op):
    """Prints an operator as a formula of its parts, and what they are. Needs SymPy."""
    if not deps.sympy_enabled:
        raise NotImplementedError('Sympy not available. In order to use the describe module run "pip install sympy".')
    symbols = _Symbols()
    formula = _formula(Op, symbols)
    print(formula)
    print("where:", symbols.where)

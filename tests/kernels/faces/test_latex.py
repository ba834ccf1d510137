"""Kernels as formulas: every kernel has one, with the numbers of its parameters."""

from __future__ import annotations

import re

import pytest

from mercer import (
    RBF,
    Centered,
    Conformal,
    FromFeatures,
    Laplacian,
    Linear,
    Matern,
    Periodic,
    Polynomial,
    RationalQuadratic,
    Tanimoto,
    kernel,
    one_hot,
)
from mercer.kernels import catalogue
from mercer.kernels.faces.formulas import AROUND, FORMULAS, PER_COLUMN, SYMBOLS
from mercer.kernels.faces.latex import _COMBINED, latex, symbolic

CASES = [(name, k) for name, cls in catalogue().items() for k in cls.examples()]
DISTANCE = r"\lVert x - y\rVert"


def balanced(text: str) -> bool:
    depth = 0
    for sign in re.findall(r"\\[{}]|[{}]", text):
        depth += {"{": 1, "}": -1}.get(sign, 0)
        if depth < 0:
            return False
    return depth == 0 and text.count(r"\left") == text.count(r"\right")


@pytest.mark.parametrize("name", catalogue())
def test_every_kernel_has_a_formula(name):
    assert name in FORMULAS or name in AROUND or name in _COMBINED
    if name not in _COMBINED:
        assert "?" not in symbolic(name)
        assert balanced(symbolic(name))


@pytest.mark.parametrize(("name", "k"), CASES, ids=[f"{i} {n}" for i, (n, _) in enumerate(CASES)])
def test_every_formula_is_complete(name, k):
    text = k._repr_latex_()
    assert text.startswith(r"$\displaystyle k(x, y) = ") and text.endswith("$")
    assert "<" not in text and ">" not in text
    assert balanced(text)


def test_parameters_of_all_formulas_are_parameters_of_the_kernel():
    for formulas in (FORMULAS, PER_COLUMN):
        for name, formula in formulas.items():
            slots = set(re.findall(r"<(\w+)>", formula)) - {"x", "y"}
            assert slots <= set(catalogue()[name]._names) & SYMBOLS.keys(), name


def test_numbers_stand_where_parameters_are():
    assert latex(RBF(2.0)) == rf"\exp\left(-\frac{{{DISTANCE}^2}}{{2\cdot 2^2}}\right)"
    assert latex(RBF(1.0)) == rf"\exp\left(-\frac{{{DISTANCE}^2}}{{2}}\right)"
    assert latex(RBF(1.5e6)).count(r"{1.5\cdot 10^{6}}^2") == 1
    assert latex(Polynomial(2, 1.0, 0.5)) == r"\left(\langle x, y\rangle + 0.5\right)^{2}"
    assert latex(Matern(nu=float("inf"))).endswith(r"\nu = \infty")
    assert latex(Tanimoto("dot")) != latex(Tanimoto())


def test_length_scales_of_columns_are_listed():
    text = latex(RBF([1.0, 2.0]))
    assert r"\ell_j^2" in text and text.endswith(r",\quad \ell = (1,\ 2)")
    assert latex(Laplacian([float(i) for i in range(1, 9)])).endswith(r"(1,\ 2,\ 3,\ \dots,\ 8)")
    assert r"p = (2,\ 3)" in latex(Periodic(period=[2.0, 3.0]))


def test_combinations_follow_the_algebra():
    a, b = latex(RBF()), latex(Linear())
    assert latex(RBF() + Linear()) == f"{a} + {b}"
    assert latex(RBF() - Linear()) == rf"{a} - 1\,{b}"
    assert latex(2.0 * RBF()) == rf"2\,{a}"
    assert latex(RBF() * Linear()) == rf"{a}\cdot {b}"
    assert latex((RBF() + Linear()) * RBF()) == rf"\left({a} + {b}\right)\cdot {a}"
    assert latex(Linear() ** 3) == rf"\left({b}\right)^{{3}}"
    assert latex(Linear().exp()) == rf"\exp\left({b}\right)"
    assert r"\sqrt{\langle x, x\rangle\;\langle y, y\rangle}" in latex(Linear().normalize())
    assert latex(Centered(Linear())) == rf"\left[{b}\right]_{{\text{{centered}}}}"


def test_factors_of_one_are_left_out():
    assert latex(1.0 * Linear()) == latex(Linear())
    assert latex((1.0 * (RBF() + Linear())) * Linear()) == latex((RBF() + Linear()) * Linear())
    assert latex(2.0 * Linear()).startswith("2")


def test_functions_and_columns_have_their_names():
    assert r"\mathrm{one\_hot}(x)" in latex(RBF() @ one_hot)
    assert latex(Linear().on(["age"])) == r"\langle {x}_{\mathrm{age}}, {y}_{\mathrm{age}}\rangle"
    assert r"\mathrm{a},\dots,\mathrm{d}" in latex(Linear().on(list("abcd")))
    assert r"50\%\_\{\}" in latex(Linear().on(["50%_{}"]))

    def own(X):
        return X

    assert latex(FromFeatures(own)) == r"\langle \mathrm{own}(x), \mathrm{own}(y)\rangle"
    assert latex(Conformal(Linear(), own)).startswith(r"\mathrm{own}(x)\,")


def test_a_kernel_of_the_user_has_its_name():
    @kernel(status="psd")
    def agreement(x, y, width=1.0):
        return width

    assert latex(agreement) == r"\operatorname{agreement}(x, y)"
    assert latex(RationalQuadratic()) != latex(RBF())

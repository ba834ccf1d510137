"""Blocks of expressions: the structure that the page draws."""

from __future__ import annotations

import pytest

from mercer import RBF, Linear, Polynomial
from mercer.errors import ParseError
from mercer.studio.kernel.blocks import read


def test_a_sum_of_products():
    kernel, block = read("0.5 * RBF(0.7) + Polynomial(degree=2) * Linear()")
    assert kernel == 0.5 * RBF(0.7) + Polynomial(degree=2) * Linear()
    first, second = block["parts"]
    assert (block["kind"], first["kind"], second["kind"]) == ("sum", "scale", "product")
    assert first["factor"] == 0.5 and first["part"]["name"] == "RBF"
    assert [part["name"] for part in second["parts"]] == ["Polynomial", "Linear"]


def test_parameters_by_position_and_defaults_are_shown():
    _, block = read("Matern(2.0)")
    values = {param["name"]: param["value"] for param in block["params"]}
    assert values == {"length_scale": 2.0, "nu": 1.5}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("RBF()**2", "power"),
        ("RBF().normalize()", "method"),
        ("-RBF()", "scale"),
        ("RBF() / 4", "scale"),
        ("RBF() - Linear()", "sum"),
        ("RBF() @ squash", "text"),
        ("RBF().on([0])", "text"),
        ("2 + RBF()", "text"),
    ],
)
def test_every_operator_has_a_block(text, kind):
    _, block = read(text)
    assert block["kind"] == kind


def test_a_difference_is_a_sum_with_a_negative_weight():
    _, block = read("RBF() - 0.5 * Linear()")
    assert [part.get("factor") for part in block["parts"]] == [None, -0.5]


def test_numbers_go_in_front_of_a_product():
    _, block = read("2 * RBF() * 3 * Linear()")
    assert block["kind"] == "scale" and block["factor"] == 6
    assert [part["name"] for part in block["part"]["parts"]] == ["RBF", "Linear"]


def test_kernels_inside_of_kernels_are_blocks():
    _, block = read("Signature(4, RBF(2.0))")
    inner = next(param for param in block["params"] if param["name"] == "static")
    assert inner["block"]["name"] == "RBF"


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('ls')",
        "RBF().__class__",
        "(lambda: 1)()",
        "[k for k in (1, 2)]",
        "open('/etc/passwd')",
        "RBF(" * 300,
        "1",
        "",
        "9**9**9",
        "RBF(length_scale=-1)",
    ],
)
def test_what_is_no_kernel_is_refused(text):
    with pytest.raises((ParseError, ValueError)):
        read(text)

"""Sliders: every kernel of the catalogue can be built, and its sliders hold allowed values only."""

from __future__ import annotations

import pytest

from mercer.kernels.base import REGISTRY
from mercer.studio.kernel.blocks import read
from mercer.studio.kernel.catalogue import catalogue
from mercer.studio.kernel.sliders import parameters_of

NAMES = [entry["name"] for entry in catalogue()]


def test_the_catalogue_begins_with_the_favorites():
    assert NAMES[:3] == ["RBF", "Linear", "Polynomial"] and len(NAMES) > 50


@pytest.mark.parametrize("entry", catalogue(), ids=NAMES)
def test_the_expression_of_an_entry_is_a_kernel(entry):
    kernel, block = read(entry["text"])
    assert block["kind"] == "leaf" and kernel.certificate().status == entry["status"]


@pytest.mark.parametrize("entry", catalogue(), ids=NAMES)
def test_the_ends_of_sliders_are_allowed(entry):
    for param in parameters_of(REGISTRY[entry["name"]]):
        if param["control"] != "slider":
            continue
        assert param["low"] < param["high"]
        for end in (param["low"], param["high"]):
            rule = REGISTRY[entry["name"]]._checks[param["name"]]
            assert rule.holds(int(end) if param["whole"] else end), (param, end)


def test_controls_follow_the_rules_of_parameters():
    controls = {each["name"]: each["control"] for each in parameters_of(REGISTRY["ArcCosine"])}
    assert controls == {"order": "choice"}
    (scale,) = parameters_of(REGISTRY["RBF"])
    assert scale["log"] and scale["low"] < 1.0 < scale["high"]
    spectrum = parameters_of(REGISTRY["Spectrum"])[0]
    assert spectrum["whole"] and spectrum["low"] == 1

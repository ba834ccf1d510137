"""Every kernel is in the catalogue."""

from __future__ import annotations

import json

import mercer as library
from mercer import kernels
from mercer.kernels.base import Kernel


def test_all_kernels_are_listed(mercer):
    said = mercer("kernels")
    listed = json.loads(mercer("kernels", "--json").out)
    public = {
        name
        for name in kernels.__all__
        if isinstance(getattr(kernels, name), type) and issubclass(getattr(kernels, name), Kernel)
    }
    assert said.code == 0 and {one["name"] for one in listed} <= public and len(listed) > 50
    for one in listed:
        assert one["name"] in said.out and one["status"] in (
            "strict",
            "psd",
            "cpd",
            "indefinite",
            "unknown",
            "by parts",
            "by matrix",
        )
        assert one["formula"]
    expected = {"RBF": "strict", "Sigmoid": "indefinite", "Linear": "psd", "RandomWalk": "psd"}
    assert {**expected, "Precomputed": "by matrix"}.items() <= {
        one["name"]: one["status"] for one in listed
    }.items()


def test_one_kernel(mercer, one_line):
    said = mercer("kernels", "rbf")
    assert (
        said.code == 0
        and said.out.startswith("RBF(length_scale=1.0)")
        and "is strictly positive definite" in said.out
    )
    assert json.loads(mercer("kernels", "RBF", "--json").out)["certificate"] == str(
        library.RBF().certificate()
    )
    one_line(mercer("kernels", "Spectru"), "did you mean", "Spectrum")
    one_line(mercer("kernels", "zzz"), "kernel = 'zzz' is unknown")

"""The names of the package: a constant list, real types for editors, nothing else in ``dir``."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import subprocess
import sys

import numpy as np
import public_names
import pytest

import mercer

USER = """
from mercer import RBF, SVC, parse
import mercer
reveal_type(RBF(length_scale=2.0) + mercer.Linear())
reveal_type(SVC(kernel=RBF(), C=2.0).fit([[0.0], [1.0]], [0, 1]))
reveal_type(parse("RBF()"))
reveal_type(mercer.width([[0.0]]))
mercer.Specturm
"""


def test_all_is_a_constant_that_lists_every_name():
    source = (public_names.PACKAGE / "__init__.py").read_text()
    assigned = [node for node in ast.parse(source).body if isinstance(node, ast.Assign)]
    lists = [node.value for node in assigned if ast.unparse(node.targets[0]) == "__all__"]
    assert [set(ast.literal_eval(value)) for value in lists] == [set(public_names.public_names())]
    for name in mercer.__all__:
        getattr(mercer, name)


def imports(source):
    nodes = [node for node in ast.parse(source).body if isinstance(node, ast.ImportFrom)]
    return {(node.module, alias.name, alias.asname) for node in nodes for alias in node.names}


def test_the_stub_has_every_name():
    stub = (public_names.PACKAGE / "__init__.pyi").read_text()
    assert imports(stub) == imports(public_names.stub()), "run `make names`"


def test_nothing_else_is_in_dir():
    strays = set(dir(mercer)) - set(mercer.__all__)
    assert all(name.startswith("__") and name.endswith("__") for name in strays)
    assert mercer.assess is mercer.automatic.assess


def test_a_star_import_gives_all_names():
    names = {}
    exec("from mercer import *", names)
    assert set(mercer.__all__) <= set(names)


def test_a_type_checker_sees_the_classes(tmp_path):
    pytest.importorskip("mypy")
    assert (public_names.PACKAGE / "py.typed").exists()
    script = tmp_path / "user.py"
    script.write_text(USER)
    command = [sys.executable, "-m", "mypy", "--follow-imports=silent", "--ignore-missing-imports"]
    command += ["--cache-dir", str(public_names.PACKAGE.parents[1] / ".mypy_cache"), str(script)]
    environment = {"MYPYPATH": str(public_names.PACKAGE.parent), "PATH": ""}
    result = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    for expected in (
        'Revealed type is "mercer.kernels.base.Kernel"',
        'Revealed type is "mercer.estimators.svm.svc.SVC"',
        'Revealed type is "float"',
        'Module has no attribute "Specturm"',
    ):
        assert expected in result.stdout, result.stdout + result.stderr


ONE_NAME = {  # what other libraries call it, or what it was called here
    **dict.fromkeys(("weight", "w", "sample_weights", "sw"), "sample_weight"),
    **dict.fromkeys(("seed", "rng", "random_seed"), "random_state"),
    **dict.fromkeys(("lengthscale", "ls", "length_scales", "sigma"), "length_scale"),
    **dict.fromkeys(("k_neighbors", "neighbors"), "n_neighbors"),
    **dict.fromkeys(("k_clusters", "clusters_count"), "n_clusters"),
    **dict.fromkeys(("tolerance", "eps"), "tol"),
    **dict.fromkeys(("max_iters", "iterations", "n_iter"), "max_iter"),
    **dict.fromkeys(("threads", "jobs"), "n_jobs"),
}


def parameters():
    """The public functions and classes with the names of their parameters."""
    for name in mercer.__all__:
        value = getattr(mercer, name)
        if callable(value):
            yield pytest.param(name, set(inspect.signature(value).parameters), id=name)


@pytest.mark.parametrize(("name", "known"), list(parameters()))
def test_one_name_for_one_thing(name, known):
    if dataclasses.is_dataclass(getattr(mercer, name)):
        pytest.skip("a result, not something that is called")
    assert not known & ONE_NAME.keys(), ONE_NAME


def test_old_names_of_weights_work_for_a_release():
    X, weight = np.arange(6.0)[:, None], np.arange(6.0)
    for function in (mercer.width, mercer.scan):
        with pytest.warns(DeprecationWarning, match="weight = |'weight' is the old name"):
            function(X, weight=weight)
    assert mercer.width(X, sample_weight=weight) != mercer.width(X)

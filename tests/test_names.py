"""The names of the package: a constant list, real types for editors, nothing else in ``dir``."""

from __future__ import annotations

import ast
import subprocess
import sys

import public_names
import pytest

import mercer

USER = """
from mercer import RBF, SVC, parse
import mercer
reveal_type(RBF(length_scale=2.0) + mercer.Linear())
reveal_type(SVC(kernel=RBF(), C=2.0).fit([[0.0], [1.0]], [0, 1]))
reveal_type(parse("RBF()"))
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
        'Module has no attribute "Specturm"',
    ):
        assert expected in result.stdout, result.stdout + result.stderr

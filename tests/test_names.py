"""The names of the package: a constant list, real types for editors, nothing else in ``dir``."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import json
import subprocess
import sys

import numpy as np
import public_names
import pytest
from model_files import forge
from sklearn.base import clone
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline

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
    **dict.fromkeys(("folds", "n_folds", "n_splits"), "cv"),
    **dict.fromkeys(("landmarks", "prototypes"), "centers"),
    **dict.fromkeys(("frame", "table", "df"), "X"),
}


def parameters():
    """The public functions and classes with the names of their parameters."""
    for name in mercer.__all__:
        value = getattr(mercer, name)
        if callable(value):
            yield pytest.param(name, set(inspect.signature(value).parameters), id=name)


def is_estimator(name):
    return name in mercer.estimators.ESTIMATORS


@pytest.mark.parametrize(("name", "known"), list(parameters()))
def test_one_name_for_one_thing(name, known):
    if dataclasses.is_dataclass(getattr(mercer, name)):
        pytest.skip("a result, not something that is called")
    assert not known & ONE_NAME.keys(), ONE_NAME
    if is_estimator(name):
        assert "width" not in known, "length_scale"


def test_old_names_of_weights_work_for_a_release():
    X, weight = np.arange(6.0)[:, None], np.arange(6.0)
    for function in (mercer.width, mercer.scan):
        with pytest.warns(DeprecationWarning, match="weight = |'weight' is the old name"):
            function(X, weight=weight)
    assert mercer.width(X, sample_weight=weight) != mercer.width(X)


TABLE = [[1.0, "a"], [2.0, "b"], [2.5, "a"], [3.0, "b"], [4.0, "a"], [5.0, "b"]]


@pytest.mark.parametrize("function", [mercer.describe, mercer.table_kernel])
def test_old_names_of_tables_work_for_a_release(function):
    with pytest.warns(DeprecationWarning, match="'frame' is the old name of X"):
        found = function(frame=TABLE)
    assert repr(found) == repr(function(X=TABLE))


def test_the_old_name_of_the_table_of_relate_works_for_a_release():
    X = np.random.default_rng(0).standard_normal((20, 2))
    with pytest.warns(DeprecationWarning, match="'table' is the old name of X"):
        found = mercer.relate(table=X, n_permutations=9, random_state=0)
    assert repr(found) == repr(mercer.relate(X=X, n_permutations=9, random_state=0))


def test_the_old_name_of_cv_works_for_a_release():
    X = np.arange(12.0)[:, None]
    with pytest.warns(DeprecationWarning, match="'folds' is the old name of cv"):
        found = mercer.assess(mercer.KernelRidge(), X, X[:, 0], folds=3, repeats=1)
    assert found.folds == 3


def test_cv_is_an_integer():
    X = np.arange(12.0)[:, None]
    with pytest.raises(mercer.errors.ParameterError, match=r"cv = .*must be an integer >= 1"):
        mercer.assess(mercer.KernelRidge(), X, X[:, 0], cv=KFold(3))


RENAMED = [  # an estimator, its parameter of an old name, and a value
    (mercer.KernelICA, "width", "length_scale", 2.0),
    (mercer.KernelMap, "landmarks", "centers", 4),
    (mercer.MercerMap, "landmarks", "centers", 4),
]


def old(name, present):
    return pytest.warns(DeprecationWarning, match=f"{name!r} is the old name of {present}")


@pytest.mark.parametrize(("cls", "name", "present", "value"), RENAMED)
def test_old_names_of_parameters_work_for_a_release(cls, name, present, value):
    with old(name, present):
        model = cls(random_state=0, **{name: value})
    assert model.get_params()[present] == value and name not in model.get_params()
    assert clone(model).get_params() == model.get_params()
    with old(name, present):
        assert getattr(model, name) == value
    with old(name, present):
        assert cls().set_params(**{name: value}).get_params()[present] == value
    other = cls()
    with old(name, present):
        setattr(other, name, value)
    assert vars(other)[present] == value and name not in vars(other)
    pipeline = make_pipeline(cls())
    with old(name, present):
        pipeline.set_params(**{f"{cls.__name__.lower()}__{name}": value})
    assert pipeline[-1].get_params()[present] == value


@pytest.mark.parametrize(("cls", "name", "present", "value"), RENAMED)
def test_a_parameter_has_one_of_its_names(cls, name, present, value):
    with pytest.raises(mercer.errors.ParameterError, match=f"{present}.*old name"):
        cls(**{name: value, present: value})
    with pytest.raises(AttributeError, match="nothing_of_this_name"):
        _ = cls().nothing_of_this_name


@pytest.mark.parametrize(("cls", "name", "present", "value"), RENAMED)
def test_pickles_and_model_files_of_old_names_are_read(cls, name, present, value, tmp_path):
    X = np.random.default_rng(0).laplace(size=(30, 2))
    model = cls(random_state=0, **{present: value}).fit(X)
    state = {{v: k for k, v in cls.renamed.items()}.get(k, k): v for k, v in vars(model).items()}
    again = cls.__new__(cls)
    again.__setstate__(state)
    np.testing.assert_array_equal(again.transform(X), model.transform(X))
    path = tmp_path / "model.mercer"
    mercer.save(model, path)
    header, data = forge.taken_apart(path.read_bytes())
    text = json.dumps(header)
    for before, now in cls.renamed.items():
        text = text.replace(f'"{now}"', f'"{before}"')
    assert f'"{name}"' in text
    path.write_bytes(forge.put_together(json.loads(text), data))
    loaded = mercer.load(path)
    assert loaded.get_params()[present] == value
    np.testing.assert_array_equal(loaded.transform(X), model.transform(X))


def test_old_names_of_fitted_attributes():
    model = mercer.KernelMap(centers=2, random_state=0).fit(np.arange(5.0)[:, None])
    with old("landmarks_", "centers_"):
        assert model.landmarks_ is model.centers_

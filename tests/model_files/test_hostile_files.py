"""Files that are damaged, cut off, of another kind, or made by someone who means harm."""

from __future__ import annotations

import io
import json
import os
import pickle
import random
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from model_files import forge

import mercer
from mercer import RBF, Jaccard
from mercer.errors import ModelFileError
from mercer.model_files import describe, layout


@pytest.fixture(scope="module")
def good() -> bytes:
    """A fitted model as a file."""
    X = np.random.default_rng(0).standard_normal((40, 3))
    return saved(mercer.SVC(kernel=0.5 * RBF() + mercer.Linear()).fit(X, X[:, 0] > 0))


def saved(model: Any) -> bytes:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        mercer.save(model, Path(folder) / "m")
        return (Path(folder) / "m").read_bytes()


def refused(raw: bytes, folder: Path) -> str:
    """The one line that says why."""
    (folder / "file").write_bytes(raw)
    with pytest.raises(ModelFileError) as caught:
        mercer.load(folder / "file")
    message = str(caught.value)
    assert "\n" not in message and len(message) < 600
    return message


# -- damaged files
# --------------------------------------------------------------------------------------------------


def test_a_flipped_bit_is_always_found(good, tmp_path):
    rng = random.Random(0)
    places = [
        *range(64),
        len(good) - 1,
        len(good) - 32,
        *(rng.randrange(len(good)) for _ in range(134)),
    ]
    for place in places:
        raw = bytearray(good)
        raw[place] ^= 1 << rng.randrange(8)
        refused(bytes(raw), tmp_path)


def test_a_file_cut_off_anywhere(good, tmp_path):
    rng = random.Random(1)
    for length in [
        *range(70),
        len(good) - 1,
        len(good) - 32,
        *(rng.randrange(len(good)) for _ in range(50)),
    ]:
        refused(good[:length], tmp_path)
    assert "cut off" in refused(good[:40], tmp_path) and "cut off" in refused(good[:-1], tmp_path)
    refused(good + b"\0", tmp_path)


def test_sizes_are_compared_with_the_file_before_anything_is_made(good, tmp_path):
    header, data = forge.taken_apart(good)
    for length in (2**62, 2**63, 2**64 - 1, 2**40):
        assert "bytes" in refused(forge.put_together(header, data, length=length), tmp_path)
        assert "bytes" in refused(forge.put_together(header, data, room=length), tmp_path)


def test_a_newer_version_of_the_format_is_refused_by_name(good, tmp_path):
    header, data = forge.taken_apart(good)
    for version in (layout.FORMAT + 1, 77, 2**32 - 1):
        raw = forge.put_together(header, data, format=version, version=b"7.1")
        message = refused(raw, tmp_path)
        assert f"has version {version} of the format" in message and "'7.1'" in message
        assert message.endswith(f"reads versions up to {layout.FORMAT}; upgrade mercer")
        with pytest.raises(ModelFileError, match="upgrade mercer"):
            describe(tmp_path / "file")


def test_the_version_is_looked_at_before_anything_that_may_have_changed_with_it(tmp_path):
    start = forge.START.pack(b"\x89mercer\n", layout.FORMAT + 1, 9, b"7.1", 2**40, 2**50)
    assert "upgrade mercer" in refused(start + b"another layout", tmp_path)


def test_a_version_that_never_was(good, tmp_path):
    header, data = forge.taken_apart(good)
    assert "version 0" in refused(forge.put_together(header, data, format=0), tmp_path)


def test_what_is_saved_has_the_newest_version(good):
    assert forge.START.unpack(good[: forge.START.size])[1] == layout.FORMAT


# -- other files
# --------------------------------------------------------------------------------------------------


class Marker:
    """Its pickle would make a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.path),)


def archive(name: str, content: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(name, content)
    return made.getvalue()


def test_foreign_files_are_named(tmp_path):
    marker = tmp_path / "marker"
    model = mercer.SVC()
    npz, npy, dumped, packed = io.BytesIO(), io.BytesIO(), io.BytesIO(), io.BytesIO()
    np.savez(npz, a=np.ones(3))
    np.save(npy, np.ones(3))
    joblib.dump(Marker(marker), dumped)
    joblib.dump(model, packed, compress=3)
    found = {
        "pickle": [pickle.dumps(model), pickle.dumps(Marker(marker)), dumped.getvalue()],
        "zip": [npz.getvalue(), archive("../../evil", b"x"), archive("bomb", bytes(10**7))],
        "NumPy": [npy.getvalue()],
        "zlib": [packed.getvalue()],
        "empty": [b""],
        "text": [b"hello, world\n", b"{}", b"<html>", pickle.dumps([1, 2], protocol=0)],
        "bytes": [b"\x00" * 100, b"\x7fELF\x02\x01"],
    }
    for word, files in found.items():
        for raw in files:
            message = refused(raw, tmp_path)
            assert word in message and "mercer.save" in message
    assert not marker.exists()


def test_pickles_inside_a_file_of_ours_are_not_read(good, tmp_path):
    marker = tmp_path / "marker"
    header, data = forge.taken_apart(good)
    refused(
        forge.put_together(
            header, pickle.dumps(Marker(marker)).ljust(len(data), b"\0")[: len(data)] + bytes(64)
        ),
        tmp_path,
    )
    refused(forge.put_together(pickle.dumps(Marker(marker)), data), tmp_path)
    assert not marker.exists()


def test_places_that_are_not_files(tmp_path):
    with pytest.raises(ModelFileError, match="directory"):
        mercer.load(tmp_path)
    with pytest.raises(ModelFileError, match="directory"):
        mercer.save(RBF(), tmp_path)
    with pytest.raises(FileNotFoundError):
        mercer.load(tmp_path / "nothing")
    os.mkfifo(tmp_path / "pipe")
    for use in (mercer.load, describe, lambda path: mercer.save(RBF(), path)):
        with pytest.raises(ModelFileError, match="pipe"):
            use(tmp_path / "pipe")


# -- altered trees
# --------------------------------------------------------------------------------------------------

BARE = {"class": "RBF", "kernel": None, "libraries": {}, "root": ["@", 0], "arrays": []}


def tree(*objects: Any, **more: Any) -> bytes:
    return forge.put_together({**BARE, "objects": list(objects), **more}, b"")


def test_the_way_files_are_forged_here_makes_good_ones_too(tmp_path):
    (tmp_path / "file").write_bytes(tree(["made", "RBF", {"length_scale": 2.0}, {}]))
    assert repr(mercer.load(tmp_path / "file")) == "RBF(length_scale=2.0)"


@pytest.mark.parametrize(
    ("header", "word"),
    [
        ('{"a": NaN}', "NaN"),
        ('{"a": -Infinity}', "Infinity"),
        ('{"a": 1, "a": 2}', "twice"),
        ("[1, 2]", "object"),
        ("{", "cannot be read"),
        ("[" * 100_000 + "]" * 100_000, "deep"),
        ('{"a":' * 50_000 + "1" + "}" * 50_000, "deep"),
        (b"\xff\xfe", "cannot be read"),
        ('{"x": ' + "9" * 5000 + "}", "cannot be read"),
        ("{}", "arrays"),
        ('{"arrays": []}', "header"),
        (json.dumps({**BARE, "objects": [], "more": 1}), "header"),
    ],
    ids=lambda v: str(v)[:20],
)
def test_headers_that_are_no_header(header, word, tmp_path):
    assert word in refused(forge.put_together(header, b""), tmp_path)


@pytest.mark.parametrize(
    ("entry", "word"),
    [
        (["made", "os.system", {}, {}], "os.system"),
        (["made", "builtins.eval", {}, {}], "may hold"),
        (["made", "sklearn.ensemble.RandomForestClassifier", {}, {}], "may hold"),
        (["made", ["RBF"], {}, {}], "may hold"),
        (["made", "RBF", {"length_scale": -1.0}, {}], "must be positive"),
        (["made", "RBF", {"length_scale": True}, {}], "must be positive"),
        (["made", "RBF", {"lengthscale": 1.0}, {}], "not the parameters"),
        (["made", "RBF", {}, {"length_scale": -1.0}], "not an attribute"),
        (["made", "RBF", {}, {"tile": 1}], "not an attribute"),
        (["made", "RBF", {}, {"_checks": ["tuple"]}], "not an attribute"),
        (["made", "RBF", {}, {"__class__": 1}], "not an attribute"),
        (["made", "RBF", {}, {"__dict__": 1}], "not an attribute"),
        (["made", "RBF", {}, {"free": 1}], "not an attribute"),
        (["made", "SVC", {}, {"decision_function": 1}], "not an attribute"),
        (["made", "SVC", {}, {"n_support_": 1}], "not an attribute"),
        (["made", "SVC", {"verbos": 1}, {}], "not the parameters"),
        (["made", "Sum", {"k1": 1}, {}], "kernel"),
        (["made", "Sum", {"x": 1}, {}], "by the names k1, k2"),
        (["made", "Expansion", {"kernel": None}, {}], "not the parameters"),
        (["made", "HotDeck", {}, {"completions": 1}], "not an attribute"),
        (["made", "RBF"], "cannot be made"),
        (["made", "Diffusion", {"B": 3}, {}], "B"),
        (["array", 0], "array"),
        (["array", -1], "array"),
        (["list", ["@", 0]], "reference"),
        (["list", ["@", -1]], "reference"),
        (["list", ["@", 1.0]], "reference"),
        (["list", ["@", True]], "reference"),
        (["list", ["nothing", 1]], "format"),
        (["list", {"a": 1}], "format"),
        (["list", [1, 2]], "format"),
        (["list", ["function", "my_function"]], "register"),
        (["list", ["our function", "system"]], "format"),
        (["list", ["type", "os"]], "cannot be read"),
        (["list", ["int", "zz"]], "cannot be read"),
        (["list", ["range", 0, 10**12, 1]], "too long"),
        (["list", ["datetime", "2024-01-01", 0, "../../etc/passwd"]], "cannot be read"),
        (["list", ["numpy", "|O", "00" * 8]], "cannot be read"),
        (["list", ["numpy", "<f8", "00"]], "cannot be read"),
        (["list", ["numpy", "|b1", "07"]], "cannot be read"),
        (["dict", ["tuple"]], "cannot be made"),
        (["set", ["slice", 1, 2, 3]], "cannot be made"),
        (["objects", [2], 1], "shape"),
        (["sparse", "lil_matrix", [1, 1], 1, 2, 3], "sparse"),
        (["random", "Generator", 1], "state"),
        (["graph", "Popen", [], []], "graph"),
        (["frame", 1, 2, []], "cannot be made"),
        (["polars", 10, [["a", ["Object"], 1]]], "column"),
        (["mystery"], "format"),
        (3, "format"),
        ([], "format"),
        (["list"], "holds no model"),
    ],
    ids=lambda v: str(v)[:40],
)
def test_trees_that_no_model_has(entry, word, tmp_path):
    assert word in refused(tree(entry), tmp_path)


def test_nothing_unfolds_to_more_than_it_is(tmp_path):
    doubled: list[Any] = [["list", 1, 2]]
    doubled += [["list", ["@", i], ["@", i]] for i in range(60)]
    assert "larger" in refused(tree(*doubled), tmp_path)
    deep: list[Any] = [["made", "RBF", {}, {}]]
    deep += [["made", "Scaled", {"factor": 1.0, "kernel": ["@", i]}, {}] for i in range(400)]
    assert "deeper" in refused(tree(*deep, root=["@", 400]), tmp_path)
    nested: Any = 1
    for _ in range(300):
        nested = ["tuple", nested]
    assert "deeper" in refused(tree(["list", nested]), tmp_path)


@pytest.mark.parametrize(
    "change",
    [
        {"dtype": "|O"},
        {"dtype": "|V8"},
        {"dtype": "<f16"},
        {"dtype": ">f8"},
        {"dtype": "<U0"},
        {"dtype": [["a", "<f8"]]},
        {"shape": [4, 3]},
        {"shape": [-1]},
        {"shape": [2.0]},
        {"shape": [True]},
        {"shape": [2**62, 2**62]},
        {"shape": [0, 2**60]},
        {"shape": 2},
        {"shape": [1] * 40},
        {"order": "K"},
        {"offset": 8},
        {"offset": -64},
        {"offset": 64},
        {"bytes": 8},
        {"bytes": 2**40},
        {"bytes": None},
        {"more": 1},
    ],
    ids=str,
)
def test_arrays_that_do_not_fit(change, tmp_path):
    array = {"dtype": "<f8", "shape": [2], "order": "C", "offset": 0, "bytes": 16}
    header = {
        **BARE,
        "objects": [["array", 0], ["made", "RBF", {"length_scale": ["@", 0]}, {}]],
        "root": ["@", 1],
        "arrays": [array],
    }
    data = np.array([1.0, 2.0]).tobytes() + bytes(48)
    (tmp_path / "file").write_bytes(forge.put_together(header, data))
    assert repr(mercer.load(tmp_path / "file")) == "RBF(length_scale=[1.0, 2.0])"
    refused(forge.put_together({**header, "arrays": [{**array, **change}]}, data), tmp_path)
    refused(
        forge.put_together({**header, "arrays": [array, array]}, data), tmp_path
    )  # one upon the other
    refused(forge.put_together({**header, "arrays": []}, data), tmp_path)


# -- altered models
# --------------------------------------------------------------------------------------------------


def altered(raw: bytes, attribute: str, change: Any, root: int = -1) -> bytes:
    """The file with one array of its model changed."""
    header, data = forge.taken_apart(raw)
    arrays = forge.parts(header, data)
    state = header["objects"][root][3]
    number = header["objects"][state[attribute][1]][1]
    entry = header["arrays"][number]
    values = np.frombuffer(arrays[number], dtype=entry["dtype"]).reshape(
        entry["shape"][::-1] if entry["order"] == "F" else entry["shape"]
    )
    values = change((values.T if entry["order"] == "F" else values).copy())
    entry.update(dtype=values.dtype.str, shape=list(values.shape), order="C")
    arrays[number] = np.ascontiguousarray(values).tobytes()
    return forge.put_together(header, forge.laid_out(header, arrays))


def put(value: float, place: Any = 0) -> Any:
    def change(values: np.ndarray) -> np.ndarray:
        values.ravel()[place] = value
        return values

    return change


@pytest.mark.parametrize(
    ("attribute", "change", "word"),
    [
        ("_dual_coef", put(np.nan), "finite"),
        ("intercept_", put(np.inf), "finite"),
        ("_pair_coef", put(-np.inf), "finite"),
        ("support_vectors_", put(np.nan), "X[0, 0] = nan"),
        ("support_vectors_", lambda v: v[:-1], "samples that are kept"),
        ("_dual_coef", lambda v: v[:, :-1], "samples that are kept"),
        ("_pair_coef", lambda v: v[:-1], "samples that are kept"),
        ("support_", lambda v: v[:-1], "samples that are kept"),
        ("support_", put(40), "positions"),
        ("support_", put(-1), "positions"),
        ("support_", lambda v: v.astype(float), "positions"),
        ("_dual_coef", lambda v: v.astype(complex), "numbers"),
    ],
)
def test_what_fit_would_not_have_made(good, attribute, change, word, tmp_path):
    assert word in refused(altered(good, attribute, change), tmp_path)


def test_sparse_rows_must_be_whole(tmp_path):
    import scipy.sparse

    X = scipy.sparse.random_array(
        (40, 9), density=0.3, random_state=np.random.default_rng(0), format="csr"
    )
    raw = saved(mercer.SVC(kernel=RBF()).fit(X, np.arange(40) % 2))
    header, data = forge.taken_apart(raw)
    arrays = forge.parts(header, data)
    (sparse,) = (entry for entry in header["objects"] if entry[0] == "sparse")
    _, _, shape, *nodes = sparse
    for part, change in (
        (1, put(9)),
        (1, put(-1)),
        (2, put(1)),
        (2, put(10**6, -1)),
        (2, put(10**6, 3)),
        (2, lambda v: v[:-1]),
        (0, lambda v: v[:-1]),
    ):
        number = header["objects"][nodes[part][1]][1]
        entry = dict(header["arrays"][number])
        values = change(np.frombuffer(arrays[number], dtype=entry["dtype"]).copy())
        changed = {**header, "arrays": [dict(e) for e in header["arrays"]]}
        changed["arrays"][number]["shape"] = [len(values)]
        mine = [*arrays[:number], values.tobytes(), *arrays[number + 1 :]]
        refused(forge.put_together(changed, forge.laid_out(changed, mine)), tmp_path)
    sparse[2] = [shape[0], 2]
    assert "indices" in refused(forge.put_together(header, data), tmp_path)


def test_encoders_that_number_beyond_their_columns(tmp_path):
    from sklearn.preprocessing import OneHotEncoder

    X = np.array([list("aaabbbcd"), list("xyxyxyxy")]).T
    raw = saved(OneHotEncoder(drop="first", min_frequency=3).fit(X))
    header, data = forge.taken_apart(raw)
    lists = {
        name: header["objects"][node[1]]
        for name, node in header["objects"][-1][3].items()
        if isinstance(node, list) and node[0] == "@"
    }
    first = lists["_drop_idx_after_grouping"]
    assert first[0] == "objects"
    for place in (-1, 7, 10**9):
        text = json.dumps(header).replace(
            json.dumps(first), json.dumps([*first[:2], place, *first[3:]])
        )
        assert "not numbered" in refused(forge.put_together(text, data), tmp_path)
    arrays = forge.parts(header, data)
    number = header["objects"][lists["_default_to_infrequent_mappings"][1][1]][1]
    arrays[number] = np.full(4, 77).tobytes()
    assert "not numbered" in refused(
        forge.put_together(header, forge.laid_out(header, arrays)), tmp_path
    )


def test_graphs_of_samples_that_count_nothing(tmp_path):
    """No columns, no squares, but samples: compiled code would look the squares up."""
    X = np.random.default_rng(0).standard_normal((20, 2))
    header, data = forge.taken_apart(
        saved(
            mercer.SpectralClustering(
                n_clusters=2, kernel=RBF(), local_scaling=3, random_state=0
            ).fit(X)
        )
    )
    (expansion,) = (entry for entry in header["objects"] if entry[:2] == ["made", "Expansion"])
    expansion[2]["n_training"] = 0
    arrays = forge.parts(header, data)
    number = header["objects"][expansion[2]["positions"][1]][1]
    arrays[number], header["arrays"][number]["shape"] = b"", [0]
    assert "samples that are kept" in refused(
        forge.put_together(header, forge.laid_out(header, arrays)), tmp_path
    )


def test_generators_in_impossible_states(tmp_path):
    header, data = forge.taken_apart(saved(mercer.SVC(random_state=np.random.RandomState(0))))
    text = json.dumps(header)
    assert '"pos", 624' in text
    for pos in ("625", "-1", "1e3", '"a"'):
        assert "state" in refused(
            forge.put_together(text.replace('"pos", 624', f'"pos", {pos}'), data), tmp_path
        )


def models() -> dict[str, tuple[Any, Any]]:
    """Fitted models and new samples for them, one of every kind of compiled code that reads what a
    file holds.
    """
    rng = np.random.default_rng(0)
    X, Z = rng.standard_normal((30, 3)), rng.standard_normal((5, 3))
    y = np.arange(30) % 3
    sets = [set(np.flatnonzero(row).tolist()) for row in rng.random((35, 8)) < 0.4]
    holes = np.where(rng.random((35, 3)) < 0.2, np.nan, rng.standard_normal((35, 3)))
    holes[0] = 1.0
    words = np.array(list("abc"), dtype=object)[rng.integers(0, 3, (35, 3))]
    return {
        "svc": (
            mercer.SVC(kernel=RBF(length_scale=[1.0, 2.0, 1.0]) + mercer.Linear()).fit(X, y),
            Z,
        ),
        "sets": (mercer.SVC(kernel=Jaccard()).fit(sets[:30], y), sets[30:]),
        "holes": (mercer.SVC(kernel=mercer.MissingAware(RBF())).fit(holes[:30], y), holes[30:]),
        "words": (
            mercer.KernelRidge(kernel=mercer.WeightedOverlap()).fit(words[:30], X[:, 0]),
            words[30:],
        ),
        "nearest": (mercer.KernelNeighborsClassifier(n_neighbors=3, kernel=RBF()).fit(X, y), Z),
        "density": (mercer.KernelDensity().fit(X), Z),
        "novelty": (mercer.CentroidNovelty(kernel=RBF(), rule="exchange").fit(X), Z),
        "spectral": (
            mercer.SpectralClustering(
                n_clusters=3, kernel=RBF(), local_scaling=3, random_state=0
            ).fit(X),
            Z,
        ),
        "process": (
            mercer.GaussianProcessRegressor(
                alpha=0.1, method="sparse", n_inducing=5, optimizer=None
            ).fit(X, X[:, 0]),
            Z,
        ),
        "strings": (
            mercer.SVC(kernel=mercer.Mismatch(length=2)).fit(["".join(r) for r in words[:30]], y),
            ["".join(r) for r in words[30:]],
        ),
    }


@pytest.mark.parametrize(
    "seeds", [range(8), pytest.param(range(100, 700), marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_altered_models_never_crash(seeds, tmp_path):
    for name, (model, new) in models().items():
        mercer.save(model, tmp_path / f"{name}.mercer")
        mercer.save(mercer.SVC(class_weight=new), tmp_path / f"{name}.new")
    code = f"from model_files import forge; forge.attack({str(tmp_path)!r}, {seeds!r})"
    paths = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, (
        f"{(tmp_path / 'last').read_text()}: {run.returncode}\n{run.stderr[-2000:]}"
    )
    refused_, used = map(int, run.stdout.split())
    assert refused_ + used == 10 * len(seeds) and refused_ > used / 4


# -- what cannot be saved
# ----------------------------------------------------------------------------------------------


def doubled(X: Any) -> Any:
    return 2.0 * np.asarray(X)


@pytest.mark.parametrize(
    ("make", "place", "words"),
    [
        (lambda: mercer.SVC(kernel=lambda a, b: a @ b.T), "model.kernel", ("function", "lambda")),
        (
            lambda: mercer.SVC(kernel=RBF() @ doubled),
            "model.kernel.function",
            ("doubled", "register_function"),
        ),
        (lambda: RBF() @ (lambda X: X), "model.function", ("register_function",)),
        (
            lambda: mercer.PowerSeries(mercer.Linear(), coefficients=lambda n: 1.0),
            "model.coefficients",
            ("function",),
        ),
        (lambda: RBF() + mercer.kernels.kernel(objects=True)(_same), "model.k2", ("precomputed",)),
        (
            lambda: mercer.GaussianProcessRegressor(priors={"length_scale": _gamma()}),
            "model.priors['length_scale']",
            ("priors=None",),
        ),
        (lambda: mercer.SVC(class_weight=object()), "model.class_weight", ("builtins.object",)),
        (
            lambda: mercer.SVC(class_weight=[{"a": (1, print)}]),
            "model.class_weight[0]['a'][1]",
            ("print",),
        ),
        (
            lambda: mercer.SVC(class_weight=np.array([1], dtype=np.longdouble)),
            "model.class_weight",
            ("float128",),
        ),
        (lambda: _search(), "model", ("search.best_estimator_",)),
        (lambda: {"a": RBF()}, "model", ("dict",)),
        (lambda: _subclass()(), "model", ("your own",)),
        (lambda: _marked(), "model.note", ("del model.note", "SVC.stored")),
    ],
)
def test_what_is_refused_at_once(make, place, words, tmp_path):
    (tmp_path / "m").write_bytes(b"before")
    with pytest.raises(ModelFileError) as caught:
        mercer.save(make(), tmp_path / "m")
    message = str(caught.value)
    assert message.startswith(f"{place} = "), message
    assert all(word in message for word in words), message
    assert os.listdir(tmp_path) == ["m"] and (tmp_path / "m").read_bytes() == b"before"


def _same(a: Any, b: Any) -> float:
    return float(a == b)


def _gamma() -> Any:
    from scipy import stats

    return stats.gamma(2.0)


def _search() -> Any:
    from sklearn.model_selection import GridSearchCV

    return GridSearchCV(mercer.SVC(), {"C": [1.0]})


def _subclass() -> Any:
    class Mine(mercer.RBF, abstract=True):
        pass

    return Mine


def _marked() -> Any:
    model = mercer.SVC()
    model.note = "mine"
    return model


def test_what_contains_itself(tmp_path):
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(ModelFileError, match="contains itself"):
        mercer.save(mercer.SVC(class_weight=loop), tmp_path / "m")
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(ModelFileError, match="deep"):
        mercer.save(mercer.SVC(class_weight=deep), tmp_path / "m")


def test_registered_functions_go_by_their_names(tmp_path):
    from mercer.kernels.functions import FUNCTIONS

    mercer.register_function("thrice")(tripled)
    try:
        mercer.save(RBF() @ tripled, tmp_path / "m")
        assert mercer.load(tmp_path / "m").function is tripled
    finally:
        del FUNCTIONS["thrice"]
    with pytest.raises(ModelFileError, match=r"thrice.*register"):
        mercer.load(tmp_path / "m")


def tripled(X: Any) -> Any:
    return 3.0 * np.asarray(X)


def test_parts_of_another_scikit_learn_are_told(tmp_path):
    from sklearn.preprocessing import StandardScaler

    header, data = forge.taken_apart(saved(StandardScaler().fit([[1.0], [2.0]])))
    header["libraries"]["scikit-learn"] = "0.1.2"
    (tmp_path / "m").write_bytes(forge.put_together(header, data))
    with pytest.warns(UserWarning, match=r"scikit-learn 0\.1\.2"):
        assert mercer.load(tmp_path / "m").transform([[1.5]]).tolist() == [[0.0]]

"""What cannot be saved or loaded, described so that the message says what to do instead."""

from __future__ import annotations

import stat

from mercer.errors import ModelFileError

_SIGNATURES = (  # how files of other kinds begin
    (b"PK\x03\x04", "a zip archive (as np.savez and torch.save write)"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"\x93NUMPY", "an array saved by NumPy"),
    (b"\x1f\x8b", "a gzip file"),
    (b"BZh", "a bzip2 file"),
    (b"\xfd7zXZ", "an xz file"),
    (b"x\x01", "zlib data (as joblib.dump with compress writes)"),
    (b"x\x5e", "zlib data (as joblib.dump with compress writes)"),
    (b"x\x9c", "zlib data (as joblib.dump with compress writes)"),
    (b"x\xda", "zlib data (as joblib.dump with compress writes)"),
    (b"\x89HDF", "an HDF5 file"),
    (b"\x80", "a pickle (as pickle.dump and joblib.dump write)"),
)
_REGISTER = (
    "pickle keeps it; or decorate the class with mercer.state.storable, before saving and before "
    "loading, and name its attributes: stored = State(plain=('name',))"
)
_PRINTABLE = frozenset(b"\t\n\r") | frozenset(range(32, 127))


def kind_of_contents(start: bytes) -> str:
    """What a file that is no model looks like, from its first bytes."""
    if not start:
        return "empty"
    for signature, kind in _SIGNATURES:
        if start.startswith(signature):
            return kind
    if _PRINTABLE.issuperset(start[:32]):
        return f"text, beginning with {start[:16].decode('ascii')!r}"
    return f"something that begins with the bytes {start[:8].hex()}"


def kind_of_file(mode: int) -> str:
    """What the operating system says a path is, from the mode of its status."""
    if stat.S_ISDIR(mode):
        return "a directory"
    if stat.S_ISFIFO(mode):
        return "a pipe"
    if stat.S_ISSOCK(mode):
        return "a socket"
    return "a device"


def of(value: object, path: str) -> ModelFileError:
    """The error for a value that no file holds."""
    from mercer.kernels.base import Kernel

    name = type(value).__name__
    if _is_search(value):
        return ModelFileError(path, name, "is a search, not a model", "save search.best_estimator_")
    if isinstance(value, Kernel):
        remedy = (
            "pickle keeps it; or build it from kernels of mercer, such as RBF() @ f with "
            "@mercer.register_function('f'), or fit the model on a precomputed matrix"
        )
        rule = "is a kernel of your own, and files hold no code"
        return ModelFileError(path, repr(value), rule, remedy)
    if callable(value):
        shown = getattr(value, "__qualname__", name)
        remedy = (
            "a function of a collection (k @ f, FromFeatures(f), Conformal(k, f)) can be named: "
            "@mercer.register_function('its_name'), before saving and before loading; "
            "for other functions give a kernel, a name or a parameter of mercer"
        )
        return ModelFileError(path, shown, "is a function, and files hold no code", remedy)
    return _of_other_library(value, path)


def _is_search(value: object) -> bool:
    """Whether this is a search over hyperparameters, fitted or not."""
    module = type(value).__module__
    return hasattr(value, "best_estimator_") or module.startswith("sklearn.model_selection")


def _of_other_library(value: object, path: str) -> ModelFileError:
    """The error for a value that is neither a kernel nor a function."""
    module = type(value).__module__
    name = type(value).__name__
    if module.startswith("scipy.sparse"):
        rule = "is a sparse format that is not stored"
        return ModelFileError(path, name, rule, "convert it: X.tocsr()")
    if module.startswith("scipy.stats"):
        remedy = "after the fit it is not needed: model.set_params(priors=None)"
        return ModelFileError(path, name, "is a distribution, which files do not hold", remedy)
    rule = "is not of a class that model files hold"
    return ModelFileError(path, f"{module}.{name}", rule, _REGISTER)

"""The files of the page: complete, small, and asking nothing of other machines."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

import pytest

from mercer.studio.assets import assets

TEXTS = {name: content.decode("utf-8") for name, (content, _) in assets().items()}
MODULES = {name: text for name, text in TEXTS.items() if name.endswith(".js")}
HERE = re.compile(r"http://www\.w3\.org/(2000/svg|1998/Math/MathML)")  # names of formats


@pytest.mark.parametrize("name", TEXTS)
def test_nothing_is_loaded_from_elsewhere(name):
    assert "//" not in re.sub(r"^\s*//.*$|\s// .*$", "", HERE.sub("", TEXTS[name]), flags=re.M)


@pytest.mark.parametrize("name", MODULES)
def test_what_a_module_imports_is_there(name):
    for path, names in _imports(MODULES[name]):
        target = _resolved(name, path)
        assert target in MODULES, (name, path)
        for imported in names:
            declared = rf"export (async )?(function|const|class) {re.escape(imported)}(?!\w)"
            assert re.search(declared, MODULES[target]), (name, imported)


def _imports(text: str) -> list[tuple[str, list[str]]]:
    found = re.findall(r"import \{([^}]+)\} from '([^']+)'", text)
    return [
        (path, [each.strip() for each in names.split(",") if each.strip()]) for names, path in found
    ]


def _resolved(module: str, path: str) -> str:
    parts: list[str] = []
    for part in (PurePosixPath(module).parent / path).parts:
        parts = parts[:-1] if part == ".." else [*parts, part]
    return "/".join(parts)


@pytest.mark.parametrize("name", MODULES)
def test_imports_are_used(name):
    body = re.sub(r"import \{[^}]+\} from '[^']+';", "", MODULES[name])
    for _, names in _imports(MODULES[name]):
        for imported in names:
            assert re.search(rf"(?<!\w){re.escape(imported)}(?!\w)", body), imported


def test_modules_are_short():
    assert max(len(text.splitlines()) for text in TEXTS.values()) <= 300


def test_the_page_has_no_inline_script_or_style():
    page = TEXTS["index.html"]
    assert " style=" not in page and "onclick" not in page
    assert re.findall(r"<script(?![^>]*src=)", page) == []


def test_every_selector_of_the_modules_is_in_the_page():
    page = TEXTS["index.html"]
    known = set(re.findall(r'id="([\w-]+)"', page)) | {"learner"}
    for name, text in MODULES.items():
        for found in re.findall(r"\$\('#([\w-]+)'\)", text):
            assert found in known, (name, found)


def test_all_files_are_served():
    folder = Path(__file__).parents[2] / "src" / "mercer" / "studio" / "static"
    if folder.is_dir():
        assert set(assets()) == {
            file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()
        }

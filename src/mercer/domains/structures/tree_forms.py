"""The forms in which users have trees, and the one in which mercer keeps them.

All of them are read without recursion, so that no tree is too deep.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.domains.structures.deep_json import read_json
from mercer.errors import InputError, InputTypeError, ModelFileError
from mercer.state import storable

Label = str | int | float | bool | None
Child = tuple[Any, Any]  # the function that reads a child, and the child
Parts = tuple[Any, list[Child]]  # the label and the children of a node
Read = Callable[[Any], Parts]

REMEDY = (
    "give nested tuples ('S', ('NP', 'she')), a bracket string '(S (NP she))', an nltk.Tree, an "
    "ast.AST, an XML element or a JSON object"
)
_MOST_NODES = 20_000_000  # a list that contains itself has more
_TOKEN = re.compile(r"[()]|[^\s()]+")
# of Python's syntax trees: they add nothing to the code
_LEFT_OUT = {"ctx", "type_comment", "kind"}


@storable
@dataclass(eq=False)
class Tree:
    """An ordered tree: the labels of all nodes, children first, and how many children each has.

    Nodes are in post-order: the children of a node come before it, from left to right, each behind
    its own descendants.
    """

    labels: list[Label]
    counts: np.ndarray

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        """The tree as a bracket string."""
        parts: list[str] = []
        for label, count in zip(self.labels, self.counts.tolist(), strict=True):
            if count == 0:
                parts.append(str(label))
                continue
            inner = " ".join(parts[-count:])
            del parts[-count:]
            parts.append(f"({label} {inner})")
        if len(self) == 1:
            return f"({parts[0]})"
        return parts[0]

    def _check_loaded(self) -> None:
        """Raise an error unless the counts are those of one tree."""
        # the number of trees that the nodes so far make up
        trees = np.cumsum(1 - np.asarray(self.counts, dtype=np.int64))
        if len(self.labels) != len(trees) or len(trees) == 0 or trees.min() < 1 or trees[-1] != 1:
            raise ModelFileError("tree", f"{len(trees)} nodes", "is not a tree")


def look_like_trees(X: Any) -> bool:
    """Whether samples are trees rather than rows of a table or texts.

    Of nested tuples one must have a tuple inside, and of strings all must be in brackets.
    """
    if not isinstance(X, (list, tuple)) or len(X) == 0:
        return False
    if all(isinstance(sample, str) for sample in X):
        return all(map(_is_in_brackets, X))
    if not all(isinstance(sample, (list, tuple)) for sample in X) or callable(_label_of(X[0])):
        return all(isinstance(sample, Tree) or _reader_of(sample) for sample in X)
    begins = all(len(sample) > 0 and isinstance(sample[0], str) for sample in X)
    return begins and any(isinstance(item, (list, tuple)) for sample in X for item in sample)


def _label_of(sample: Any) -> Any:
    return getattr(sample, "label", None)


def _is_in_brackets(text: str) -> bool:
    """Whether a text may be a bracket string; the folds of an RNA, ((..)), have no blanks."""
    bare = text.strip()
    return bare.startswith("(") and bare.endswith(")") and any(map(str.isspace, bare))


def as_tree(sample: Any, what: str) -> Tree:
    """A tree in any of the forms that are known; ``what`` is its name in messages."""
    if isinstance(sample, Tree):
        return sample
    if isinstance(sample, str):
        return _from_text(sample, what)
    if hasattr(sample, "getroot"):
        sample = sample.getroot()
    read = _reader_of(sample)
    if read is None:
        raise InputTypeError(what, sample, "is not a tree", REMEDY)
    return _flatten(sample, read, what)


def _reader_of(sample: Any) -> Read | None:
    """The function that reads trees of this kind."""
    if callable(_label_of(sample)):
        return _read_labeled
    if hasattr(sample, "tag") and hasattr(sample, "attrib"):
        return _read_element
    for kind, read in _BY_TYPE.items():
        if isinstance(sample, kind):
            return read
    return None


def _flatten(root: Any, read: Read, what: str) -> Tree:
    """The tree in post-order."""
    labels: list[Label] = []
    counts: list[int] = []
    stack = [(read, root)]
    # A node before its children, and the last child first: the reverse of the post-order.
    while stack:
        read_node, node = stack.pop()
        label, children = read_node(node)
        labels.append(_checked(label, what))
        counts.append(len(children))
        stack += children
        if len(labels) > _MOST_NODES:
            rule = f"has more than {_MOST_NODES:,} nodes"
            raise InputError(what, type(root).__name__, rule, "does it contain itself?")
    return Tree(labels[::-1], np.array(counts[::-1], dtype=np.int64))


def _checked(label: Any, what: str) -> Label:
    """A label, which must be a text, a number or None."""
    if isinstance(label, np.generic):
        label = label.item()
    if label is None or isinstance(label, (str, int, float)):
        return label
    raise _not_a_label(label, what)


def _not_a_label(label: Any, what: str) -> InputError:
    """The error for a node that begins with something else than a label, or with nothing."""
    if isinstance(label, tuple) and not label:
        rule = "is a node without a label"
        return InputError(what, label, rule, "give every node a label: ('NP', 'she')")
    rule = "is not a label of a node: it is neither text nor a number"
    return InputTypeError(what, label, rule, "begin every node with its label: ('NP', 'she')")


# -- Python objects --------------------------------------------------------------------------------


def _read_nested(node: Any) -> Parts:
    """A tuple or list with a label and then children; anything else is the label of a leaf."""
    if not isinstance(node, (tuple, list)):
        return node, []
    if len(node) == 0:
        return (), []
    return node[0], [(_read_nested, child) for child in node[1:]]


def _read_labeled(node: Any) -> Parts:
    """A node of nltk: ``label()``, and children to iterate over, of which leaves have no label."""
    if not callable(_label_of(node)):
        return _as_label(node), []
    return _as_label(node.label()), [(_read_labeled, child) for child in node]


def _as_label(value: Any) -> Label:
    """A text or a number as it is; another object, such as a symbol of a grammar, as its text."""
    if value is None or isinstance(value, (str, int, float)):
        return value
    return str(value)


def _read_leaf(label: Any) -> Parts:
    return label, []


def _read_syntax(node: Any) -> Parts:
    """A node of Python's syntax trees: its type, and its fields as far as they are given.

    Lists are nodes with the name of the field; names and constants are leaves.
    """
    if not isinstance(node, ast.AST):
        return str(node), []
    given = [
        _syntax_child(node, name, value)
        for name, value in ast.iter_fields(node)
        if name not in _LEFT_OUT and value is not None and value != []
    ]
    return type(node).__name__, given


def _syntax_child(node: ast.AST, name: str, value: Any) -> Child:
    """A field of a node of a syntax tree, and how it is read."""
    if isinstance(value, ast.AST):
        return _read_syntax, value
    if isinstance(value, list):
        return _read_field, (name, value)
    if isinstance(node, ast.Constant):
        return _read_leaf, repr(value)
    return _read_leaf, str(value)


def _read_field(field: Any) -> Parts:
    """A list of a syntax tree, under the name of its field."""
    name, values = field
    return name, [(_read_syntax, value) for value in values]


# -- XML and JSON ----------------------------------------------------------------------------------


def _read_element(element: Any) -> Parts:
    """An XML element: its tag; attributes by name, texts without outer blanks, and elements."""
    children: list[Child] = [(_read_attribute, item) for item in sorted(element.attrib.items())]
    children += _texts(element.text)
    for child in element:
        if not callable(child.tag):  # a comment
            children.append((_read_element, child))
        children += _texts(child.tail)
    return element.tag, children


def _read_attribute(item: Any) -> Parts:
    name, value = item
    return f"@{name}", [(_read_leaf, value)]


def _texts(text: str | None) -> list[Child]:
    """A text as a leaf, if it is more than blanks."""
    words = (text or "").strip()
    return [(_read_leaf, words)] if words else []


def _read_document(value: Any) -> Parts:
    """A value of JSON; the keys of objects have no order, so that they are sorted."""
    if isinstance(value, dict):
        members = sorted(value.items(), key=lambda member: str(member[0]))
        return "{}", [(_read_member, member) for member in members]
    if isinstance(value, (list, tuple)):
        return "[]", [(_read_document, item) for item in value]
    return value, []


def _read_member(member: Any) -> Parts:
    key, value = member
    return key, [(_read_document, value)]


_BY_TYPE: dict[type, Read] = {
    ast.AST: _read_syntax,
    dict: _read_document,
    tuple: _read_nested,
    list: _read_nested,
}


# -- texts -----------------------------------------------------------------------------------------


def _from_text(text: str, what: str) -> Tree:
    """A bracket string such as ``(S (NP she) (VP runs))``, or an object or array of JSON."""
    if text.lstrip()[:1] not in ("{", "["):
        return _BracketReader(text, what).tree()
    try:
        value = read_json(text)
    except json.JSONDecodeError as error:
        rule = f"is not JSON: {error.msg} at position {error.pos}"
        raise InputError(what, text, rule, "a bracket string begins with '('") from None
    return _flatten(value, _read_document, what)


@dataclass
class _OpenNode:
    """A node of a bracket string whose bracket is not closed yet."""

    position: int
    label: str = ""
    children: int = 0  # so far


class _BracketReader:
    """One token after the other, with a stack of the nodes that are open."""

    def __init__(self, text: str, what: str) -> None:
        self.text = text
        self.what = what
        self.labels: list[Label] = []
        self.counts: list[int] = []
        self.open: list[_OpenNode] = []
        self.wants_label = False  # right behind an opening bracket

    def tree(self) -> Tree:
        for token in _TOKEN.finditer(self.text):
            self._take(token.group(), token.start())
        if self.open or not self.labels:
            raise _not_closed(self.text, self.open, self.what)
        return Tree(self.labels, np.array(self.counts, dtype=np.int64))

    def _take(self, word: str, position: int) -> None:
        """Go on by one token."""
        if not self.open:
            self._check_begin(word, position)
        if word == "(":
            self.open.append(_OpenNode(position))
        elif word == ")":
            self._close()
        elif self.wants_label:
            self.open[-1].label = word
        else:
            self._add(word, 0)
        self.wants_label = word == "("

    def _check_begin(self, word: str, position: int) -> None:
        """Refuse all but one tree, which begins with a bracket."""
        if word != "(":
            raise _not_brackets(self.text, word, position, self.what)
        if self.labels:
            rule = f"has a second tree at position {position}"
            raise InputError(self.what, self.text, rule, "give each tree as a sample of its own")

    def _close(self) -> None:
        node = self.open.pop()
        if not node.label and node.children == 0:
            rule = f"has a node without a label at position {node.position}"
            raise InputError(self.what, self.text, rule, "write its label behind the bracket")
        self._add(node.label, node.children)

    def _add(self, label: str, n_children: int) -> None:
        """Add a complete node, a child of the one that is open."""
        self.labels.append(label)
        self.counts.append(n_children)
        if self.open:
            self.open[-1].children += 1


def _not_brackets(text: str, word: str, position: int, what: str) -> InputError:
    """The error for what stands outside of all brackets."""
    if word == ")":
        rule = f"is unbalanced: the bracket at position {position} closes none"
        return InputError(what, text, rule, "leave it out, or open one before it")
    rule = f"is not a bracket string: {word!r} at position {position} is outside of all brackets"
    return InputError(what, text, rule, "write a tree as '(S (NP she))', a single node as '(she)'")


def _not_closed(text: str, nodes: list[_OpenNode], what: str) -> InputError:
    """The error for nodes that are open at the end, or for none at all."""
    if not nodes:
        return InputError(what, text, "holds no tree", "write a tree as '(S (NP she))'")
    rule = f"is unbalanced: the bracket at position {nodes[-1].position} is never closed"
    return InputError(what, text, rule, "close it with ')'")

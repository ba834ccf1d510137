"""JSON that is nested deeper than Python's own reader, which is recursive, can read."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

# strings, brackets and separators, and whatever stands between them
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+|"')


def read_json(text: str) -> Any:
    """The value of a JSON text; raise json.JSONDecodeError where it is none."""
    try:
        return json.loads(text)
    except RecursionError:
        return _Reader(text).value()


class _Reader:
    """One token after the other, with a stack of the objects and arrays that are open."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.open: list[Any] = []
        self.keys: list[Any] = []  # the key of the next member, of every open object
        self.root: list[Any] = []
        self.wants = "value"  # a state of _STEPS

    def value(self) -> Any:
        for token in _TOKEN.finditer(self.text):
            self._take(token.group(), token.start())
        if self.wants != "end":
            self._refuse("the text ends too early", len(self.text))
        return self.root[0]

    def _refuse(self, message: str, position: int) -> None:
        raise json.JSONDecodeError(message, self.text, position)

    def _take(self, token: str, position: int) -> None:
        """Go on by one token."""
        steps = _STEPS[self.wants]
        step = steps.get(token[0], steps["other"])
        step(self, token, position)

    def _unexpected(self, token: str, position: int) -> None:
        self._refuse(f"{token!r} is not expected", position)

    def _key(self, token: str, position: int) -> None:
        self.keys[-1] = self._scalar(token, position)
        self.wants = "colon"

    def _colon(self, token: str, position: int) -> None:
        self.wants = "value"

    def _comma(self, token: str, position: int) -> None:
        self.wants = "key" if isinstance(self.open[-1], dict) else "value"

    def _begin_object(self, token: str, position: int) -> None:
        self._begin({})
        self.wants = "first key"

    def _begin_array(self, token: str, position: int) -> None:
        self._begin([])
        self.wants = "first value"

    def _begin(self, value: Any) -> None:
        self._put(value)
        self.open.append(value)
        self.keys.append(None)

    def _add(self, token: str, position: int) -> None:
        """A string, a number or a constant, as a member of what is open."""
        self._put(self._scalar(token, position))
        self._complete()

    def _put(self, value: Any) -> None:
        """Make a value a member of what is open, or the root."""
        if not self.open:
            self.root.append(value)
        elif isinstance(self.open[-1], dict):
            self.open[-1][self.keys[-1]] = value
        else:
            self.open[-1].append(value)

    def _complete(self) -> None:
        """Say what may follow a value that is complete."""
        self.wants = "comma" if self.open else "end"

    def _scalar(self, token: str, position: int) -> Any:
        """A string, a number, true, false or null."""
        try:
            return json.loads(token)
        except json.JSONDecodeError as error:
            self._refuse(error.msg, position)

    def _close(self, token: str, position: int) -> None:
        is_object = isinstance(self.open.pop(), dict)
        self.keys.pop()
        if is_object != (token == "}"):
            self._refuse(f"{token!r} closes nothing", position)
        self._complete()


_Step = Callable[[_Reader, str, int], None]
_BEGIN: dict[str, _Step] = {"{": _Reader._begin_object, "[": _Reader._begin_array}
_CLOSE: dict[str, _Step] = {"}": _Reader._close, "]": _Reader._close}
# what to do in each state, by the first character of a token
_STEPS: dict[str, dict[str, _Step]] = {
    "value": {**_BEGIN, "other": _Reader._add},
    "first value": {**_BEGIN, **_CLOSE, "other": _Reader._add},
    "key": {'"': _Reader._key, "other": _Reader._unexpected},
    "first key": {'"': _Reader._key, **_CLOSE, "other": _Reader._unexpected},
    "colon": {":": _Reader._colon, "other": _Reader._unexpected},
    "comma": {",": _Reader._comma, **_CLOSE, "other": _Reader._unexpected},
    "end": {"other": _Reader._unexpected},
}

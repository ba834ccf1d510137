"""Frames: what is packed is read back, and JSON never holds what browsers cannot read."""

from __future__ import annotations

import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from mercer.studio.wire import pack, plain, unpack

_VALUES = arrays.arrays(np.float32, arrays.array_shapes(max_dims=3, max_side=5))
_PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(st.dictionaries(st.text(min_size=1).map(lambda name: f"v{name}"), _PLAIN | _VALUES))
def test_a_message_is_read_back(message):
    found = unpack(pack(message))
    assert found.keys() == message.keys()
    for name, value in message.items():
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(found[name], value)
        else:
            assert found[name] == value


def test_arrays_begin_at_a_multiple_of_four_bytes():
    """Browsers read float32 arrays in place only there."""
    for text in ("", "a", "ab", "abc", "é"):
        frame = pack({"text": text, "values": np.ones(3)})
        length = int.from_bytes(frame[:4], "little")
        assert length % 4 == 0


def test_numbers_that_json_lacks_become_null():
    value = {"a": float("nan"), "b": [np.inf, np.float64(2.0)], "c": np.int64(3), "d": object}
    assert json.loads(json.dumps(plain(value), allow_nan=False))["b"] == [None, 2.0]
    assert plain(value)["a"] is None and plain(value)["c"] == 3

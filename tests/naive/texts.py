"""Kernels of texts, straight from their definitions."""

import re
from collections import Counter

from mpmath import mp, mpf
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS


def _words(p, text):
    found = re.findall(r"(?u)\b\w\w+\b", text.lower() if p["lowercase"] else text)
    stop = ENGLISH_STOP_WORDS if p["stop_words"] == "english" else set(p["stop_words"] or ())
    found = [word for word in found if word not in stop]
    low, high = (int(v) for v in p["ngrams"])
    return Counter(
        " ".join(found[i : i + n]) for n in range(low, high + 1) for i in range(len(found) - n + 1)
    )


def _bag(p, x, y, same):
    a, b = _words(p, x), _words(p, y)
    return mpf(sum(a[w] * b[w] for w in a))


def _tf_idf(p, x, y, same):
    rows = [
        {w: mp.log(1 + n) * mpf(p["idf_"][w]) for w, n in _words(p, text).items() if w in p["idf_"]}
        for text in (x, y)
    ]
    size = mp.sqrt(mp.fprod(mp.fsum(v**2 for v in row.values()) for row in rows))
    return (
        mp.fsum(rows[0][w] * rows[1][w] for w in rows[0].keys() & rows[1].keys()) / size
        if size
        else mpf(0)
    )


KERNELS = {"BagOfWords": _bag, "TfIdf": _tf_idf}

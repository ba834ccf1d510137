"""Explanations as text, and as tables for notebooks."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer.markup import visible

if TYPE_CHECKING:
    from mercer.explanations.explanation import Explanation

_ROWS = 5  # that are shown
_COLUMNS = 10  # with the largest contributions
_BAR = 20  # characters


def shown_value(value: Any) -> str:
    """A value of the data, short enough for a table."""
    if isinstance(value, (float, np.floating)):
        return f"{value:.4g}"
    text = str(value)
    return text if len(text) <= 16 else f"{text[:15]}…"


def largest_first(values: np.ndarray, most: int = _COLUMNS) -> np.ndarray:
    """Positions of the largest contributions, of either sign."""
    return np.argsort(-np.abs(values), kind="stable")[:most]


def error_text(explanation: Explanation) -> str:
    """How the values were computed, and how exact they are."""
    largest = float(np.max(explanation.error, initial=0.0))
    if explanation.method == "exact":
        return "exact Shapley values"
    if explanation.method == "quadrature":
        return f"Shapley values by quadrature, error at most {largest:.1e}"
    return f"Shapley values by sampling, standard errors up to {largest:.2g}"


def _single_rows(
    explanation: Explanation, titles: list[str] | None = None
) -> list[tuple[str, Explanation]]:
    """Explanations of one row and one output each, with their titles."""
    if np.ndim(explanation.data) == 1:
        return [(f"this row{name}", one) for name, one in _outputs(explanation)]
    names = titles or [f"row {row}" for row in range(min(_ROWS, len(explanation)))]
    rows = [(title, explanation[row]) for row, title in enumerate(names)]
    return [(title + name, one) for title, row in rows for name, one in _outputs(row)]


def _outputs(explanation: Explanation) -> list[tuple[str, Explanation]]:
    """The explanations of all outputs, with their names."""
    if not explanation.output_names:
        return [("", explanation)]
    return [(f", {name}", explanation.output(name)) for name in explanation.output_names]


def as_text(explanation: Explanation, titles: list[str] | None = None) -> str:
    """The largest contributions to the first rows, or to all of them if they have titles."""
    lines = [f"{error_text(explanation)} of the {explanation.quantity}"]
    for title, one in _single_rows(explanation, titles):
        lines += ["", *_row_text(title, one)]
    rest = 0 if titles or np.ndim(explanation.values) == 1 else len(explanation) - _ROWS
    if rest > 0:
        lines += ["", f"and {rest} more rows"]
    return visible("\n".join(lines))


def _row_text(title: str, one: Explanation) -> list[str]:
    base, total = float(one.base_values), float(one.base_values + one.values.sum())
    order = largest_first(one.values)
    names = [f"{one.feature_names[j]} = {shown_value(one.data[j])}" for j in order]
    width = max(map(len, names), default=0)
    lines = [f"{title}: {total:.4g} = {base:.4g} on average over the background, and"]
    for name, j in zip(names, order, strict=True):
        lines.append(f"  {name:<{width}}  {one.values[j]:+.4g}  {_bar(one, j)}".rstrip())
    rest = len(one.values) - len(order)
    if rest:
        gap = one.values.sum() - one.values[order].sum()
        lines.append(f"  {rest} other columns  {gap:+.4g}")
    return lines


def _bar(one: Explanation, j: int) -> str:
    """Signs, as many as the contribution is large."""
    longest = float(np.abs(one.values).max(initial=0.0)) or 1.0
    sign = "+" if one.values[j] > 0 else "-"
    return sign * round(_BAR * abs(float(one.values[j])) / longest)


def as_html(explanation: Explanation) -> str:
    """The explanation as an HTML table."""
    head = f"{error_text(explanation)} of the {explanation.quantity}"
    tables = [f"<p>{html.escape(head)}</p>"]
    for title, one in _single_rows(explanation):
        base, total = float(one.base_values), float(one.base_values + one.values.sum())
        head = f"{html.escape(title)}: {total:.4g} = {base:.4g} (background) + contributions"
        rows = [_html_row(one, int(j)) for j in largest_first(one.values)]
        tables.append(f"<table><caption>{head}</caption>{''.join(rows)}</table>")
    return "".join(tables)


def _html_row(one: Explanation, j: int) -> str:
    longest = float(np.abs(one.values).max(initial=0.0)) or 1.0
    color = "#d62728" if one.values[j] > 0 else "#1f77b4"
    width = round(150 * abs(float(one.values[j])) / longest)
    bar = f'<div style="background:{color};height:0.8em;width:{width}px"></div>'
    cells = [html.escape(one.feature_names[j]), html.escape(shown_value(one.data[j]))]
    cells += [f"{one.values[j]:+.4g}", bar]
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"

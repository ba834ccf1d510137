"""All figures of a report, drawn in one style that is legible on a phone."""

from __future__ import annotations

import base64
import dataclasses
import io
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from mercer.aliases import Axes
from mercer.automatic.study import Study
from mercer.plot._axes import pyplot
from mercer.report.figures import columns, predictions, samples
from mercer.report.formatting import Described

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# On a screen of 390 pixels an image is 340 wide, three quarters of its own width: letters of 11
# points are then 11 pixels high.
_SIZE = (4.6, 3.6)
_STYLE = {
    "font.size": 11,
    "axes.titlesize": 11,
    "legend.fontsize": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "svg.fonttype": "path",
    "text.parse_math": False,  # names may hold dollar signs
    "svg.hashsalt": "mercer",  # the same study gives the same bytes
    "figure.dpi": 100,
    "savefig.dpi": 130,
}
Drawer = Callable[[Study, Axes], Described]
_PREDICTIONS: tuple[Drawer, ...] = (*predictions.DRAWERS, *columns.DRAWERS)


@dataclasses.dataclass(frozen=True)
class Picture:
    """An image with a title and a caption."""

    name: str
    title: str
    caption: str
    uri: str
    of_samples: bool  # whether it shows samples in feature space


def pictures(study: Study) -> list[Picture]:
    """All figures for which the study has data."""
    return [*drawn_by(_PREDICTIONS, study), *drawn_by(samples.DRAWERS, study, of_samples=True)]


def drawn_by(
    drawers: Sequence[Callable[[Any, Axes], Described]], subject: Any, of_samples: bool = False
) -> list[Picture]:
    """The figures that functions draw of a subject, without those that have nothing to draw."""
    plt = pyplot()
    drawn = []
    with plt.rc_context(_STYLE), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for draw in drawers:
            figure, ax = plt.subplots(figsize=_SIZE, layout="constrained")
            try:
                described = draw(subject, ax)
                if described is not None:
                    name = draw.__name__.strip("_")
                    drawn.append(Picture(name, *described, _data_uri(figure), of_samples))
            finally:
                plt.close(figure)
    return drawn


def _data_uri(figure: Figure) -> str:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return "data:image/svg+xml;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")

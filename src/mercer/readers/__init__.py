"""Files of data: tables, Parquet, svmlight, FASTA, series, texts, trees and graphs."""

from mercer.readers.fasta import read_fasta
from mercer.readers.graph_collection import GraphCollection
from mercer.readers.layouts import Layout
from mercer.readers.series import read_series
from mercer.readers.sources import Source, read_source
from mercer.readers.tables import read_table
from mercer.readers.tudataset import read_tudataset

__all__ = [
    "GraphCollection",
    "Layout",
    "Source",
    "read_fasta",
    "read_series",
    "read_source",
    "read_table",
    "read_tudataset",
]

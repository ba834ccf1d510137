"""Files of data: delimited tables, Parquet, svmlight, FASTA, folders of texts."""

from mercer.readers.fasta import read_fasta
from mercer.readers.layouts import Layout
from mercer.readers.sources import Source, read_source
from mercer.readers.tables import read_table

__all__ = ["Layout", "Source", "read_fasta", "read_source", "read_table"]

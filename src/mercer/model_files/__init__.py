"""Models in files of their own format: nothing in them is run, and only classes that are listed are made.

>>> import tempfile
>>> from pathlib import Path
>>> import mercer
>>> model = mercer.SVC(kernel=mercer.Jaccard()).fit([{"milk", "bread"}, {"nails", "glue"}], ["food", "tools"])
>>> with tempfile.TemporaryDirectory() as folder:
...     mercer.save(model, Path(folder) / "shop.mercer")
...     again = mercer.load(Path(folder) / "shop.mercer")
>>> again.predict([{"bread", "butter"}]).tolist()
['food']
"""

from mercer.model_files.files import describe, load, save

__all__ = ["describe", "load", "save"]

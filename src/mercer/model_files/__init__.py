"""Models in files of their own format: no code of a file is run, and only listed classes are made.

>>> import tempfile
>>> from pathlib import Path
>>> import mercer
>>> X, y = [{"milk", "bread"}, {"nails", "glue"}], ["food", "tools"]
>>> model = mercer.SVC(kernel=mercer.Jaccard()).fit(X, y)
>>> with tempfile.TemporaryDirectory() as folder:
...     mercer.save(model, Path(folder) / "shop.mercer")
...     again = mercer.load(Path(folder) / "shop.mercer")
>>> again.predict([{"bread", "butter"}]).tolist()
['food']
"""

from mercer.model_files.files import describe, load, save

__all__ = ["describe", "load", "save"]

"""How the pages are built: offline, and with warnings as errors. `make docs` runs it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import mercer

os.environ.setdefault("MPLBACKEND", "Agg")
sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "mercer"
author = "the mercer authors"
project_copyright = "the mercer authors"
version = release = mercer.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "plain_docstrings",
    "examples_end",
    "linked_names",
    "estimator_pages",
]
exclude_patterns = [
    "_build",
    "gallery/*.py",
    "gallery/*.ipynb",
    "gallery/*.md5",
    "gallery/*.json",
    "gallery/*.zip",
]
templates_path = ["_templates"]
nitpicky = False
toc_object_entries_show_parents = "hide"
suppress_warnings = ["config.cache"]  # sphinx-gallery's settings hold an object that has no pickle

# Markdown: tables, and headings that can be linked to.
myst_heading_anchors = 3
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}

# The reference: one page for every public name.
default_role = "py:obj"  # `SVC` in a docstring is a link where there is such a page
autosummary_generate = True
autosummary_filename_map = {
    "mercer.Kernel": "mercer.Kernel-class"
}  # mercer.kernel is another name, but not for every file system
autodoc_typehints = "none"
autodoc_inherit_docstrings = False
autodoc_member_order = "groupwise"
autodoc_preserve_defaults = True
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples/gallery",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_memory": False,
    "capture_repr": (),  # what is printed, not what a last line happens to return
    "show_signature": False,
    "remove_config_comments": True,
    "abort_on_example_error": False,
    "min_reported_time": 1e9,
    "thumbnail_size": (400, 280),
    "write_computation_times": False,
}
# Few repeats in every study: MERCER_GALLERY_FAST=1 make docs. The scripts read it themselves.

html_theme = "pydata_sphinx_theme"
html_title = "mercer"
html_static_path = ["_static"]
html_css_files = ["mercer.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "mercer"},
    "navigation_depth": 2,
    "show_prev_next": True,
    "header_links_before_dropdown": 8,
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
}
html_sidebars = {
    page: [] for page in ("index", "start", "design", "changelog")
}  # pages without a section

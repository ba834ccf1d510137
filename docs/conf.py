"""Configuration of Sphinx for `make docs`, which needs no network and treats warnings as errors."""

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
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "offline_math",
    "plain_docstrings",
    "kernel_formulas",
    "examples_end",
    "full_pictures",
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
# The settings of sphinx-gallery hold an object that cannot be pickled.
suppress_warnings = ["config.cache"]

# Buttons copy what is typed, and neither prompts nor what is printed.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

# Markdown: $formulas$, glossaries and grids of cards; headings down to this level can be linked to.
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 3
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}

# The reference: one page for every public name.
default_role = "py:obj"  # `SVC` in a docstring becomes a link
autosummary_generate = True
# Some file systems do not distinguish the pages of mercer.Kernel and mercer.kernel.
autosummary_filename_map = {"mercer.Kernel": "mercer.Kernel-class"}
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
    "capture_repr": (),  # show only what is printed, not the value of the last line
    "show_signature": False,
    "remove_config_comments": True,
    "abort_on_example_error": False,
    "min_reported_time": 1e9,
    "thumbnail_size": (400, 280),
    "write_computation_times": False,
}
# MERCER_GALLERY_FAST=1 make docs: the scripts of the gallery then make few repetitions.

html_theme = "pydata_sphinx_theme"
html_title = "mercer"
html_static_path = ["_static"]
html_css_files = ["mercer.css"]
html_favicon = "_static/favicon.svg"
html_extra_path = ["llms.txt"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {
        "text": "mercer",
        "image_light": "_static/logo.svg",
        "image_dark": "_static/logo.svg",
        "alt_text": "mercer",
    },
    "navigation_depth": 2,
    "show_prev_next": True,
    "header_links_before_dropdown": 8,
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": ["version.html"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
# The theme of the system until a reader chooses another; without it the theme logs an error.
html_context = {"default_mode": "auto"}
# Pages without a section have no sidebar.
html_sidebars = {page: [] for page in ("index", "start", "glossary", "design", "changelog")}

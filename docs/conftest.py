"""The pages are tested as doctests; the configuration and the output of Sphinx are not."""

collect_ignore_glob = ["*.py", "_build/*", "api/generated/*", "gallery/*"]

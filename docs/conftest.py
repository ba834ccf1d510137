"""Pages are tested; how they are built, and what that leaves behind, is not."""

collect_ignore_glob = ["*.py", "_build/*", "api/generated/*", "gallery/*"]

"""The sections of a report, each a function of a study that returns HTML, or nothing."""

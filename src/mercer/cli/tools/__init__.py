"""Commands about the installation: studies to run, functions to compile."""

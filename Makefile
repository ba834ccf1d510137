# make demo · make test · make lint · make docs · make bench: each makes the virtual environment it needs.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
INSTALLED = $(VENV)/.installed

.PHONY: demo test test-all lint docs bench clean

demo: $(INSTALLED)
	$(BIN)/python examples/demo.py

test: $(INSTALLED)
	$(BIN)/python -m pytest -n auto

test-all: $(INSTALLED)
	MERCER_TEST_ALL=1 $(BIN)/python -m pytest -n auto

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(INSTALLED)
	$(BIN)/python -m pip install --quiet -e ".[docs]"
	rm -rf docs/api/generated
	$(BIN)/sphinx-build -W --keep-going -b html docs docs/_build/html

bench: $(INSTALLED)
	$(BIN)/python -m pip install --quiet -e ".[bench]"
	$(BIN)/python benchmarks/run.py

$(INSTALLED): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("mercer needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Try: make PYTHON=python3.12 ...") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -e ".[test,lint]"
	@touch $@

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis docs/_build docs/api/generated docs/gallery
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

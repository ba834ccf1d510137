# make demo · make studio · make test · make test-min · make lint · make docs · make dist · make bench: each makes the virtual environment it needs.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
INSTALLED = $(VENV)/.installed
MINIMUM = .venv-min
AT_LEAST_311 = import sys; sys.exit("mercer needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Try: make PYTHON=python3.12 ...") if sys.version_info < (3, 11) else None

.PHONY: demo studio test test-all test-min lint names docs dist bench clean

demo: $(INSTALLED)
	$(BIN)/python examples/demo.py

studio: $(INSTALLED)
	$(BIN)/python -m mercer studio

test: $(INSTALLED)
	$(BIN)/python -m pytest -n auto

test-all: $(INSTALLED)
	MERCER_TEST_ALL=1 $(BIN)/python -m pytest -n auto

# the lowest versions of all dependencies, on what touches them most: arrays, matrices, and every estimator
test-min: $(MINIMUM)/.installed
	$(MINIMUM)/bin/python -m pytest -n auto tests/test_minimum.py tests/gram tests/kernels tests/contract/test_every_estimator.py

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tests/check_docstrings.py

# the public names, for `from mercer import *` and for type checkers
names: $(INSTALLED)
	$(BIN)/python tests/public_names.py
	$(BIN)/ruff check --fix --quiet src/mercer/__init__.py src/mercer/__init__.pyi
	$(BIN)/ruff format --quiet src/mercer/__init__.py src/mercer/__init__.pyi

docs: $(INSTALLED)
	$(BIN)/python -m pip install --quiet -e ".[docs]"
	rm -rf docs/api/generated
	$(BIN)/sphinx-build -W --keep-going -b html docs docs/_build/html

# the wheel and the source archive in dist; the wheel is tried in an environment of its own
dist: $(INSTALLED)
	$(BIN)/python -m pip install --quiet "build>=1.2"
	$(BIN)/python tests/check_dist.py dist

bench: $(INSTALLED)
	$(BIN)/python -m pip install --quiet -e ".[bench]"
	$(BIN)/python benchmarks/run.py

$(INSTALLED): pyproject.toml
	@$(PYTHON) -c '$(AT_LEAST_311)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -e ".[test,lint]"
	@touch $@

$(MINIMUM)/.installed: pyproject.toml tests/minimum.txt
	@$(PYTHON) -c '$(AT_LEAST_311)'
	$(PYTHON) -m venv $(MINIMUM)
	$(MINIMUM)/bin/python -m pip install --quiet --upgrade pip
	$(MINIMUM)/bin/python -m pip install --quiet --constraint tests/minimum.txt -e ".[test]"
	@touch $@

clean:
	rm -rf $(VENV) $(MINIMUM) .pytest_cache .mypy_cache .ruff_cache .hypothesis dist docs/_build docs/api/generated docs/gallery
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

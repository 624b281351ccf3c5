# Two commands do everything on a machine with Python, a C++ compiler and make: `make demo` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
NATIVE := $(shell find core bindings -name '*.[ch]pp') CMakeLists.txt
EXTRAS ?= cluster,dev,docs,explore,morfessor,mt,neural,pandas

.PHONY: setup demo docs test quick lint coverage clean

setup: .venv/.built

# What the packages that come as source (Binyan and eflomal) are built with.
.venv/.dependencies: pyproject.toml constraints.txt Makefile
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q -c constraints.txt scikit-build-core nanobind ninja setuptools numpy Cython
	touch $@

# Installed in place for editing; any change to the C++ files rebuilds, only what changed.
.venv/.built: .venv/.dependencies $(NATIVE)
	$(BIN)/python -m pip install -q --no-build-isolation -c constraints.txt -e '.[$(EXTRAS)]'
	cp build/*/_core.pyi src/binyan/
	touch $@

demo: setup
	$(BIN)/binyan demo --out demo-output

# The documentation site, in build/site: open build/site/index.html.
docs: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

lint: setup
	$(BIN)/ruff check src tests benchmarks examples
	$(BIN)/ruff format --check src tests benchmarks examples
	$(BIN)/mypy

quick: setup
	$(BIN)/pytest -x -n 2

test: lint
	$(BIN)/pytest -n 2

# Which lines of the package the tests reach; commands that tests start are counted too.
coverage: setup
	$(BIN)/pytest -n 2 --cov --cov-report=term-missing:skip-covered
	@echo "Coverage of the package: $$($(BIN)/coverage report --format=total) %"

clean:
	rm -rf .venv build

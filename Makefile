# Two commands do everything on a machine with Python, a C++ compiler and make: `make demo` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
NATIVE := $(shell find core bindings -name '*.[ch]pp') CMakeLists.txt
CORE_FILES := $(shell find core bindings tests/cpp tests/fuzz -name '*.[ch]pp')
EXTRAS ?= cluster,dev,docs,explore,fst,linguistics,morfessor,mt,neural,pandas

.PHONY: setup demo docs test run-tests quick lint coverage clean test-core sanitize sanitize-threads fuzz fuzz-core cross test-aarch64 crash studio laws peers

setup: .venv/.built

# What the packages that come as source (Binyan and eflomal) are built with; pyfoma brings what it is built with.
.venv/.dependencies: pyproject.toml constraints.txt Makefile
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q -c constraints.txt scikit-build-core nanobind ninja setuptools numpy Cython pyfoma
	touch $@

# Installed in place for editing, with warnings as errors; any change to the C++ files rebuilds, only what changed.
.venv/.built: .venv/.dependencies $(NATIVE)
	$(BIN)/python -m pip install -q --no-build-isolation -c constraints.txt -C cmake.define.BINYAN_STRICT=ON -e '.[$(EXTRAS)]'
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
	$(BIN)/clang-format --dry-run -Werror $(CORE_FILES)
	$(BIN)/mypy

quick: setup
	$(BIN)/pytest -x -n 2

# Lint and types beside the tests: they leave a core idle.
test: setup
	$(MAKE) --no-print-directory -j 2 lint run-tests

run-tests: setup
	$(BIN)/pytest -n 2 --dist worksteal

# Which lines of the package the tests reach; commands that tests start are counted too.
coverage: setup
	$(BIN)/pytest -n 2 --cov --cov-report=term-missing:skip-covered
	@echo "Coverage of the package: $$($(BIN)/coverage report --format=total) %"

# Long-running commands killed a hundred times, at moments drawn from a fixed seed, and run on a full disk (as root).
KILLS ?= 100
crash: setup
	OMP_NUM_THREADS=1 $(BIN)/python tests/crash/crash.py $(KILLS)

# The studio in a real browser, every way through it, and then killed twenty times while words are decided on.
studio: setup
	BINYAN_STUDIO_WAYS=1 $(BIN)/pytest tests/browser/test_studio_page.py
	OMP_NUM_THREADS=1 $(BIN)/python tests/crash/studio_kills.py 20

# The samplers against the joint law of model and data, with ten times the draws of `make test`.
LAWS ?= 10
laws: setup
	BINYAN_LAWS=$(LAWS) $(BIN)/pytest -n 2 tests/statistical

# Our probabilities and scores beside those of KenLM (built from source), NLTK and sacrebleu, in an environment of their own.
build/peers/.installed: constraints.txt
	$(PYTHON) -m venv build/peers
	build/peers/bin/python -m pip install -q -c constraints.txt kenlm nltk sacrebleu
	touch $@

peers: setup build/peers/.installed
	BINYAN_PEERS=$$(echo build/peers/lib/python3*/site-packages) $(BIN)/pytest tests/peers

COMMA := ,
define core_tests
	cmake -S . -B $(1) -DBINYAN_PYTHON=OFF -DBINYAN_CORE_TESTS=ON -DBINYAN_STRICT=ON $(2)
	cmake --build $(1) --parallel 2
	ctest --test-dir $(1) --output-on-failure
endef

# The core's own tests, in C++: they need CMake and a compiler, no Python.
test-core:
	$(call core_tests,build/core,-DCMAKE_BUILD_TYPE=Release)

# The same under AddressSanitizer and UndefinedBehaviorSanitizer.
sanitize:
	$(call core_tests,build/sanitize,-DCMAKE_BUILD_TYPE=RelWithDebInfo -DBINYAN_SANITIZE=address$(COMMA)undefined)

# The same under ThreadSanitizer: do queries from several threads race?
sanitize-threads:
	$(call core_tests,build/sanitize-threads,-DCMAKE_BUILD_TYPE=RelWithDebInfo -DBINYAN_SANITIZE=thread)

# Structure-aware fuzzing of every reader, SECONDS for each; inputs that break one are left in build/fuzz. READERS names some.
SECONDS ?= 10
READERS ?=
fuzz: setup
	PYTHONPATH=tests $(BIN)/python -m fuzz --seconds $(SECONDS) $(READERS)

# Coverage-guided fuzzing of the core's readers by clang's libFuzzer, under AddressSanitizer and UndefinedBehaviorSanitizer.
fuzz-core:
	cmake -S . -B build/fuzz-core -DBINYAN_PYTHON=OFF -DBINYAN_FUZZ=ON -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_COMPILER=clang++ \
	  -DBINYAN_SANITIZE=address$(COMMA)undefined
	cmake --build build/fuzz-core --parallel 2
	for fuzzer in build/fuzz-core/tests/fuzz/cpp/fuzz_*; do [ ! -x $$fuzzer ] || [ -d $$fuzzer ] || \
	  $$fuzzer -max_total_time=$(SECONDS) -timeout=10 -rss_limit_mb=4096 -print_final_stats=1 -artifact_prefix=build/fuzz-core/ || exit 1; done

# Does the core compile and link for Windows and macOS? By zig's clang, in an environment of its own: it is large.
ZIG := build/zig/bin/python
build/zig/.installed: constraints.txt
	$(PYTHON) -m venv build/zig
	$(ZIG) -m pip install -q -c constraints.txt ziglang
	touch $@

cross: build/zig/.installed
	$(ZIG) tools/cross_compile.py x86_64-windows-gnu aarch64-macos

# The core's tests on another processor, emulated by Debian's qemu-user.
test-aarch64: build/zig/.installed
	$(ZIG) tools/cross_compile.py aarch64-linux-musl --run qemu-aarch64

clean:
	rm -rf .venv build

# The two commands a newcomer needs are `make demo` and `make test`. Each first installs what is
# missing on Debian and Ubuntu; elsewhere it lists what to install.

SHELL := /bin/bash
SWIFT ?= swift
PREFIX ?= /usr/local
PACKAGES := liblapacke-dev libopenblas-dev zlib1g-dev gnuplot-nox

# Fathom has its own threads; those of BLAS would compete with them.
export OPENBLAS_NUM_THREADS := 1

# What `fathom --version` names; empty outside a clone. Another commit compiles one file of C again.
export FATHOM_COMMIT := $(shell git describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null)

# The tool and the tests are built with the same flags, so that the tests use the tool's objects.
RELEASE := --configuration release -Xswiftc -enable-testing
TOOL := .build/release/fathom
LIBRARY := .build/release/libFathomC.so

# What is installed or packed has Swift's runtime inside; another build, because its modules differ.
STATIC := --configuration release --scratch-path .build/static --static-swift-stdlib -Xswiftc -static-stdlib
STATIC_LIBRARY := .build/static/release/libFathomC.so

# Words that english prose of this project replaced; CONTRIBUTING.md has the words to use.
WORDS := what becomes of|is none|second witness|told from|so to speak|taken for|anyhow|for ever|astray|lively|set aside|is there already|out of this world
PROSE := README.md CHANGELOG.md Sources Tests Datasets Benchmarks/README.md

.PHONY: help dependencies build build-tests native demo datasets install install-files install-library \
  install-library-files library static-tool static-library python package test-package test \
  test-python test-debug test-address test-thread fuzz mutate golden-traces record-shown benchmark benchmark-check \
  benchmark-answers format lint docs clean

help:
	@echo "make demo     build the tool and process the recordings in Datasets/"
	@echo "make test     all tests, optimised; after make demo they use the tool's objects"
	@echo "make build    the command-line tool, $(TOOL)"
	@echo "make install  the tool, its manual page and shell completions below PREFIX, $(PREFIX)"
	@echo "make library  the C library, $(LIBRARY)"
	@echo "make install-library  the C library, its headers, fathom.pc and the CMake package below PREFIX"
	@echo "make python   a Python wheel with everything that it needs, in .build/python/wheels"
	@echo "make test-python  the wheel's tests, in an environment without Swift"
	@echo "make package  packages of the tool and the C library in .build/packages; make test-package tests them"
	@echo "make native   the tool for this processor only, .build/native/release/fathom"
	@echo "make test-debug    the tests without optimisation; numeric suites are skipped"
	@echo "make test-address, make test-thread  the tests under a sanitizer"
	@echo "make fuzz     a minute of random input for every reader; SECONDS=1200 for longer"
	@echo "make mutate   all subcommands on mutated files and options; RUNS=20000 for more, SEED=N"
	@echo "make golden-traces  record the results of every method on Datasets/"
	@echo "make record-shown   record the output that README and articles show"
	@echo "make datasets  the recordings in Datasets/ from their scenarios"
	@echo "make benchmark  the cost of every kernel, and Fathom beside its peers"
	@echo "make benchmark-check  instructions of every kernel against the committed ones"
	@echo "make benchmark-answers  results of the benchmarks against those of the peers and the truth"
	@echo "make format   format the sources; make lint only checks, words too"
	@echo "make docs     the documentation of all modules as a site in .build/documentation"
	@echo "make clean    remove what was built"

dependencies:
	@if [ "$$(uname)" = Darwin ]; then exit 0; fi; \
	if ! command -v dpkg-query >/dev/null; then \
	  echo "Not a Debian or Ubuntu: install LAPACKE, OpenBLAS and zlib with their headers, and gnuplot." >&2; \
	  exit 0; \
	fi; \
	missing=""; \
	for package in $(PACKAGES); do \
	  dpkg-query -W -f='$${Status}' "$$package" 2>/dev/null | grep -q "ok installed" \
	    || missing="$$missing $$package"; \
	done; \
	if [ -n "$$missing" ]; then \
	  echo "installing$$missing"; \
	  sudo=""; [ "$$(id -u)" = 0 ] || sudo=sudo; \
	  $$sudo apt-get update -qq && \
	  DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -y -qq --no-install-recommends $$missing; \
	fi

build: dependencies
	$(SWIFT) build $(RELEASE) --product fathom

# With all instructions of this processor, in a folder of its own: such a tool stops on older
# processors. Nothing is fused, so that results stay those of the default build.
NATIVE := $(if $(filter x86_64,$(shell uname -m)),-march=native,-mcpu=native)
native: dependencies
	$(SWIFT) build --configuration release --product fathom --scratch-path .build/native \
	  -Xcc $(NATIVE) -Xswiftc -target-cpu -Xswiftc native

demo: build
	@$(TOOL) process $(dir $(wildcard Datasets/*/ranges.csv)) --output Results --force
	@echo
	@echo "Positions, distances and summaries are in Results/; the article Results of the"
	@echo "documentation explains the columns. Truth is beside each recording: Datasets/*/truth.csv."

# The scenarios in Datasets/Scenarios have no data.
datasets: build
	@for scenario in Datasets/*/scenario.yaml; do \
	  $(TOOL) simulate "$$scenario" --output "$${scenario%/*}" --force || exit 1; \
	done

install: build install-files

# Also for the packages, which install another build of the tool.
install-files:
	install -d $(addprefix $(DESTDIR)$(PREFIX)/,bin share/man/man1 share/bash-completion/completions \
	  share/zsh/site-functions share/fish/vendor_completions.d)
	install -m 755 $(TOOL) $(DESTDIR)$(PREFIX)/bin/fathom
	Sources/FathomCLI/manual-page $(TOOL) > $(DESTDIR)$(PREFIX)/share/man/man1/fathom.1
	$(TOOL) --generate-completion-script bash | sed '1{/^#!/d;}' \
	  > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/fathom
	$(TOOL) --generate-completion-script zsh > $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_fathom
	$(TOOL) --generate-completion-script fish \
	  > $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/fathom.fish

# Programs look for the version of the interface that they were linked with. The library shows nothing but
# that interface: the Swift inside would meet that of a program which loads another. Options of a product in
# Package.swift would be unsafe flags, so these are given here, for this product alone.
SONAME = libFathomC.so.$(shell sed -n 's/.*FATHOM_ABI_VERSION //p' $(HEADERS)/fathom.h)
SHARED = $(if $(filter Linux,$(shell uname)),$(addprefix -Xlinker ,-soname $(SONAME) --version-script $(CURDIR)/Packaging/libFathomC.map))

# For the wheel and the tests, with the runtime of the toolchain.
library: dependencies
	$(SWIFT) build $(RELEASE) --product FathomC $(SHARED)
	ln -sf libFathomC.so .build/release/$(SONAME)

static-tool: dependencies
	$(SWIFT) build $(STATIC) --product fathom

static-library: dependencies
	$(SWIFT) build $(STATIC) --product FathomC $(SHARED)

install-library: static-library
	$(MAKE) --no-print-directory install-library-files LIBRARY=$(STATIC_LIBRARY)

# Below PREFIX: Debian has lib/x86_64-linux-gnu.
LIBDIR ?= lib
HEADERS := Sources/CFathom/include
VERSION = $(shell sed -n 's/.*current = "\(.*\)"/\1/p' Sources/FathomRecordings/Settings/Version.swift)
# Below /usr the loader finds the library; elsewhere programs get its folder as run path.
RUN_PATH = $(if $(filter /usr,$(PREFIX)),,-Wl$(comma)-rpath$(comma)$${libdir} )
comma := ,
FILL = sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@VERSION@|$(VERSION)|' -e 's|@SONAME@|$(SONAME)|' \
  -e 's|@RUN_PATH@|$(RUN_PATH)|'

# Also for the packages.
install-library-files:
	install -d $(addprefix $(DESTDIR)$(PREFIX)/,include $(LIBDIR)/pkgconfig lib/cmake/fathom)
	install -m 644 $(HEADERS)/fathom.h $(HEADERS)/fathom.hpp $(DESTDIR)$(PREFIX)/include
	install -m 644 $(LIBRARY) $(DESTDIR)$(PREFIX)/$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(PREFIX)/$(LIBDIR)/libFathomC.so
	$(FILL) Packaging/fathom.pc.in > $(DESTDIR)$(PREFIX)/$(LIBDIR)/pkgconfig/fathom.pc
	$(FILL) Packaging/fathom-config.cmake.in > $(DESTDIR)$(PREFIX)/lib/cmake/fathom/fathom-config.cmake
	$(FILL) Packaging/fathom-config-version.cmake.in > $(DESTDIR)$(PREFIX)/lib/cmake/fathom/fathom-config-version.cmake

python: library
	SWIFT=$(SWIFT) Python/make-wheel .build/python

test-python: python build
	SWIFT=$(SWIFT) Python/run-tests .build/python $(PYTEST)

package: static-tool static-library
	Packaging/make-packages .build/packages

test-package: package build
	Packaging/test-packages .build/packages $(TOOL)

# Optimised code keeps its traps, bounds, overflow and exclusivity checks. Built by `swift build`, because
# `swift test` would add a flag and compile everything again.
TEST := $(SWIFT) test --disable-xctest $(RELEASE) --skip-build

build-tests: dependencies
	$(SWIFT) build $(RELEASE) --build-tests

# The recipes and the live page mostly wait: they run beside the suite, which leaves them the processors.
test: build-tests
	@{ Tests/recipes --tool $(TOOL) && Tests/live-page --tool $(TOOL); } > .build/beside.log 2>&1 & beside=$$!; \
	status=0; nice -n 5 $(TEST) || status=$$?; \
	wait $$beside || status=$$?; cat .build/beside.log; exit $$status
	@Tests/Fuzz/run --check
	@Python/quick-tests .build/python
	@$(MAKE) --no-print-directory library
	@Tests/install-library

test-debug: dependencies
	$(SWIFT) test --disable-xctest

# XCTest's own leaks would fail every run of the tests, so leaks are searched for in the tool alone. No
# backtrace, so that a crash ends the run at once.
test-address: dependencies
	SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0 \
	  $(SWIFT) test --disable-xctest --sanitize=address --scratch-path .build/address
	SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=1 .build/address/debug/fathom process \
	  $(dir $(wildcard Datasets/*/ranges.csv)) --output .build/address/results --force --json > /dev/null

# Optimised: numeric suites under this sanitizer would take hours otherwise.
test-thread: dependencies
	SWIFT_BACKTRACE=enable=no $(SWIFT) test --disable-xctest --sanitize=thread -Xswiftc -O \
	  --scratch-path .build/thread

fuzz: SECONDS := 60
fuzz: dependencies
	Tests/Fuzz/run --seconds $(SECONDS)

mutate: RUNS := 2000
mutate: SEED := 1
mutate: build
	Tests/Fuzz/mutate --runs $(RUNS) --seed $(SEED)

# After an intended change of results: records the traces of all methods. Review the difference before
# the commit.
golden-traces: build-tests
	FATHOM_RECORD_GOLDEN_TRACES=1 $(TEST) --filter GoldenTraceTests
	git status --short Tests/FathomEvaluationTests/GoldenTraces

# After an intended change of output: writes it into README and the articles, and draws the picture of
# the folders. Review the difference before the commit.
record-shown: build-tests
	FATHOM_RECORD_SHOWN=1 $(TEST) \
	  --filter 'ShownOutputTests|ExampleTests|HouseTests'
	git status --short README.md Sources/Fathom/Fathom.docc

# The plugin's own sandbox is switched off: it would not let the benchmarks start.
benchmark: dependencies
	$(SWIFT) package --package-path Benchmarks --disable-sandbox benchmark --no-progress \
	  --grouping metric
	Benchmarks/peers/run

benchmark-check: PACKAGES += valgrind binutils
benchmark-check: dependencies
	Benchmarks/count

benchmark-answers: dependencies
	Benchmarks/peers/run --answers

format:
	$(SWIFT) format --in-place --parallel --recursive Package.swift Sources Tests Benchmarks

lint:
	$(SWIFT) format lint --strict --parallel --recursive Package.swift Sources Tests Benchmarks
	@if command -v node >/dev/null; then Tests/lint-page; else echo "skipped: the scripts of the live page (no node)"; fi
	@! grep -rnwE --include='*.swift' --include='*.md' --include='*.[ch]' '$(WORDS)' $(PROSE) \
	  || { echo "make lint: words to replace, see CONTRIBUTING.md" >&2; exit 1; }

docs: dependencies
	$(SWIFT) package --allow-writing-to-directory .build/documentation generate-documentation \
	  --target Fathom --target FathomRecordings --target FathomEvaluation --target FathomReports \
	  --enable-experimental-combined-documentation --output-path .build/documentation \
	  --warnings-as-errors

clean:
	rm -rf .build Results

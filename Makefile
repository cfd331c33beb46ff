# The two commands a newcomer needs are `make demo` and `make test`. Each first installs what is
# missing (Debian and Ubuntu; elsewhere it says what to install).

SHELL := /bin/bash
SWIFT ?= swift
PACKAGES := liblapacke-dev libopenblas-dev zlib1g-dev gnuplot-nox

# Threads belong to Fathom, not to BLAS.
export OPENBLAS_NUM_THREADS := 1

# Release tests are built with other flags than the tool, in a folder of their own, so that neither
# build throws the other away.
RELEASE_TESTS := --configuration release -Xswiftc -enable-testing --scratch-path .build/release-tests

.PHONY: help dependencies build native demo datasets test test-debug test-release test-address test-thread \
  fuzz golden-traces benchmark benchmark-check format lint docs clean

help:
	@echo "make demo    build the tool and process the recordings in Datasets/"
	@echo "make test    all tests: a quick run in debug, everything in release"
	@echo "make test-address, make test-thread  the debug tests under a sanitizer"
	@echo "make fuzz    a minute of random input for every reader; SECONDS=1200 for longer"
	@echo "make build   the command-line tool, .build/release/fathom"
	@echo "make native  the tool for this processor only, .build/native/release/fathom"
	@echo "make golden-traces  record what every method makes of the recordings in Datasets/"
	@echo "make datasets  the recordings in Datasets/ from their scenarios"
	@echo "make benchmark  the cost of every kernel, and Fathom beside its peers"
	@echo "make benchmark-check  instructions of every kernel against the committed ones"
	@echo "make format  format the sources; make lint only checks"
	@echo "make docs    the documentation as a site in .build/documentation"
	@echo "make clean   remove what was built"

dependencies:
	@if [ "$$(uname)" = Darwin ]; then exit 0; fi; \
	if ! command -v dpkg-query >/dev/null; then \
	  echo "Not a Debian or Ubuntu: LAPACKE, OpenBLAS and zlib with their headers, and gnuplot, are needed." >&2; \
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
	$(SWIFT) build --configuration release --product fathom

# With all instructions that this processor has, in a folder of its own: such a tool stops on older
# ones. Nothing is fused, so that results stay those of the default build.
NATIVE := $(if $(filter x86_64,$(shell uname -m)),-march=native,-mcpu=native)
native: dependencies
	$(SWIFT) build --configuration release --product fathom --scratch-path .build/native \
	  -Xcc $(NATIVE) -Xswiftc -target-cpu -Xswiftc native

demo: build
	@.build/release/fathom process $(dir $(wildcard Datasets/*/ranges.csv)) --output Results --force
	@echo
	@echo "Positions, distances and summaries are in Results/; the columns are explained in the"
	@echo "documentation (article Results). Truth is beside each recording: Datasets/*/truth.csv."

# The scenarios in Datasets/Scenarios come without data.
datasets: build
	@for scenario in Datasets/*/scenario.yaml; do \
	  .build/release/fathom simulate "$$scenario" --output "$${scenario%/*}" --force || exit 1; \
	done

test: test-debug test-release

# Traps, bounds and exclusivity are checked here; numeric suites wait for the release run.
test-debug: dependencies
	$(SWIFT) test --disable-xctest

test-release: dependencies
	$(SWIFT) test --disable-xctest $(RELEASE_TESTS)

# XCTest's own leaks would fail every run of the tests: leaks are looked for in the tool. A crash
# must not wait for a backtrace.
test-address: dependencies
	SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0 \
	  $(SWIFT) test --disable-xctest --sanitize=address --scratch-path .build/address
	SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=1 .build/address/debug/fathom process \
	  $(dir $(wildcard Datasets/*/ranges.csv)) --output .build/address/results --force --json > /dev/null

# Optimised, since numeric suites under this sanitizer would take hours otherwise; what the compiler
# leaves out races with nothing.
test-thread: dependencies
	SWIFT_BACKTRACE=enable=no $(SWIFT) test --disable-xctest --sanitize=thread -Xswiftc -O \
	  --scratch-path .build/thread

fuzz: SECONDS := 60
fuzz: dependencies
	Tests/Fuzz/run --seconds $(SECONDS)

# After a change of behaviour that is meant: the traces of all methods as they are now, to be reviewed
# as a difference before they are committed.
golden-traces: dependencies
	FATHOM_RECORD_GOLDEN_TRACES=1 $(SWIFT) test --disable-xctest --filter GoldenTraceTests
	git status --short Tests/FathomEvaluationTests/GoldenTraces

# The plugin's own sandbox is switched off: it would not let the benchmarks start.
benchmark: dependencies
	$(SWIFT) package --package-path Benchmarks --disable-sandbox benchmark --no-progress \
	  --grouping metric
	Benchmarks/peers/run

benchmark-check: PACKAGES += valgrind binutils
benchmark-check: dependencies
	Benchmarks/count

format:
	$(SWIFT) format --in-place --parallel --recursive Package.swift Sources Tests Benchmarks

lint:
	$(SWIFT) format lint --strict --parallel --recursive Package.swift Sources Tests Benchmarks

docs: dependencies
	$(SWIFT) package --allow-writing-to-directory .build/documentation generate-documentation \
	  --target Fathom --output-path .build/documentation --warnings-as-errors

clean:
	rm -rf .build Results

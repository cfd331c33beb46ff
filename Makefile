# The two commands a newcomer needs are `make demo` and `make test`. Each first installs what is
# missing (Debian and Ubuntu; on other systems it names what to install).

SHELL := /bin/bash
SWIFT ?= swift
PACKAGES := liblapacke-dev libopenblas-dev zlib1g-dev

# Threads belong to Fathom, not to BLAS.
export OPENBLAS_NUM_THREADS := 1

# Tests in the release configuration are built with other flags than the tool, in a folder of
# their own so that neither build throws the other away.
RELEASE_TESTS := --configuration release -Xswiftc -enable-testing --scratch-path .build/release-tests

.PHONY: help dependencies build demo test format lint docs clean

help:
	@echo "make demo       build the tool and process the recordings in Datasets/"
	@echo "make test       all tests: numeric suites in release, a quick run in debug"
	@echo "make format     format the sources; make lint checks them"
	@echo "make docs       documentation site into .build/documentation"

"""Compiles the module that calls the library; everything else is in pyproject.toml."""

from setuptools import setup

# cffi's modules use the stable part of Python's interface.
setup(cffi_modules=["native.py:builder"], options={"bdist_wheel": {"py_limited_api": "cp310"}})

"""Compiles the module that calls the library; everything else is in pyproject.toml."""

from setuptools import setup

setup(cffi_modules=["native.py:builder"])

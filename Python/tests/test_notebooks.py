"""The notebooks run where they lie, and show the outputs that they are committed with.

FATHOM_RECORD_SHOWN=1 records the outputs instead of comparing them.
"""

import os
import re

import pytest
from conftest import ROOT

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")
pytest.importorskip("matplotlib")
pytest.importorskip("pandas")

NOTEBOOKS = sorted((ROOT / "Python/notebooks").glob("*.ipynb"))
RECORDS = os.environ.get("FATHOM_RECORD_SHOWN") == "1"

#: The file of a cell, before a warning.
CELL = re.compile(r"\S*/ipykernel_\d+/\d+\.py:\d+: ")
ADDRESS = re.compile(r" at 0x[0-9a-f]+")
#: The size of a summary, which has paths and the version of the tool.
SIZE = re.compile(r"\d+ bytes")


def run(path):
    """Returns a notebook with its outputs, without what differs from run to run."""
    notebook = nbformat.read(path, 4)
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
    nbclient.NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        record_timing=False,
        resources={"metadata": {"path": str(path.parent)}},
    ).execute()
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if "text" in output:
                output.text = CELL.sub("", output.text)
            for kind, data in output.get("data", {}).items():
                if kind.startswith("text/"):
                    output.data[kind] = ADDRESS.sub("", data)
    notebook.metadata.language_info = {"name": "python"}
    return notebook


def texts(notebook):
    """Returns the outputs of every cell but its figures, which differ with the version of matplotlib."""
    found = []
    for cell in notebook.cells:
        outputs = cell.get("outputs", [])
        text = "".join(output.get("text", "") + output.get("data", {}).get("text/plain", "") for output in outputs)
        found.append(SIZE.sub("some bytes", text))
    return found


def figures(notebook):
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return [output for output in outputs if "image/png" in output.get("data", {})]


def test_there_are_notebooks():
    assert len(NOTEBOOKS) == 3


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(path):
    before = set(path.parent.iterdir())
    made = run(path)
    assert set(path.parent.iterdir()) == before, "the notebook writes beside itself"
    if RECORDS:
        nbformat.write(made, path)
    committed = nbformat.read(path, 4)
    assert texts(made) == texts(committed), "record the outputs with FATHOM_RECORD_SHOWN=1"
    assert figures(made) and len(figures(made)) == len(figures(committed))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_outputs_are_small_and_of_no_machine(path):
    content = path.read_text()
    assert len(content) < 200_000
    assert not re.search(r"/(tmp|home|root|var|Users)/|ipykernel_", content)

"""Progress of long calls, and what the package declares of itself."""

import inspect
import subprocess
import sys
from pathlib import Path

import fathom
import fathom.plotting
import pytest
from conftest import ROOT, example


def shown(capsys, call):
    call()
    return capsys.readouterr().err


def test_progress_is_a_bar(capsys):
    pytest.importorskip("tqdm")
    ranges, anchors, _ = example(70_000)
    text = shown(capsys, lambda: fathom.track(ranges, anchors, height=1.0, progress=True))
    assert "track: 100%|" in text and text.endswith("\n")
    assert "locate: 100%|" in shown(capsys, lambda: fathom.locate([[3, 6, 7, 4.5]], anchors, height=1.0, progress=True))
    assert shown(capsys, lambda: fathom.track(ranges, anchors, height=1.0, progress=False)) == ""


def test_progress_is_a_line_without_tqdm(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    ranges, anchors, _ = example(70_000)
    text = shown(capsys, lambda: fathom.track(ranges, anchors, height=1.0, progress=True))
    assert text.startswith("\rtrack: 0 %") and text.endswith("\rtrack: 100 %\n")
    with pytest.raises(fathom.DataError):
        fathom.track(ranges, {"Z": (0, 0)}, height=1.0, progress=True)
    assert capsys.readouterr().err in ("", "\rtrack: 0 %\n")


def documented():
    """Returns the public functions, classes and methods whose parameters have a line each."""
    found = []
    for name in fathom.__all__:
        value = getattr(fathom, name)
        members = [value]
        if inspect.isclass(value):
            members += [member for key, member in vars(value).items() if inspect.isfunction(member) and key[0] != "_"]
        found += [member for member in members if callable(member) and ":param" in (member.__doc__ or "")]
    return found


@pytest.mark.parametrize("value", documented(), ids=lambda value: value.__qualname__)
def test_every_parameter_is_documented(value):
    text = value.__doc__
    for name in inspect.signature(value).parameters:
        assert name == "self" or f":param {name}:" in text or f"``{name}``" in text, name


def test_everything_public_has_a_summary():
    for name in fathom.__all__:
        assert name == "version" or getattr(fathom, name).__doc__, name


@pytest.mark.parametrize(
    ("module", "arguments"),
    [("mypy", ["--no-incremental"]), ("ruff", ["check", "--no-cache"]), ("ruff", ["format", "--check", "--no-cache"])],
)
def test_sources_are_clean(module, arguments, tmp_path):
    pytest.importorskip(module)
    folder = ROOT / "Python"
    if not (folder / "pyproject.toml").exists():
        pytest.skip("there are no sources")
    places = ["src/fathom"] if module == "mypy" else ["."]
    done = subprocess.run([sys.executable, "-m", module, *arguments, *places], capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr


def test_modules_are_short():
    for path in Path(fathom.__file__).parent.glob("*.py"):
        assert len(path.read_text().splitlines()) <= 350, path.name

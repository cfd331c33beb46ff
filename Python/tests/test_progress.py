"""Progress of long calls, and what the package declares of itself."""

import inspect
import subprocess
import sys
import typing
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
    """Returns the public functions, methods, and classes with parameters."""
    found = []
    for name in fathom.__all__:
        value = getattr(fathom, name)
        if inspect.isclass(value):
            found += [member for key, member in vars(value).items() if inspect.isfunction(member) and key[0] != "_"]
        if callable(value) and ":param" in (value.__doc__ or "") or inspect.isfunction(value):
            found.append(value)
    return found


@pytest.mark.parametrize("value", documented(), ids=lambda value: value.__qualname__)
def test_every_parameter_is_documented(value):
    for name in inspect.signature(value).parameters:
        assert name == "self" or f":param {name}:" in value.__doc__, name


def test_types_have_the_words_of_the_library():
    import json

    from fathom import _core, _types

    settings = {row["key"]: row.get("words") for row in json.loads(_core.text(_core.lib.fathom_settings))["processing"]}
    words = {"method": _types.Method, "side": _types.Side, "smoothing": _types.Smoothing}
    for name, kind in words.items():
        assert sorted(typing.get_args(kind)) == sorted(settings[name]), name
    assert sorted(typing.get_args(_types.Outcome)) == sorted(_core.words(_core.lib.FATHOM_OUTCOME))
    assert sorted(typing.get_args(_types.TrackStatus)) == sorted(_core.words(_core.lib.FATHOM_TRACK_STATUS))


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

"""The code of the article Python runs in a clean folder, and its comments are its results."""

import re

import pytest
from conftest import ROOT, example

ARTICLE = ROOT / "Sources/Fathom/Fathom.docc/Articles/Python.md"


@pytest.fixture(scope="module")
def blocks():
    if not ARTICLE.exists():
        pytest.skip("there is no article")
    return re.findall(r"^```python\n(.*?)^```$", ARTICLE.read_text(), flags=re.DOTALL | re.MULTILINE)


def run(block, names):
    """Runs a block, and compares expressions with the numbers in their comments."""
    for line in block.splitlines():
        code, _, comment = line.partition("  # ")
        numbers = re.findall(r"\d+\.\d+", comment)
        if not numbers:
            exec(line, names)
            continue
        value = eval(code, names)
        digits = len(numbers[0].split(".")[1])
        found = [f"{number:.{digits}f}" for number in (value if getattr(value, "ndim", 0) else [value])]
        assert found == numbers, line


def test_a_table_is_tracked(blocks, tmp_path, monkeypatch):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("matplotlib").use("Agg")
    pd.DataFrame(example()[0]).to_csv(tmp_path / "ranges.csv", index=False)
    monkeypatch.chdir(tmp_path)
    names = {}
    run(blocks[0], names)
    assert len(names["positions"]) == 200 and [path.name for path in tmp_path.iterdir()] == ["ranges.csv"]


def test_filters_give_the_shown_numbers(blocks):
    import fathom

    names = {"fathom": fathom}
    run(blocks[1], names)
    assert names["track"].states.mean.shape == (5, 2)


def test_the_other_code_is_tested_with_spark(blocks):
    assert len(blocks) == 3 and "fathom.spark.track_files" in blocks[2]


def test_the_statement_of_duckdb_reads_results(robot, tmp_path, monkeypatch):
    duckdb = pytest.importorskip("duckdb")
    import fathom

    if not ARTICLE.exists():
        pytest.skip("there is no article")
    (statement,) = re.findall(r"^```sql\n(.*?)^```$", ARTICLE.read_text(), flags=re.DOTALL | re.MULTILINE)
    result = fathom.track(robot)
    result.write(tmp_path / "results")
    monkeypatch.chdir(tmp_path)
    ((name, count, sigma),) = duckdb.sql(statement).fetchall()
    assert name == "robot-2d.positions.csv" and count == len(result) and 0 < sigma < 1

"""The code of the article Python runs in a clean folder, and its comments are its results."""

import re
import shutil

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
    run(blocks[3], names)
    assert names["track"].states.mean.shape == (5, 2)


def test_bags_are_read(blocks, tmp_path, monkeypatch, capsys):
    pytest.importorskip("rosbags", reason="bags need rosbags")
    import fathom
    from bags import EPOCH, written

    ranges, anchors, true = example()
    rows = [(EPOCH + round(time * 1e9), *row) for time, *row in zip(*ranges.values(), true)]

    def walk(bag):
        for time, anchor, distance, place in rows:
            bag.range("/uwb", time, "0", anchor, distance)
            bag.pose_stamped("/truth", time, *place.tolist())

    def odd(bag):
        for time, anchor, distance, _ in rows:
            bag.write(
                "/toa",
                "uwb_msgs/msg/Odd",
                time,
                header=bag.header(time),
                who=anchor,
                toa_value=distance,
                clock=0,
                clock_us=0,
            )

    shutil.move(next(written(tmp_path / "made", "mcap", walk).glob("*.mcap")), tmp_path / "walk.mcap")
    assert written(tmp_path / "walk", "ros1", odd).name == "walk.bag"
    lines = [f"{name},{x},{y},{z}" for name, (x, y, z) in anchors.items()]
    (tmp_path / "anchors.csv").write_text("\n".join(["id,x,y,z", *lines]) + "\n")
    monkeypatch.chdir(tmp_path)
    names = {"fathom": fathom}
    run(blocks[1], names)
    assert 0 < float(capsys.readouterr().out) < 0.2 and (tmp_path / "positions.mcap").exists()
    odd_one = eval(blocks[2], names)
    assert odd_one.ranges.rows == names["walk"].ranges.rows == len(rows)


def test_the_other_code_is_tested_with_spark(blocks):
    assert len(blocks) == 5 and "fathom.spark.track_files" in blocks[4]


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

"""The workloads: made once from fixed seeds, the same for every implementation."""

from pathlib import Path

import numpy as np

EPOCHS = 200_000
UPDATES = 1_000_000
BANK = (1000, 1024)  # steps, series
WALK = 1_000_000

# The corners of the hall: height is weakly determined, as it is in most halls.
ANCHORS = np.array([[x, y, z] for x in (0.0, 20.0) for y in (0.0, 15.0) for z in (0.0, 3.0)])


def path(epochs: int, step: float = 0.1) -> np.ndarray:
    """A smooth path through a hall of 20 x 15 x 3 m, a position every so many seconds."""
    time = step * np.arange(epochs)
    return np.column_stack([
        10 + 7 * np.sin(0.11 * time), 7.5 + 5 * np.sin(0.17 * time + 1),
        1.2 + 0.5 * np.sin(0.05 * time + 2),
    ])


def clean(truth: np.ndarray) -> np.ndarray:
    """Ranges with 0.10 m of noise."""
    generator = np.random.Generator(np.random.PCG64(15))
    distance = np.linalg.norm(truth[:, None, :] - ANCHORS[None], axis=2)
    return distance + generator.normal(0, 0.10, distance.shape)


def ranges(truth: np.ndarray) -> np.ndarray:
    """Ranges with 0.10 m of noise, 5 % of them too long by 0.8 m in the mean."""
    generator = np.random.Generator(np.random.PCG64(11))
    distance = np.linalg.norm(truth[:, None, :] - ANCHORS[None], axis=2)
    noise = generator.normal(0, 0.10, distance.shape)
    is_outlier = generator.random(distance.shape) < 0.05
    return distance + noise + is_outlier * generator.exponential(0.8, distance.shape)


def walk(truth: np.ndarray) -> np.ndarray:
    """One range per position, to one anchor after the other, with errors as above."""
    generator = np.random.Generator(np.random.PCG64(17))
    anchor = ANCHORS[np.arange(len(truth)) % len(ANCHORS)]
    is_outlier = generator.random(len(truth)) < 0.05
    return (np.linalg.norm(truth - anchor, axis=1) + generator.normal(0, 0.10, len(truth))
            + is_outlier * generator.exponential(0.8, len(truth)))


def swings(steps: int, count: int, seed: int) -> np.ndarray:
    """Measured positions of targets that swing to and fro, steps x count, metres."""
    generator = np.random.Generator(np.random.PCG64(seed))
    time = 0.1 * np.arange(steps)[:, None]
    phase = np.linspace(0, 6, count)[None]
    return 5 * np.sin(0.2 * time + phase) + generator.normal(0, 0.10, (steps, count))


def write_rows(file: Path, rows: int) -> None:
    """time_s,tag,anchor,distance_m: four tags, eight anchors, a range every millisecond."""
    generator = np.random.Generator(np.random.PCG64(13))
    block = 100_000
    partial = file.with_suffix(".partial")
    with partial.open("w", newline="\n") as output:
        output.write("time_s,tag,anchor,distance_m\n")
        for start in range(0, rows, block):
            index = np.arange(start, min(start + block, rows))
            distance = 10 + 5 * np.sin(1e-4 * index) + generator.normal(0, 0.1, len(index))
            output.writelines(
                f"{k // 1000}.{k % 1000:03d},tag{k // 8 % 4},anchor{k % 8},{d:.4f}\n"
                for k, d in zip(index.tolist(), distance.tolist()))
    partial.rename(file)


def tag_positions(time: np.ndarray, tag: np.ndarray) -> np.ndarray:
    """Where the tags of the recording are: they walk in circles through the hall, metres."""
    phase = 0.3 * time + 1.5 * tag
    return np.column_stack([
        10 + 6 * np.cos(phase), 7.5 + 5 * np.sin(phase), 1.2 + 0.3 * np.sin(0.1 * time + tag)])


def write_recording(folder: Path, rows: int) -> None:
    """ranges.csv and anchors.csv: four tags, eight anchors, every range at an instant of its own."""
    folder.mkdir(exist_ok=True)
    lines = [f"anchor{index},{x},{y},{z}\n" for index, (x, y, z) in enumerate(ANCHORS.tolist())]
    (folder / "anchors.csv").write_text("id,x,y,z\n" + "".join(lines))
    generator = np.random.Generator(np.random.PCG64(16))
    block = 100_000
    partial = folder / "ranges.partial"
    with partial.open("w", newline="\n") as output:
        output.write("time_s,tag,anchor,distance_m\n")
        for start in range(0, rows, block):
            index = np.arange(start, min(start + block, rows))
            tag, anchor = index // 8 % 4, index % 8
            offset = tag_positions(1e-3 * index, tag) - ANCHORS[anchor]
            distance = np.linalg.norm(offset, axis=1) + generator.normal(0, 0.1, len(index))
            output.writelines(
                f"{k // 1000}.{k % 1000:03d},tag{t},anchor{a},{d:.4f}\n"
                for k, t, a, d in zip(*(v.tolist() for v in [index, tag, anchor, distance])))
    partial.rename(folder / "ranges.csv")


def make(folder: Path, rows: int, recordings: list[int]) -> None:
    """Writes what is missing of the workload to the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for count in recordings:
        if not (folder / f"process-{count}" / "ranges.csv").exists():
            write_recording(folder / f"process-{count}", count)
    truth = path(EPOCHS)
    for name, numbers in [
        ("anchors", lambda: ANCHORS),
        ("truth", lambda: truth),
        ("ranges", lambda: ranges(truth)),
        ("clean", lambda: clean(truth)),
        ("series", lambda: swings(UPDATES, 1, 12)),
        ("bank", lambda: swings(*BANK, 14)),
        ("walk-truth", lambda: path(WALK, 0.1 / len(ANCHORS))),
        ("walk", lambda: walk(path(WALK, 0.1 / len(ANCHORS)))),
    ]:
        if not (folder / f"{name}.f64").exists():
            np.ascontiguousarray(numbers(), dtype=np.float64).tofile(folder / f"{name}.f64")
    if not (folder / f"rows-{rows}.csv").exists():
        write_rows(folder / f"rows-{rows}.csv", rows)

"""Tracks all recordings below a folder on Spark.

    spark-submit --master spark://HOST:7077 spark_track.py FOLDER OUTPUT [METHOD]

Writes positions as Parquet to OUTPUT and a row per recording to OUTPUT.summary, and prints the recordings without
positions. The folder must be seen by all workers under the same path.
"""

import sys
from pathlib import Path

import fathom.spark
from pyspark.sql import SparkSession


def main(folder: str, output: str, method: str = "filter") -> int:
    session = SparkSession.builder.appName("fathom").getOrCreate()
    # Workers have working directories of their own.
    root = Path(folder).resolve()
    paths = sorted(str(file.parent) for file in root.rglob("ranges.csv*"))
    if not paths:
        print(f"{folder}: there is no recording", file=sys.stderr)
        return 66
    # Three tasks per core balance recordings of different lengths.
    tasks = min(len(paths), 3 * session.sparkContext.defaultParallelism)
    table = session.createDataFrame([(path,) for path in paths], "path string").repartition(tasks)
    places = [str(Path(place).resolve()) for place in (output, f"{output}.summary")]
    positions = fathom.spark.track_files(table, method=method)
    positions.write.mode("overwrite").parquet(places[0])
    summary = fathom.spark.summary(session.read.parquet(places[0]))
    summary.write.mode("overwrite").parquet(places[1])
    failed = summary.where("error is not null").orderBy("recording").collect()
    for row in failed:
        print(f"{Path(row.recording).relative_to(root)}: {row.error}", file=sys.stderr)
    print(f"{len(paths) - len(failed)} of {len(paths)} recordings")
    return 65 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

"""Tracks all recordings below a folder on Spark.

    spark-submit --master spark://HOST:7077 spark_track.py FOLDER OUTPUT [METHOD]

Writes positions as Parquet, and prints the recordings that could not be processed. The folder must be
seen by all workers under the same path.
"""

import sys
from pathlib import Path

import fathom.spark
from pyspark.sql import SparkSession


def main(folder: str, output: str, method: str = "filter") -> int:
    session = SparkSession.builder.appName("fathom").getOrCreate()
    paths = sorted(str(file.parent) for file in Path(folder).rglob("ranges.csv*"))
    if not paths:
        print(f"{folder}: there is no recording", file=sys.stderr)
        return 66
    # Three tasks per core balance recordings of different lengths.
    tasks = min(len(paths), 3 * session.sparkContext.defaultParallelism)
    table = session.createDataFrame([(path,) for path in paths], "path string").repartition(tasks)
    positions = fathom.spark.track_files(table, method=method)
    positions.write.mode("overwrite").parquet(output)
    failed = session.read.parquet(output).where("error is not null").select("recording", "error").collect()
    for row in failed:
        print(f"{row.recording}: {row.error}", file=sys.stderr)
    print(f"{len(paths) - len(failed)} of {len(paths)} recordings")
    return 65 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

import Fathom
import FathomRecordings

/// Returns the recording read from the ranges file with the given number of rows.
func readRows(_ workload: Workload, rows: Int, threads: Int) throws -> Recording {
  try RecordingReader.read(workload.folder + "/rows-\(rows).csv", threads: threads)
}

/// Returns the values by which readers are compared: the number of rows, the sums of times and
/// distances, and the numbers of tags and anchors.
func sums(of recording: Recording) -> [Double] {
  var times = 0.0
  var distances = 0.0
  for time in recording.ranges.time { times += time.seconds }
  for distance in recording.ranges.distance { distances += distance }
  return [
    Double(recording.ranges.count), times, distances, Double(recording.tagNames.count),
    Double(recording.anchorNames.count),
  ]
}

import Fathom
import FathomRecordings

/// The ranges file of so many rows, in columns.
func readRows(_ workload: Workload, rows: Int, threads: Int) throws -> Recording {
  try RecordingReader.read(workload.folder + "/rows-\(rows).csv", threads: threads)
}

/// By what readers are compared: the number of rows, sums of times and distances, and how many tags and
/// anchors there are.
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

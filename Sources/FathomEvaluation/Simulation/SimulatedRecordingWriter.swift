import Fathom
import FathomRecordings

/// A writer of simulated recordings, in the folder layout that readers of recordings expect.
///
/// The files are `ranges.csv` (`tdoa.csv` for differences), `anchors.csv` (only a header without
/// anchors), `truth.csv`, `recording.json`, and a file for each kind of sensor. Times have 6 decimals, lengths in metres 4,
/// components of directions 6, powers 2.
public enum SimulatedRecordingWriter {
  /// A file of the folder.
  public struct File: Sendable, Equatable {
    /// Name in the folder.
    public let name: String
    /// Content.
    public let bytes: [UInt8]
  }

  /// Returns the files of `simulated` with their content.
  public static func files(of simulated: SimulatedRecording) -> [File] {
    let measurements =
      simulated.differences.map {
        File(name: differencesName, bytes: differences($0, simulated.recording))
      } ?? File(name: rangesName, bytes: ranges(simulated.recording))
    return [
      measurements, File(name: "anchors.csv", bytes: anchors(simulated.recording)),
      File(name: "truth.csv", bytes: truth(simulated)),
      File(name: "recording.json", bytes: information(simulated.recording)),
    ] + (simulated.poses.map { [File(name: posesName, bytes: poses($0))] } ?? [])
      + simulated.sensors.map { File(name: $0.name, bytes: $0.bytes) }
  }

  private static let rangesName = "ranges.csv"
  private static let differencesName = "tdoa.csv"
  private static let posesName = "poses.csv"
  private static let names = [
    rangesName, differencesName, "anchors.csv", "truth.csv", "recording.json", posesName,
    "imu.csv", "heights.csv", "odometry.csv",
  ]

  // MARK: Contents

  private static func ranges(_ recording: Recording) -> [UInt8] {
    let ranges = recording.ranges
    let hasEvents = !recording.events.isEmpty
    var header = "time_s,tag,anchor,distance_m"
    if ranges[.directionX] != nil { header += ",direction_x,direction_y,direction_z" }
    if ranges[.rssi] != nil { header += ",rssi_dbm" }
    if ranges[.nonLineOfSight] != nil { header += ",nlos" }
    if hasEvents { header += ",event" }
    let optional = header.utf8.count { $0 == UInt8(ascii: ",") } - 3 - (hasEvents ? 1 : 0)
    let between = recording.tagRanges
    var row = CSVBuffer(
      header: header, rows: ranges.count + between.count + recording.events.count)
    var pair = 0

    // Ranges and events carry their line numbers; merging them restores the order of lines.
    var (range, event) = (0, 0)
    while range < ranges.count || event < recording.events.count || pair < between.count {
      let next = min(
        range < ranges.count ? ranges.line[range] : .max,
        event < recording.events.count ? recording.events[event].line : .max)
      if pair < between.count, between.line[pair] < next {
        row.append(between.time[pair], decimals: 6)
        row.append(recording.tagNames[Int(between.tag[pair])])
        row.append(recording.tagNames[Int(between.other[pair])])
        row.append(between.distance[pair], decimals: 4)
        for _ in 0..<optional + (hasEvents ? 1 : 0) { row.append("") }
        row.endRow()
        pair += 1
        continue
      }
      let isRange =
        event == recording.events.count
        || (range < ranges.count && ranges.line[range] < recording.events[event].line)
      if isRange {
        row.append(ranges.time[range], decimals: 6)
        row.append(recording.tagNames[Int(ranges.tag[range])])
        row.append(recording.anchorNames[Int(ranges.anchor[range])])
        row.append(ranges.distance[range], decimals: 4)
        for quantity in [RangeQuantity.directionX, .directionY, .directionZ] {
          if let component = ranges[quantity] { row.append(component[range], decimals: 6) }
        }
        if let power = ranges[.rssi] { row.append(power[range], decimals: 2) }
        if let blocked = ranges[.nonLineOfSight] { row.append(blocked[range], decimals: 0) }
        if hasEvents { row.append("") }
        range += 1
      } else {
        let entry = recording.events[event]
        row.append(entry.time, decimals: 6)
        row.append(recording.tagNames[Int(entry.tag)])
        row.append(entry.anchor.map { recording.anchorNames[Int($0)] } ?? "")
        for _ in 0..<1 + optional { row.append("") }
        row.append(entry.event.rawValue)
        event += 1
      }
      row.endRow()
    }
    return row.bytes
  }

  private static func differences(
    _ differences: [SimulatedRecording.Difference], _ recording: Recording
  ) -> [UInt8] {
    var row = CSVBuffer(
      header: "time_s,tag,anchor_a,anchor_b,difference_m", rows: differences.count)
    for difference in differences {
      row.append(difference.time, decimals: 6)
      row.append(recording.tagNames[difference.tag])
      row.append(recording.anchorNames[difference.anchorA])
      row.append(recording.anchorNames[difference.anchorB])
      row.append(difference.difference, decimals: 4)
      row.endRow()
    }
    return row.bytes
  }

  private static func anchors(_ recording: Recording) -> [UInt8] {
    var row = CSVBuffer(header: "id,x,y,z", rows: recording.anchors.count)
    for (name, anchor) in zip(recording.anchorNames, recording.anchors) {
      row.append(name)
      for axis in 0..<3 { row.append(anchor.position[axis], decimals: 4) }
      row.endRow()
    }
    return row.bytes
  }

  private static func truth(_ simulated: SimulatedRecording) -> [UInt8] {
    var row = CSVBuffer(header: "time_s,x,y,z,tag", rows: simulated.truth.count)
    for sample in simulated.truth {
      row.append(sample.time, decimals: 6)
      for axis in 0..<3 { row.append(sample.position[axis], decimals: 4) }
      row.append(sample.name)
      row.endRow()
    }
    return row.bytes
  }

  private static func poses(_ poses: [TimedPose]) -> [UInt8] {
    var row = CSVBuffer(header: "time_s,x,y,z,qw,qx,qy,qz", rows: poses.count)
    for pose in poses {
      row.append(pose.time, decimals: 6)
      for axis in 0..<3 { row.append(pose.position[axis], decimals: 4) }
      let attitude = pose.attitude ?? Attitude(heading: .zero)
      row.append(attitude.w, decimals: 6)
      row.append(attitude.x, decimals: 6)
      row.append(attitude.y, decimals: 6)
      row.append(attitude.z, decimals: 6)
      row.endRow()
    }
    return row.bytes
  }

  private static func information(_ recording: Recording) -> [UInt8] {
    var text = "{\n"
    if let height = recording.facts.heightM { text += "  \"height_m\": \(height),\n" }
    if let bounds = recording.facts.boundsM { text += "  \"bounds_m\": \(bounds),\n" }
    text += "  \"notes\": \"\(escaped(recording.notes.joined(separator: " ")))\"\n}\n"
    return Array(text.utf8)
  }

  /// Escapes `text` for a JSON string.
  ///
  /// Scenario names have no control characters, so quote and backslash are the only escapes.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      if character == "\"" || character == "\\" { result.append("\\") }
      result.append(character)
    }
    return result
  }

  // MARK: Folders

  /// Returns the path of the first file in `folder` that belongs to a recording, or nil.
  public static func conflict(in folder: String) -> String? {
    OutputFile.conflict(among: names.map { OutputFile.path(of: $0, in: folder) })
  }

  /// Writes the files into `folder` and creates the folder if needed.
  ///
  /// Each file appears complete or not at all; see `OutputFile`. Other files of the folder are
  /// unchanged.
  ///
  /// - Parameters:
  ///   - simulated: the recording to write.
  ///   - folder: path of the folder.
  ///   - overwriting: whether files of the same names may be replaced.
  ///   - writer: the writer of the files; closing it ends the work and deletes unfinished files.
  /// - Throws: `RecordingError.cannotWrite` when a file already exists and `overwriting` is false,
  ///   when ranges would lie beside differences of another recording or vice versa, and when the
  ///   system refuses.
  public static func write(
    _ simulated: SimulatedRecording, to folder: String, overwriting: Bool = false,
    through writer: AtomicFileWriter = AtomicFileWriter()
  ) throws(RecordingError) {
    if !overwriting, let path = conflict(in: folder) {
      throw .cannotWrite(path: path, reason: "already exists")
    }
    let other = simulated.differences == nil ? differencesName : rangesName
    if let path = OutputFile.conflict(among: [OutputFile.path(of: other, in: folder)]) {
      throw .cannotWrite(
        path: path, reason: "already exists and is not part of the new recording: remove it first")
    }
    try writer.write(
      files(of: simulated).map {
        OutputFile(path: OutputFile.path(of: $0.name, in: folder), bytes: $0.bytes)
      })
  }
}

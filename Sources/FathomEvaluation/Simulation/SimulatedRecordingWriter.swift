import Fathom
import FathomRecordings
import Foundation

/// Writes a simulated recording as the folder that readers of recordings expect.
///
/// `ranges.csv`, `anchors.csv` (only its header where there are no anchors), `truth.csv` and
/// `recording.json`. Times have 6 decimals, metres 4, components of directions 6.
public enum SimulatedRecordingWriter {
  /// A file of the folder.
  public struct File: Sendable, Equatable {
    /// Its name in the folder.
    public let name: String
    /// What is in it.
    public let bytes: [UInt8]
  }

  /// The files of `simulated`, complete.
  public static func files(of simulated: SimulatedRecording) -> [File] {
    let contents = [
      ranges(simulated.recording), anchors(simulated.recording), truth(simulated),
      information(simulated.recording),
    ]
    return zip(names, contents).map { File(name: $0, bytes: $1) }
  }

  private static let names = ["ranges.csv", "anchors.csv", "truth.csv", "recording.json"]

  // MARK: Contents

  private static func ranges(_ recording: Recording) -> [UInt8] {
    let ranges = recording.ranges
    let hasEvents = !recording.events.isEmpty
    var bytes = Array("time_s,tag,anchor,distance_m".utf8)
    if ranges.direction != nil { bytes += Array(",direction_x,direction_y,direction_z".utf8) }
    if hasEvents { bytes += Array(",event".utf8) }
    bytes.append(newline)

    // Ranges and events know their lines; taken together they are the lines in order.
    var (range, event) = (0, 0)
    while range < ranges.count || event < recording.events.count {
      let isRange =
        event == recording.events.count
        || (range < ranges.count && ranges.line[range] < recording.events[event].line)
      if isRange {
        FixedDecimal.append(ranges.time[range], decimals: 6, to: &bytes)
        append(recording.tagNames[Int(ranges.tag[range])], to: &bytes)
        append(recording.anchorNames[Int(ranges.anchor[range])], to: &bytes)
        append(ranges.distance[range], decimals: 4, to: &bytes)
        if let direction = ranges.direction {
          append(direction.x[range], decimals: 6, to: &bytes)
          append(direction.y[range], decimals: 6, to: &bytes)
          append(direction.z[range], decimals: 6, to: &bytes)
        }
        if hasEvents { bytes.append(comma) }
        range += 1
      } else {
        let entry = recording.events[event]
        FixedDecimal.append(entry.time, decimals: 6, to: &bytes)
        append(recording.tagNames[Int(entry.tag)], to: &bytes)
        append(entry.anchor.map { recording.anchorNames[Int($0)] } ?? "", to: &bytes)
        bytes.append(comma)
        if ranges.direction != nil { bytes += [comma, comma, comma] }
        append(entry.event.rawValue, to: &bytes)
        event += 1
      }
      bytes.append(newline)
    }
    return bytes
  }

  private static func anchors(_ recording: Recording) -> [UInt8] {
    var bytes = Array("id,x,y,z\n".utf8)
    for (name, anchor) in zip(recording.anchorNames, recording.anchors) {
      bytes += Array(name.utf8)
      append(anchor.position, to: &bytes)
      bytes.append(newline)
    }
    return bytes
  }

  private static func truth(_ simulated: SimulatedRecording) -> [UInt8] {
    var bytes = Array("time_s,x,y,z,tag\n".utf8)
    for sample in simulated.truth {
      FixedDecimal.append(sample.time, decimals: 6, to: &bytes)
      append(sample.position, to: &bytes)
      append(sample.name, to: &bytes)
      bytes.append(newline)
    }
    return bytes
  }

  private static func information(_ recording: Recording) -> [UInt8] {
    var text = "{\n"
    if let height = recording.height { text += "  \"height_m\": \(height),\n" }
    text += "  \"notes\": \"\(escaped(recording.notes.joined(separator: " ")))\"\n}\n"
    return Array(text.utf8)
  }

  /// `text` as it stands inside a JSON string.
  ///
  /// Names of scenarios have no control characters, so two escapes are all.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      if character == "\"" || character == "\\" { result.append("\\") }
      result.append(character)
    }
    return result
  }

  private static let comma = UInt8(ascii: ",")
  private static let newline = UInt8(ascii: "\n")

  private static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(comma)
    bytes += Array(text.utf8)
  }

  private static func append(_ value: Double, decimals: Int, to bytes: inout [UInt8]) {
    bytes.append(comma)
    FixedDecimal.append(value, decimals: decimals, to: &bytes)
  }

  private static func append(_ position: Vector<3>, to bytes: inout [UInt8]) {
    for axis in 0..<3 { append(position[axis], decimals: 4, to: &bytes) }
  }

  // MARK: Folders

  /// The path of the first file that ``write(_:to:overwriting:)`` would replace in `folder`, or nil.
  public static func conflict(in folder: String) -> String? {
    names.lazy
      .map { folder.hasSuffix("/") ? folder + $0 : "\(folder)/\($0)" }
      .first { FileManager.default.fileExists(atPath: $0) }
  }

  /// Writes the files into `folder`, which is made where it is not there.
  ///
  /// All are written beside it first and then renamed, so that no file is ever seen in part. Other files
  /// of the folder stay.
  ///
  /// - Parameters:
  ///   - simulated: what to write.
  ///   - folder: path of the folder.
  ///   - overwriting: whether files of these names may be replaced.
  /// - Throws: `RecordingError.cannotWrite` where a file is there already and
  ///   `overwriting` is false, or where the system refuses.
  public static func write(
    _ simulated: SimulatedRecording, to folder: String, overwriting: Bool = false
  ) throws(RecordingError) {
    if !overwriting, let path = conflict(in: folder) {
      throw .cannotWrite(path: path, reason: "is there already")
    }
    let target = URL(filePath: folder, directoryHint: .isDirectory).standardizedFileURL
    let beside = target.deletingLastPathComponent().appending(
      path: ".\(target.lastPathComponent).partial-\(ProcessInfo.processInfo.processIdentifier)",
      directoryHint: .isDirectory)
    let manager = FileManager.default
    defer { try? manager.removeItem(at: beside) }
    let files = files(of: simulated)
    do {
      try manager.createDirectory(at: beside, withIntermediateDirectories: true)
      for file in files { try Data(file.bytes).write(to: beside.appending(path: file.name)) }
      try manager.createDirectory(at: target, withIntermediateDirectories: true)
    } catch {
      throw .cannotWrite(path: folder, reason: "cannot be written: \(error.localizedDescription)")
    }
    for file in files {
      let path = target.appending(path: file.name).path(percentEncoded: false)
      // rename(2) replaces in one step, which FileManager.moveItem does not.
      guard rename(beside.appending(path: file.name).path(percentEncoded: false), path) == 0 else {
        throw .cannotWrite(path: path, reason: String(cString: strerror(errno)))
      }
    }
  }
}

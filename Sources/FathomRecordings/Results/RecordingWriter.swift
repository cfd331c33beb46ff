import Fathom
import Foundation

/// A file of a recording, whose rows become text as the file is written.
///
/// Memory beyond the recording is that of one block of text.
public struct RecordedFile: Sendable {
  private enum Content: Sendable {
    case text([UInt8])
    case ranges(Recording)
    case differences(Recording)
  }

  /// Name of the file in the folder of the recording.
  public let name: String
  private let content: Content

  /// Creates a file with the given name and text.
  package init(_ name: String, _ text: [UInt8]) { (self.name, content) = (name, .text(text)) }

  /// Creates the file of the measurements of `recording`.
  fileprivate init(measurementsOf recording: Recording) {
    (name, content) =
      recording.sensors.onlyDifferences == nil
      ? ("ranges.csv", .ranges(recording)) : ("tdoa.csv", .differences(recording))
  }

  /// The complete text, made by each call.
  public var bytes: [UInt8] {
    if case .text(let text) = content { return text }
    var text: [UInt8] = []
    forEachBlock { (block: UnsafeRawBufferPointer) in text.append(contentsOf: block) }
    return text
  }

  /// Calls `body` with the text in blocks of whole rows; its error ends the text.
  package func forEachBlock<Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    switch content {
    case .text(let text): try text.withBytes(body)
    case .ranges(let recording): try RecordingWriter.writeRanges(of: recording, body)
    case .differences(let recording): try RecordingWriter.writeDifferences(of: recording, body)
    }
  }
}

extension AtomicFileWriter {
  /// Writes the files of a recording into `folder`, all or none of them, in blocks of their text.
  package func write(
    _ files: [RecordedFile], in folder: String
  ) throws(RecordingError) -> [(path: String, byteCount: Int)] {
    let paths = files.map { OutputFile.path(of: $0.name, in: folder) }
    var sizes: [Int] = []
    try write(paths) { (index, part) throws(RecordingError) in
      try files[index].forEachBlock { (block) throws(RecordingError) in try part.append(block) }
      sizes.append(part.byteCount)
    }
    return zip(paths, sizes).map { (path: $0, byteCount: $1) }
  }
}

/// A writer of recordings: `ranges.csv`, or `tdoa.csv` of a recording without ranges, `anchors.csv` where
/// anchors are declared, and `recording.json` where a height is known.
///
/// Reading the files gives the same ranges and anchors, to the bit.
public enum RecordingWriter {
  /// Returns the files of `recording`.
  public static func files(of recording: Recording) -> [RecordedFile] {
    var files = [RecordedFile(measurementsOf: recording)]
    if !recording.anchors.isEmpty {
      files.append(
        RecordedFile("anchors.csv", anchors(recording.anchorNames, recording.anchors)))
    }
    if let height = recording.facts.heightM {
      var text = "{\"height_m\": \(height)"
      if let sigma = recording.facts.heightSigmaM { text += ", \"height_sigma_m\": \(sigma)" }
      files.append(RecordedFile("recording.json", Array((text + "}\n").utf8)))
    }
    return files
  }

  /// Bytes of text after which a block is written: a system call costs little beside as many rows.
  private static let blockSize = 1 << 18

  /// Writes the file `ranges.csv`: ranges to anchors and between tags, and events, in the order of
  /// their lines.
  fileprivate static func writeRanges<Failure: Error>(
    of recording: Recording, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    let (ranges, between, events) = (recording.ranges, recording.tagRanges, recording.events)
    // A column without a value says nothing.
    let columns = RangeQuantity.allCases.map { quantity in
      (
        name: quantity.name, values: ranges[quantity] ?? [],
        between: quantity == .sigma ? between.sigma : []
      )
    }.filter { $0.values.contains { !$0.isNaN } || $0.between.contains { !$0.isNaN } }
    let names =
      ["time_s", "tag", "anchor", "distance_m"] + columns.map(\.name)
      + (events.isEmpty ? [] : ["event"])
    let tags = recording.tagNames.map { CSVBuffer.field($0) }
    let anchors = recording.anchorNames.map { CSVBuffer.field($0) }
    let decimals = decimals(
      for: events.map(\.time),
      atLeast: decimals(for: between.time, atLeast: decimals(for: ranges.time)))
    let count = ranges.count + between.count + events.count
    var row = CSVBuffer(header: names.joined(separator: ","), rows: 0)
    var (range, pair, event) = (0, 0, 0)
    for _ in 0..<count {
      let lines = (
        range: range < ranges.count ? ranges.line[range] : .max,
        pair: pair < between.count ? between.line[pair] : .max
      )
      if event < events.count, events[event].line <= min(lines.range, lines.pair) {
        let entry = events[event]
        row.append(entry.time, decimals: decimals)
        row.append(field: tags[Int(entry.tag)])
        row.append(field: entry.anchor.map { anchors[Int($0)] } ?? [])
        for _ in 0...columns.count { row.append("") }
        row.append(entry.event.rawValue)
        event += 1
      } else if lines.range <= lines.pair {
        row.append(ranges.time[range], decimals: decimals)
        row.append(field: tags[Int(ranges.tag[range])])
        row.append(field: anchors[Int(ranges.anchor[range])])
        row.append(word: number(ranges.distance[range]))
        for column in columns {
          row.append(word: column.values.isEmpty ? "" : number(column.values[range]))
        }
        if !events.isEmpty { row.append("") }
        range += 1
      } else {
        row.append(between.time[pair], decimals: decimals)
        row.append(field: tags[Int(between.tag[pair])])
        row.append(field: tags[Int(between.other[pair])])
        row.append(word: number(between.distance[pair]))
        for column in columns {
          row.append(word: column.between.isEmpty ? "" : number(column.between[pair]))
        }
        if !events.isEmpty { row.append("") }
        pair += 1
      }
      row.endRow()
      try row.flush(beyond: blockSize, body)
    }
    try row.flush(body)
  }

  /// Writes the file `tdoa.csv`, in order of time.
  fileprivate static func writeDifferences<Failure: Error>(
    of recording: Recording, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    let rows = recording.tagNames.flatMap { tag in
      (recording.sensors.differences[tag] ?? []).map { (tag: tag, difference: $0) }
    }.sortedByTime { $0.difference.time }
    let decimals = decimals(for: rows.map(\.difference.time))
    var row = CSVBuffer(header: "time_s,tag,anchor_a,anchor_b,difference_m", rows: 0)
    for (tag, difference) in rows {
      row.append(difference.time, decimals: decimals)
      row.append(tag)
      row.append(recording.anchorNames[difference.first])
      row.append(recording.anchorNames[difference.second])
      row.append(word: number(difference.difference))
      row.endRow()
      try row.flush(beyond: blockSize, body)
    }
    try row.flush(body)
  }

  /// Returns the file `anchors.csv` of anchors of the given names; those without a position have empty
  /// cells.
  public static func anchors(_ names: [String], _ anchors: [Anchor?]) -> [UInt8] {
    let known = anchors.compactMap { $0 }
    let hasSigma = known.contains { $0.positionSigma != nil }
    let hasBias = known.contains { $0.bias != 0 }
    let hasScale = known.contains { $0.scale != 1 }
    var row = CSVBuffer(
      header: "id,x,y,z" + (hasSigma ? ",sigma_m" : "") + (hasBias ? ",bias_m" : "")
        + (hasScale ? ",scale" : ""), rows: anchors.count)
    for (name, anchor) in zip(names, anchors) {
      row.append(name)
      for axis in 0..<3 { row.append(word: number(anchor?.position[axis] ?? .nan)) }
      if hasSigma { row.append(word: number(anchor?.positionSigma ?? .nan)) }
      if hasBias { row.append(word: number(anchor?.bias ?? .nan)) }
      if hasScale { row.append(word: number(anchor?.scale ?? .nan)) }
      row.endRow()
    }
    return row.bytes
  }

  /// Returns the shortest digits that give `value` when they are read; empty for NaN.
  private static func number(_ value: Double) -> String { value.isNaN ? "" : "\(value)" }
}

/// A writer of trajectories in common layouts.
public enum TrajectoryWriter {
  /// Returns the files of `trajectory` in `format`, named after `name`.
  ///
  /// CSV has all tags in one file, `truth.csv`; the other layouts have a file for each tag. Positions
  /// without all three coordinates are left out; their number is `omitted`.
  public static func files(
    of trajectory: RecordedTrajectory, as format: TrajectoryFormat, name: String
  ) -> (files: [RecordedFile], omitted: Int) {
    var omitted = 0
    var files: [RecordedFile] = []
    let tags = trajectory.tracks.keys.sorted()
    let times = trajectory.tracks.values.flatMap(\.times)
    let decimals = decimals(for: times)
    var table = CSVBuffer(
      header: tags == [""] ? "time_s,x,y,z" : "time_s,x,y,z,tag", rows: times.count)
    for tag in tags {
      guard let track = trajectory.tracks[tag] else { continue }
      var text =
        format == .euroc
        ? "#timestamp [ns], p_RS_R_x [m], p_RS_R_y [m], p_RS_R_z [m], q_RS_w [], q_RS_x [], q_RS_y [], q_RS_z []\n"
        : ""
      var stamps = ""
      for (time, position) in zip(track.times, track.positions) {
        guard position.isFinite else {
          omitted += 1
          continue
        }
        let (x, y, z) = (position[0], position[1], position[2])
        let seconds = FixedDecimal.text(time, decimals: decimals)
        switch format {
        case .csv, .jsonl:
          table.append(time, decimals: decimals)
          for axis in 0..<3 { table.append(word: "\(position[axis])") }
          if tags != [""] { table.append(tag) }
          table.endRow()
        case .tum: text += "\(seconds) \(x) \(y) \(z) 0 0 0 1\n"
        case .euroc: text += "\(time.nanoseconds),\(x),\(y),\(z),1,0,0,0\n"
        case .kitti:
          text += "1 0 0 \(x) 0 1 0 \(y) 0 0 1 \(z)\n"
          stamps += "\(seconds)\n"
        }
      }
      // A name of a tag is not a path.
      let safe = tag.map { $0 == "/" || $0 == "\0" ? "_" : $0 }
      let stem = tags.count == 1 ? name : "\(name).\(String(safe))"
      switch format {
      case .csv, .jsonl: break
      case .tum: files.append(RecordedFile("\(stem).tum", Array(text.utf8)))
      case .euroc: files.append(RecordedFile("\(stem).euroc.csv", Array(text.utf8)))
      case .kitti:
        files.append(RecordedFile("\(stem).kitti.txt", Array(text.utf8)))
        files.append(RecordedFile("\(stem).times.txt", Array(stamps.utf8)))
      }
    }
    if format == .csv || format == .jsonl { files = [RecordedFile("truth.csv", table.bytes)] }
    return (files, omitted)
  }
}

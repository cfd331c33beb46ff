import Fathom
import Foundation

/// Writes the measurements of a live stream as a recording, row by row.
///
/// A recording that is cut short by a crash is complete up to its last batch.
package final class LiveRecorder {
  /// The path of the folder.
  package let folder: String
  /// The files that have rows.
  private var files: [TableKind: FileHandle] = [:]
  private var hasHeader = false
  /// The optional columns, which are those of the first rows.
  private var columns: [RangeQuantity] = []
  private var timeDecimals = 0
  /// The number of ranges written.
  package private(set) var rows = 0

  /// Creates the folder, and the files of the site in it.
  ///
  /// The folder must not have tables of measurements; with `overwrites`, those in CSV are replaced.
  package init(_ folder: String, overwrites: Bool) throws(RecordingError) {
    self.folder = folder
    func paths(_ names: (TableKind) -> [String]) -> [String] {
      Self.kinds.flatMap(names).map { OutputFile.path(of: $0, in: folder) }
    }
    let own = paths { [$0.fileName] }
    if !overwrites, let path = OutputFile.conflict(among: own) {
      throw .cannotWrite(path: path, reason: "already exists (use --force to replace it)")
    }
    // They would be read with the tables of this stream, or instead of them.
    if let path = OutputFile.conflict(
      among: paths { $0.fileNames.filter { !$0.hasSuffix(".csv") } })
    {
      throw .cannotWrite(path: path, reason: "already exists, and is not replaced: remove it")
    }
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw .cannotWrite(path: folder, reason: "the folder cannot be created")
    }
    for path in own { unlink(path) }
  }

  /// The tables that a stream can have.
  private static let kinds: [TableKind] = [
    .ranges, .differences, .heights, .odometry, .inertial, .poses,
  ]

  /// Writes the anchors and settings of the site.
  func write(_ site: LiveSite) throws(RecordingError) {
    for (name, bytes) in site.files {
      let path = OutputFile.path(of: name, in: folder)
      do {
        try Data(bytes).write(to: URL(filePath: path))
      } catch {
        throw .writingFailed(path: path, reason: "\(error.localizedDescription)")
      }
    }
  }

  /// Appends the rows of `batch`.
  func append(_ batch: LiveBatch) throws(RecordingError) {
    for (kind, rows) in batch.tables { try write(rows, to: kind) }
    let table = batch.ranges
    if table.ranges.count > 0 || !table.events.isEmpty { try append(table) }
  }

  private func append(_ table: ParsedRanges) throws(RecordingError) {
    let ranges = table.ranges
    var row = CSVBuffer(rows: ranges.count + table.events.count, of: 60)
    if !hasHeader {
      hasHeader = true
      columns = ranges.quantities
      row = CSVBuffer(
        header: (["time_s", "tag", "anchor", "distance_m"] + columns.map(\.name) + ["event"])
          .joined(separator: ","), rows: ranges.count)
    }
    // As many decimals as the stream has needed so far: none is lost.
    timeDecimals = decimals(for: ranges.time + table.events.map(\.time), atLeast: timeDecimals)
    var next = 0
    func appendEvents(before line: Int) {
      while next < table.events.count, table.events[next].line < line {
        let event = table.events[next]
        row.append(event.time, decimals: timeDecimals)
        row.append(table.tagNames[Int(event.tag)])
        row.append(event.anchor.map { table.anchorNames[Int($0)] } ?? "")
        for _ in 0...columns.count { row.append("") }
        row.append(event.event.rawValue)
        row.endRow()
        next += 1
      }
    }
    for index in 0..<ranges.count {
      appendEvents(before: ranges.line[index])
      row.append(ranges.time[index], decimals: timeDecimals)
      row.append(table.tagNames[Int(ranges.tag[index])])
      row.append(table.anchorNames[Int(ranges.anchor[index])])
      row.append(word: Self.number(ranges.distance[index]))
      for quantity in columns {
        row.append(word: Self.number(ranges[quantity]?[index] ?? .nan))
      }
      row.append("")
      row.endRow()
    }
    appendEvents(before: .max)
    rows += ranges.count
    try write(row.bytes, to: .ranges)
  }

  private func write(_ bytes: [UInt8], to kind: TableKind) throws(RecordingError) {
    let path = OutputFile.path(of: kind.fileName, in: folder)
    if files[kind] == nil { files[kind] = try Self.open(path) }
    do {
      try files[kind]?.write(contentsOf: Data(bytes))
    } catch {
      throw .writingFailed(path: path, reason: "the disk is full or failed")
    }
  }

  /// Opens a file for writing, which is emptied.
  package static func open(_ path: String) throws(RecordingError) -> FileHandle {
    let descriptor = Foundation.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      throw .cannotWrite(path: path, reason: String(cString: strerror(errno)))
    }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Returns the shortest digits that give `value` when they are read; empty for NaN.
  private static func number(_ value: Double) -> String { value.isNaN ? "" : "\(value)" }
}

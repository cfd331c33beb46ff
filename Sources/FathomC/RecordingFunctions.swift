import CFathom
import Fathom
import FathomRecordings
import Foundation

/// See `fathom.h`.
@c @implementation
public func fathom_recording_read(
  _ path: UnsafePointer<CChar>!, _ anchors: UnsafePointer<CChar>!,
  _ options: UnsafePointer<CChar>!, _ recording: UnsafeMutablePointer<OpaquePointer?>!
) -> Int32 {
  status {
    guard let path = text(path) else { throw CallFailure.usage("path is NULL") }
    guard recording != nil else { throw CallFailure.usage("recording is NULL") }
    guard path != "-", text(anchors) != "-" else {
      throw CallFailure.usage("standard input is not read: pass a file")
    }
    let options = try SettingsText.reading(bytes(options))
    give(
      RecordingHandle(
        try RecordingReader.read(path, anchors: text(anchors), options: options)), to: recording)
  }
}

/// See `fathom.h`.
@c @implementation
public func fathom_recording_read_with(
  _ path: UnsafePointer<CChar>!, _ anchors: UnsafePointer<fathom_anchors>!,
  _ options: UnsafePointer<CChar>!, _ recording: UnsafeMutablePointer<OpaquePointer?>!
) -> Int32 {
  status {
    guard let path = text(path), path != "-" else { throw CallFailure.usage("path is NULL or -") }
    guard recording != nil else { throw CallFailure.usage("recording is NULL") }
    guard anchors != nil else { throw CallFailure.usage("anchors is NULL") }
    let declared = try DeclaredAnchors(anchors)
    let options = try SettingsText.reading(bytes(options))
    give(
      RecordingHandle(try RecordingReader.read(path, declared: declared, options: options)),
      to: recording)
  }
}

/// See `fathom.h`.
@c @implementation
public func fathom_recording_create(
  _ name: UnsafePointer<CChar>!, _ ranges: UnsafePointer<fathom_ranges>!,
  _ anchors: UnsafePointer<fathom_anchors>!, _ metadata: UnsafePointer<CChar>!,
  _ recording: UnsafeMutablePointer<OpaquePointer?>!
) -> Int32 {
  status {
    guard recording != nil else { throw CallFailure.usage("recording is NULL") }
    let made = try Recording(
      name: text(name) ?? "recording", table: BorrowedRanges(ranges),
      declared: DeclaredAnchors(anchors), info: metadata == nil ? nil : bytes(metadata))
    give(RecordingHandle(made), to: recording)
  }
}

/// See `fathom.h`.
@c @implementation
public func fathom_recording_from_arrow(
  _ name: UnsafePointer<CChar>!, _ schema: UnsafeMutablePointer<ArrowSchema>!,
  _ rows: UnsafeMutablePointer<ArrowArray>!, _ anchors: UnsafePointer<fathom_anchors>!,
  _ metadata: UnsafePointer<CChar>!, _ recording: UnsafeMutablePointer<OpaquePointer?>!
) -> Int32 {
  defer {
    if let schema { schema.pointee.release?(schema) }
    if let rows { rows.pointee.release?(rows) }
  }
  return status {
    guard let schema, let rows else { throw CallFailure.usage("schema or rows is NULL") }
    guard recording != nil else { throw CallFailure.usage("recording is NULL") }
    let table = try ArrowRanges(schema.pointee, rows.pointee)
    let declared = try DeclaredAnchors(anchors)
    let made = try withExtendedLifetime(table) {
      try Recording(
        name: text(name) ?? "recording", table: table.table, declared: declared,
        info: metadata == nil ? nil : bytes(metadata))
    }
    give(RecordingHandle(made), to: recording)
  }
}

/// See `fathom.h`.
@c @implementation
public func fathom_recording_with(
  _ other: OpaquePointer!, _ table: UnsafePointer<CChar>!, _ text: UnsafePointer<CChar>!,
  _ length: Int64, _ recording: UnsafeMutablePointer<OpaquePointer?>!
) -> Int32 {
  status {
    let handle = try object(RecordingHandle.self, other)
    guard let name = FathomC.text(table) else { throw CallFailure.usage("table is NULL") }
    guard recording != nil else { throw CallFailure.usage("recording is NULL") }
    let bytes = try column(text, try count(length), "text").map { UInt8(bitPattern: $0) }
    give(RecordingHandle(try handle.recording.with(table: name, bytes)), to: recording)
  }
}

/// See `fathom.h`.
@c @implementation
public func fathom_anchors_read(
  _ path: UnsafePointer<CChar>!, _ recording: UnsafeMutablePointer<OpaquePointer?>!
) -> Int32 {
  status {
    guard let path = text(path), path != "-" else { throw CallFailure.usage("path is NULL or -") }
    guard recording != nil else { throw CallFailure.usage("recording is NULL") }
    let made = try Recording(
      name: RecordingReader.name(of: path), table: BorrowedRanges(count: 0),
      declared: AnchorsReader.read(path))
    give(RecordingHandle(made), to: recording)
  }
}

/// See `fathom.h`.
@c @implementation
public func fathom_recording_ranges(
  _ recording: OpaquePointer!, _ ranges: UnsafeMutablePointer<fathom_ranges>!
) -> Int32 {
  status {
    let handle = try object(RecordingHandle.self, recording)
    guard let ranges else { throw CallFailure.usage("ranges is NULL") }
    ranges.pointee = handle.rows.view(tags: handle.tags, anchors: handle.anchors)
  }
}

/// See `fathom.h`.
@c @implementation
public func fathom_recording_anchors(
  _ recording: OpaquePointer!, _ anchors: UnsafeMutablePointer<fathom_anchors>!
) -> Int32 {
  status {
    let handle = try object(RecordingHandle.self, recording)
    guard let anchors else { throw CallFailure.usage("anchors is NULL") }
    anchors.pointee = handle.places.view(names: handle.anchors)
  }
}

/// See `fathom.h`.
@c @implementation
public func fathom_recording_info(
  _ recording: OpaquePointer!, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> Int32 {
  status {
    let handle = try object(RecordingHandle.self, recording)
    try give(jsonText(RecordingDescription(recording: handle.recording)).utf8, to: json)
  }
}

/// See `fathom.h`.
@c @implementation
public func fathom_recording_free(_ recording: OpaquePointer!) {
  release(RecordingHandle.self, recording)
}

/// What a recording states besides its rows, for JSON; the facts of the tags are among the other keys.
private struct RecordingDescription: Encodable {
  let recording: Recording

  struct Rest: Encodable {
    var name: String
    var sources: [String]
    var rowsRead: Int
    var isPlanar: Bool
    var remarks: String?
    var notes: [String]
    var warnings: [String]
    var rejectedCount: Int
    var rejected: [Rejected]
  }

  struct Rejected: Encodable {
    var line: Int
    var column: String
    var reason: String
    var text: String
  }

  func encode(to encoder: any Encoder) throws {
    try recording.facts.encode(to: encoder)
    let rejected = recording.rejected.map {
      Rejected(line: $0.line, column: $0.column, reason: $0.reason, text: $0.text)
    }
    try Rest(
      name: recording.name, sources: recording.sources.map(\.path), rowsRead: recording.rowsRead,
      isPlanar: recording.isPlanar, remarks: recording.remarks, notes: recording.notes,
      warnings: recording.warnings, rejectedCount: recording.rejected.total, rejected: rejected
    ).encode(to: encoder)
  }
}

/// See `fathom.h`.
@c @implementation
public func fathom_settings(
  _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> Int32 {
  status { try give(jsonText(SettingsDescription()).utf8, to: json) }
}

/// Returns `value` as JSON on one line, with keys in snake case.
func jsonText(_ value: some Encodable) -> String {
  ResultWriter.json(value, formatting: [])
}

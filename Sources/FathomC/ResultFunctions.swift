import CFathom
import Fathom
import FathomRecordings

/// See `fathom.h`.
@c @implementation
public func fathom_process(
  _ recording: OpaquePointer!, _ settings: UnsafePointer<CChar>!, _ progress: fathom_progress!,
  _ context: UnsafeMutableRawPointer!, _ result: UnsafeMutablePointer<OpaquePointer?>!
) -> Int32 {
  status {
    let handle = try object(RecordingHandle.self, recording)
    guard result != nil else { throw CallFailure.usage("result is NULL") }
    let settings = try SettingsText.processing(bytes(settings))
    let checkpoint = Checkpoint(progress: progress, context: context)
    let columns = try handle.recording.columns(with: settings) { try checkpoint.report($0) }
    try checkpoint.report(1)
    give(ResultHandle(columns), to: result)
  }
}

/// See `fathom.h`.
@c @implementation
public func fathom_result_positions(
  _ result: OpaquePointer!, _ positions: UnsafeMutablePointer<fathom_positions>!
) -> Int32 {
  status {
    let rows = try object(ResultHandle.self, result).columns.positions
    guard let positions else { throw CallFailure.usage("positions is NULL") }
    rows.fill(positions)
  }
}

/// See `fathom.h`.
@c @implementation
public func fathom_result_distances(
  _ result: OpaquePointer!, _ distances: UnsafeMutablePointer<fathom_distances>!
) -> Int32 {
  status {
    let rows = try object(ResultHandle.self, result).columns.distances
    guard let distances else { throw CallFailure.usage("distances is NULL") }
    rows.fill(distances)
  }
}

/// See `fathom.h`.
@c @implementation
public func fathom_result_name(
  _ result: OpaquePointer!, _ kind: Int32, _ index: Int64
) -> UnsafePointer<CChar>! {
  guard let handle = try? object(ResultHandle.self, result),
    handle.names.indices.contains(Int(kind)), let index = Int(exactly: index)
  else { return nil }
  return handle.names[Int(kind)][index]
}

/// See `fathom.h`.
@c @implementation
public func fathom_result_summary(
  _ result: OpaquePointer!, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> Int32 {
  status {
    let handle = try object(ResultHandle.self, result)
    try give(handle.columns.summaryLine.utf8, to: json)
  }
}

/// See `fathom.h`.
@c @implementation
public func fathom_result_text(
  _ result: OpaquePointer!, _ table: Int32,
  _ text: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!,
  _ count: UnsafeMutablePointer<Int64>!
) -> Int32 {
  status {
    let handle = try object(ResultHandle.self, result)
    guard let table = ResultText(rawValue: table) else {
      throw CallFailure.usage("the table is unknown: \(table)")
    }
    let bytes = handle.columns.text(of: table)
    try give(bytes, to: text)
    count?.pointee = Int64(bytes.count)
  }
}

/// See `fathom.h`.
@c @implementation
public func fathom_result_free(_ result: OpaquePointer!) { release(ResultHandle.self, result) }

/// The words of each kind of code, indexed by the kind.
private let words: [CStrings] = [
  CStrings(PositionColumns.Status.words), CStrings(MeasurementQuality.words),
  CStrings(DistanceColumns.Zone.words), CStrings(DistanceColumns.Decision.words),
  CStrings(SessionEvent.allCases.map(\.rawValue)),
  CStrings(PositionVerdict.allCases.map(\.rawValue)),
  CStrings(RangeOutcome.allCases.map(\.rawValue)),
  CStrings(TrackEstimate.Status.allCases.map(\.rawValue)),
]

/// See `fathom.h`.
@c @implementation
public func fathom_word(_ kind: Int32, _ code: Int32) -> UnsafePointer<CChar>! {
  words.indices.contains(Int(kind)) ? words[Int(kind)][Int(code)] : nil
}

extension ColumnTable {
  /// Fills a structure of C: the number of rows, and a pointer to each column in the order of the
  /// fields.
  fileprivate func fill<View>(_ view: UnsafeMutablePointer<View>) {
    let first = MemoryLayout<Int64>.size
    let stride = MemoryLayout<UnsafeRawPointer>.stride
    precondition(MemoryLayout<View>.size >= first + addresses.count * stride)
    let place = UnsafeMutableRawPointer(view)
    place.storeBytes(of: Int64(count), as: Int64.self)
    for (index, address) in addresses.enumerated() {
      place.storeBytes(
        of: address, toByteOffset: first + index * stride, as: UnsafeMutableRawPointer.self)
    }
  }
}

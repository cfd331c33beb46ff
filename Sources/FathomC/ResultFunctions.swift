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
    positions.pointee = rows.view
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
    distances.pointee = rows.view
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
  CStrings(PositionColumns.Status.allCases.map(\.rawValue)),
  CStrings(MeasurementQuality.allCases.map(\.rawValue)),
  CStrings(DistanceColumns.Zone.allCases.map(\.rawValue)),
  CStrings(DistanceColumns.Decision.allCases.map(\.rawValue)),
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

extension ResultColumns.Positions {
  /// Pointers into the columns.
  fileprivate var view: fathom_positions {
    var view = fathom_positions()
    view.count = Int64(count)
    view.time_ns = time.address
    view.tag = name.address
    (view.x_m, view.y_m, view.z_m) = (
      position[0].address, position[1].address, position[2].address
    )
    (view.sxx, view.sxy, view.sxz) = (
      covariance[0].address, covariance[1].address, covariance[2].address
    )
    (view.syy, view.syz, view.szz) = (
      covariance[3].address, covariance[4].address, covariance[5].address
    )
    view.ranges_used = used.address
    view.ranges_rejected = rejected.address
    view.status = status.address
    (view.alt_x_m, view.alt_y_m, view.alt_z_m) = (
      alternative[0].address, alternative[1].address, alternative[2].address
    )
    return view
  }
}

extension ResultColumns.Distances {
  /// Pointers into the columns.
  fileprivate var view: fathom_distances {
    fathom_distances(
      count: Int64(count), time_ns: time.address, tag: tag.address, anchor: anchor.address,
      distance_m: distance.address, smoothed_m: smoothed.address, sigma_m: sigma.address,
      quality: quality.address, zone: zone.address, azimuth_rad: azimuth.address,
      elevation_rad: elevation.address, decision: decision.address)
  }
}

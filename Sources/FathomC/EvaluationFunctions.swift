import CFathom
import Fathom
import FathomEvaluation
import FathomRecordings

/// See `fathom.h`.
@c @implementation
public func fathom_truth_read(
  _ path: UnsafePointer<CChar>!, _ truth: UnsafeMutablePointer<OpaquePointer?>!
) -> Int32 {
  status {
    guard let path = text(path), path != "-" else { throw CallFailure.usage("path is NULL or -") }
    guard truth != nil else { throw CallFailure.usage("truth is NULL") }
    give(TruthHandle(try ReferenceTrajectory(path, format: nil)), to: truth)
  }
}

/// See `fathom.h`.
@c @implementation
public func fathom_truth_create(
  _ positions: UnsafePointer<fathom_trajectory>!, _ truth: UnsafeMutablePointer<OpaquePointer?>!
) -> Int32 {
  status {
    guard truth != nil else { throw CallFailure.usage("truth is NULL") }
    let tracks = try estimatedTracks(positions, "the truth")
    give(
      TruthHandle(
        ReferenceTrajectory(
          RecordedTrajectory(path: "truth", format: .csv, tracks: tracks).truth)), to: truth)
  }
}

/// See `fathom.h`.
@c @implementation
public func fathom_truth_positions(
  _ truth: OpaquePointer!, _ positions: UnsafeMutablePointer<fathom_trajectory>!
) -> Int32 {
  status {
    let handle = try object(TruthHandle.self, truth)
    guard let positions else { throw CallFailure.usage("positions is NULL") }
    positions.pointee = handle.rows.view
  }
}

/// See `fathom.h`.
@c @implementation
public func fathom_truth_free(_ truth: OpaquePointer!) { release(TruthHandle.self, truth) }

/// Settings of `fathom_evaluate`, as JSON.
private struct EvaluateSettings: Codable {
  var longestGap = 1.5
  var isHorizontal: Bool?
  var skipFirst = 0.0
  var timeOffset = 0.0
  var tag: String?
  var maximumDifference: Double?
  var maximumAge = 1.0
  var longestLatency = 2.0
  var relativeDistances: [Double] = []
  var relativeTimes: [Double] = []
  var align: String?

  func settings(_ reference: ReferenceTrajectory) throws(CallFailure) -> EvaluationSettings {
    let bounded: [(String, Double?, ClosedRange<Double>)] =
      [
        ("longest_gap", longestGap, 0...1e9), ("skip_first", skipFirst, 0...1e9),
        ("time_offset", timeOffset, -9e9...9e9),
        ("maximum_difference", maximumDifference, 0...1e9), ("maximum_age", maximumAge, 0...1e9),
        ("longest_latency", longestLatency, 0...1e3),
      ] + relativeDistances.map { ("relative_distances", $0, 1e-6...1e9) }
      + relativeTimes.map { ("relative_times", $0, 1e-6...1e9) }
    for (name, value, bounds) in bounded {
      if let value, !bounds.contains(value) { throw .data("\(name) is out of range") }
    }
    guard align == nil || align == "rigid" || align == "scaled" else {
      throw .data("align must be rigid or scaled")
    }
    var settings = EvaluationSettings()
    settings.longestGap = longestGap
    settings.isHorizontal = isHorizontal ?? reference.hasHeight
    settings.skipFirst = skipFirst
    settings.timeOffset = timeOffset
    settings.tag = tag
    settings.maximumDifference = maximumDifference
    settings.maximumAge = maximumAge
    settings.longestLatency = longestLatency
    settings.relativeDistances = relativeDistances
    settings.relativeTimes = relativeTimes
    return settings
  }
}

/// See `fathom.h`.
@c @implementation
public func fathom_evaluate(
  _ estimate: UnsafePointer<fathom_trajectory>!, _ truth: OpaquePointer!,
  _ settings: UnsafePointer<CChar>!, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> Int32 {
  status {
    let reference = try object(TruthHandle.self, truth).reference
    let tracks = try estimatedTracks(estimate, "the estimate")
    let given = try SettingsText.merged(bytes(settings), into: EvaluateSettings())
    let settings = try given.settings(reference)
    if let tag = settings.tag, tracks[tag] == nil {
      throw CallFailure.data(
        "there is no tag \"\(tag)\" (there are: \(tracks.keys.sorted().joined(separator: ", ")))")
    }
    var evaluation: TrajectoryEvaluation
    if let align = given.align {
      do throws(AlignmentError) {
        evaluation = try TrajectoryEvaluation.aligned(
          tracks, truth: reference.truth, settings: settings, isScaled: align == "scaled",
          start: reference.start)
      } catch {
        throw CallFailure.data("cannot be aligned: \(error)")
      }
    } else {
      evaluation = TrajectoryEvaluation(
        tracks, truth: reference.truth, settings: settings, start: reference.start)
    }
    try give(jsonText(EvaluatedFigures(evaluation)).utf8, to: json)
  }
}

/// Returns the tracks of a trajectory, by tag.
private func estimatedTracks(
  _ trajectory: UnsafePointer<fathom_trajectory>?, _ what: String
) throws(CallFailure) -> [String: EstimatedTrack] {
  guard let given = trajectory?.pointee else { throw .usage("\(what) is NULL") }
  let count = try count(given.count, "the number of positions")
  let times = try column(given.time_ns, count, "time_ns")
  let coordinates = [
    try column(given.x_m, count, "x_m"), try column(given.y_m, count, "y_m"),
  ]
  let heights = optional(given.z_m, count)
  let covariances = [given.sxx, given.sxy, given.sxz, given.syy, given.syz, given.szz]
  let elements = covariances.compactMap { optional($0, count) }
  guard elements.isEmpty || elements.count == 6 else {
    throw .usage("some covariances are NULL, others are not")
  }
  var rows: [String: [Int]] = [:]
  if let tags = optional(given.tag, count) {
    let names = try names(given.tag_name, given.tag_count, "tags")
    for row in 0..<count {
      let tag = Int(tags[row])
      guard names.indices.contains(tag) else { continue }
      rows[names[tag], default: []].append(row)
    }
  } else {
    rows[""] = Array(0..<count)
  }
  return rows.mapValues { rows in
    EstimatedTrack(
      times: rows.map { Timestamp(nanoseconds: times[$0]) },
      positions: rows.map { row in
        Vector([coordinates[0][row], coordinates[1][row], heights?[row] ?? .nan])
      },
      covariances: elements.isEmpty
        ? nil
        : rows.map { row in Matrix<3, 3> { elements[$0][row] } })
  }
}

import CFathom
import Fathom
import FathomRecordings

/// Settings of `fathom_locate`, as JSON.
private struct LocateSettings: Codable {
  var heightM: Double?
  var heightSigmaM: Double?
  var side: AnchorSide?
  var rangeSigmaM = RangingDefaults.rangeSigma
  var loss = "cauchy"
  var zeroIsDistance = false

  /// Returns the options of the solver.
  func options() throws(CallFailure) -> PositionOptions {
    guard let shape = RobustLoss.Shape(rawValue: loss) else {
      let known = RobustLoss.Shape.allCases.map(\.rawValue).joined(separator: ", ")
      throw .data("loss is unknown: \(loss) (\(known))")
    }
    var settings = ProcessingSettings()
    (settings.heightM, settings.heightSigmaM, settings.side) = (heightM, heightSigmaM, side)
    settings.rangeSigmaM = rangeSigmaM
    if let fault = settings.fault(at: .keys) { throw .data(fault) }
    var options = PositionOptions()
    options.height = heightM
    options.heightSigma = heightM == nil ? nil : heightSigmaM
    options.side = side
    options.rangeSigma = rangeSigmaM
    options.loss = RobustLoss(shape)
    return options
  }
}

/// See `fathom.h`.
@c @implementation
public func fathom_locate(
  _ anchors: UnsafePointer<fathom_anchors>!, _ ranges: UnsafePointer<Double>!, _ epochs: Int64,
  _ options: UnsafePointer<CChar>!, _ progress: fathom_progress!,
  _ context: UnsafeMutableRawPointer!, _ fixes: UnsafePointer<fathom_fixes>!
) -> Int32 {
  status {
    let declared = try DeclaredAnchors(anchors, isNamed: false)
    let settings = try SettingsText.merged(bytes(options), into: LocateSettings())
    var position = try settings.options()
    if declared.isPlanar, position.height == nil { position.height = 0 }
    guard let fixes else { throw CallFailure.usage("fixes is NULL") }
    guard !declared.anchors.isEmpty else { throw CallFailure.data("there are no anchors") }
    let count = try count(epochs, "epochs")
    let width = declared.anchors.count
    let rows = try column(ranges, count * width, "ranges")
    let batch: LikelihoodBatch
    do throws(TrilaterationError) {
      batch = try LikelihoodBatch(anchors: declared.anchors.map(\.position), options: position)
    } catch {
      throw CallFailure.data("\(error)")
    }
    let checkpoint = Checkpoint(progress: progress, context: context)
    // Blocks stay in the cache and let the callback end the call.
    let block = 1 << 12
    for begin in stride(from: 0, to: count, by: block) {
      let end = min(begin + block, count)
      try checkpoint.report(Double(begin) / Double(count))
      var distances = Array(rows[begin * width..<end * width])
      for index in distances.indices {
        distances[index] = declared.anchors[index % width].corrected(distances[index])
      }
      let found = batch.solve(
        EpochColumns(
          rows: distances, anchorCount: width, zeroIsDistance: settings.zeroIsDistance))
      fixes.pointee.store(found, at: begin)
    }
  }
}

extension fathom_fixes {
  /// Stores the positions of the epochs from `begin` on.
  fileprivate func store(_ found: BatchPositions, at begin: Int) {
    let verdicts = PositionVerdict.allCases
    for epoch in 0..<found.count {
      let place = begin + epoch
      x_m?[place] = found.x[epoch]
      y_m?[place] = found.y[epoch]
      z_m?[place] = found.z[epoch]
      misfit_m?[place] = found.misfits[epoch]
      verdict?[place] = UInt8(verdicts.firstIndex(of: found.verdicts[epoch]) ?? 0)
    }
    let isWanted = sxx != nil || sxy != nil || sxz != nil || syy != nil || syz != nil || szz != nil
    if isWanted {
      for epoch in 0..<found.count {
        let covariance = found.covariance(at: epoch) ?? Matrix<3, 3>(repeating: .nan)
        let place = begin + epoch
        sxx?[place] = covariance[0, 0]
        sxy?[place] = covariance[0, 1]
        sxz?[place] = covariance[0, 2]
        syy?[place] = covariance[1, 1]
        syz?[place] = covariance[1, 2]
        szz?[place] = covariance[2, 2]
      }
    }
    guard alt_x_m != nil || alt_y_m != nil || alt_z_m != nil else { return }
    for epoch in 0..<found.count {
      let other = found.alternatives(at: epoch).first?.position
      alt_x_m?[begin + epoch] = other?[0] ?? .nan
      alt_y_m?[begin + epoch] = other?[1] ?? .nan
      alt_z_m?[begin + epoch] = other?[2] ?? .nan
    }
  }
}

/// See `fathom.h`.
@c @implementation
public func fathom_smooth(
  _ count: Int64, _ time_ns: UnsafePointer<Int64>!, _ distance_m: UnsafePointer<Double>!,
  _ settings: UnsafePointer<CChar>!, _ smoothed_m: UnsafeMutablePointer<Double>!,
  _ sigma_m: UnsafeMutablePointer<Double>!, _ rate_mps: UnsafeMutablePointer<Double>!
) -> Int32 {
  status {
    let settings = try SettingsText.processing(bytes(settings))
    let count = try FathomC.count(count)
    let times = try column(time_ns, count, "time_ns")
    let distances = try column(distance_m, count, "distance_m")
    guard let smoothed_m else {
      guard count == 0 else { throw CallFailure.usage("smoothed_m is NULL") }
      return
    }
    let output = SmoothedColumns(distance: smoothed_m, sigma: sigma_m, rate: rate_mps)
    let (sigma, density) = (settings.rangeSigmaM, settings.accelerationDensity)
    switch settings.smoothing {
    case .kalmanVelocity:
      output.fill(
        times, distances,
        by: ScalarKalmanSmoother(
          motion: .constantVelocity(accelerationDensity: density), rangeSigma: sigma))
    case .kalmanPosition:
      output.fill(
        times, distances,
        by: ScalarKalmanSmoother(motion: .constantPosition(rateDensity: 1), rangeSigma: sigma))
    case .exponential: output.fill(times, distances, by: ExponentialSmoother())
    case .median: output.fill(times, distances, by: MovingMedian())
    case .medianAverage: output.fill(times, distances, by: MedianAverageFilter())
    case .hampel: output.fill(times, distances, by: HampelFilter(rangeSigma: sigma))
    case .alphaBeta:
      output.fill(
        times, distances,
        by: AlphaBetaSmoother(
          gains: .noise(rangeSigma: sigma, accelerationDensity: max(density, 1e-9))))
    case .oneEuro: output.fill(times, distances, by: OneEuroFilter())
    }
  }
}

/// The output columns of `fathom_smooth`.
private struct SmoothedColumns {
  let distance: UnsafeMutablePointer<Double>
  let sigma: UnsafeMutablePointer<Double>?
  let rate: UnsafeMutablePointer<Double>?

  /// Smooths `distances` and stores the results; the columns have equal lengths.
  @inline(__always)
  func fill(
    _ times: UnsafeBufferPointer<Int64>, _ distances: UnsafeBufferPointer<Double>,
    by smoother: consuming some DistanceSmoother
  ) {
    for row in times.indices {
      let found = smoother.update(distances[row], at: Timestamp(nanoseconds: times[row]))
      distance[row] = found?.distance ?? .nan
      sigma?[row] = found?.sigma ?? .nan
      rate?[row] = found?.rate ?? .nan
    }
  }
}

/// Computes linear positions of many epochs with the same anchors.
///
/// One factorisation serves all epochs. Each epoch costs one product with its squared ranges, four
/// epochs at a time, about as much as reading them. Ranges are weighted by 1/σ of their anchor, and
/// not also by their lengths as in `Trilateration.linearLeastSquares(ranges:anchors:sigmas:)`, so
/// the two estimates differ for ranges with errors. Neither is the maximum-likelihood position,
/// which ``LikelihoodBatch`` computes.
public struct LinearBatch: Sendable {
  private let anchors: BatchAnchors
  /// The solution for all ranges.
  private let whole: LinearRangeSolution?

  /// Creates a batch solver for anchors in space.
  ///
  /// - Parameters:
  ///   - anchors: positions, metres, all finite; they are centred first.
  ///   - sigmas: standard deviations of the ranges to the anchors, metres, positive; nil for equal
  ///     ones.
  ///   - height: the known third coordinate of the positions, metres, or nil.
  /// - Throws: ``TrilaterationError`` if the numbers of anchors and sigmas differ, an anchor or the
  ///   height is not finite, or a sigma is not positive or its square overflows or underflows.
  public init(
    anchors: [Vector<3>], sigmas: [Double]? = nil, height: Double? = nil
  ) throws(TrilaterationError) {
    self.anchors = try BatchAnchors(anchors, sigmas, 1, height: height)
    whole = LinearRangeSolution(
      self.anchors, present: [Bool](repeating: true, count: anchors.count))
  }

  /// Creates a batch solver for anchors in the plane, in the same way.
  public init(anchors: [Vector<2>], sigmas: [Double]? = nil) throws(TrilaterationError) {
    try self.init(anchors: inSpace(anchors), sigmas: sigmas, height: 0)
  }

  /// Returns the solution of the linear equations of every epoch.
  ///
  /// ## Edge cases
  /// An epoch with absent ranges is solved from the others; every set of present anchors is
  /// factorised once. If the anchors of an epoch do not span the space, the verdict is `continuum`;
  /// if they do not outnumber the unknowns, `tooFew`. Such epochs have coordinates of NaN.
  ///
  /// ## Cost
  /// A few nanoseconds per epoch of eight ranges. Allocates the result, nothing per epoch.
  ///
  /// - Parameter epochs: ranges, with one column per anchor.
  /// - Returns: One position or verdict per epoch.
  public func solve(_ epochs: EpochColumns) -> BatchPositions {
    precondition(epochs.anchorCount == anchors.count, "epochs must have one column per anchor")
    var result = BatchPositions(count: epochs.count)
    var open = [Bool](repeating: true, count: epochs.count)
    result.verdicts = [PositionVerdict](repeating: .unique, count: epochs.count)
    if let whole { multiply(epochs, whole, &result, &open) }

    // Epochs with absent ranges, one by one.
    var cache = LinearRangeSolutionCache(anchors)
    let centre = anchors.centre
    for epoch in open.indices where open[epoch] {
      func range(_ anchor: Int) -> Double { epochs.ranges[epoch + epochs.stride * anchor] }
      result.verdicts[epoch] = .tooFew
      let present = (0..<anchors.count).count { !range($0).isNaN }
      guard present > anchors.free else { continue }
      result.verdicts[epoch] = .continuum
      guard let part = cache.solution({ !range($0).isNaN }) else { continue }
      let position =
        centre
        + part.position { range($0).isNaN ? 0 : range($0) * range($0) }
      guard position.isFinite else { continue }
      result.verdicts[epoch] = .unique
      (result.x[epoch], result.y[epoch]) = (position[0], position[1])
      result.z[epoch] = anchors.free == 3 ? position[2] : anchors.height
    }
    return result
  }

  /// Solves the epochs that have all ranges, in groups of four, and marks the others as `open`.
  private func multiply(
    _ epochs: EpochColumns, _ solution: LinearRangeSolution, _ result: inout BatchPositions,
    _ open: inout [Bool]
  ) {
    let (count, stride, free) = (epochs.anchorCount, epochs.stride, anchors.free)
    let constant = solution.constant
    let start = (
      SIMD4(repeating: constant[0]), SIMD4(repeating: constant[1]), SIMD4(repeating: constant[2])
    )
    let centre = anchors.centre
    // Columns have `stride` elements, coefficients three per column; groups below `full` are whole.
    let full = epochs.count / EpochColumns.lanes
    epochs.ranges.withUnsafeBytes { ranges in
      solution.coefficients.withUnsafeBufferPointer { coefficients in
        result.x.withUnsafeMutableBytes { xs in
          result.y.withUnsafeMutableBytes { ys in
            result.z.withUnsafeMutableBytes { zs in
              open.withUnsafeMutableBufferPointer { open in
                for group in 0..<full {
                  var (x, y, z) = start
                  var offset = group * 32
                  for anchor in 0..<count {
                    let range = ranges.loadUnaligned(
                      fromByteOffset: offset, as: SIMD4<Double>.self)
                    let square = range * range
                    x -= coefficients[3 * anchor] * square
                    y -= coefficients[3 * anchor + 1] * square
                    if free == 3 { z -= coefficients[3 * anchor + 2] * square }
                    offset += 8 * stride
                  }
                  // Adds the centre last, because it may be large.
                  x += centre[0]
                  y += centre[1]
                  z += centre[2]
                  // An absent range or an overflow leaves a value x for which x - x is not zero.
                  let sum = x + y + z
                  let isThere = sum - sum .== 0
                  if !all(isThere) {
                    x.replace(with: .nan, where: .!isThere)
                    y.replace(with: .nan, where: .!isThere)
                    z.replace(with: .nan, where: .!isThere)
                  }
                  xs.storeBytes(of: x, toByteOffset: group * 32, as: SIMD4<Double>.self)
                  ys.storeBytes(of: y, toByteOffset: group * 32, as: SIMD4<Double>.self)
                  zs.storeBytes(of: z, toByteOffset: group * 32, as: SIMD4<Double>.self)
                  for lane in 0..<4 { open[4 * group + lane] = !isThere[lane] }
                }
              }
            }
          }
        }
      }
    }
  }
}

/// A fixed radio whose position is known.
public struct Anchor: Sendable, Equatable, Codable {
  /// Position in the world frame, metres (right-handed, z up).
  public var position: Vector<3>
  /// Standard deviation of the surveyed position per axis, metres; nil when unknown.
  public var positionSigma: Double?
  /// Standard deviation of the height, metres, where it is known better than the position along x and
  /// y; nil for ``positionSigma``.
  ///
  /// Only ``TrackSmoother`` reads it, which estimates the positions of anchors with a survey error.
  public var heightSigma: Double?
  /// Range bias, metres: measured = scale x true + bias.
  public var bias: Double
  /// Range scale factor, dimensionless; 1 for an ideal radio.
  public var scale: Double

  /// Creates an anchor at `position` (metres) whose ranges measure `scale` x true + `bias`.
  public init(
    position: Vector<3>, positionSigma: Double? = nil, heightSigma: Double? = nil,
    bias: Double = 0, scale: Double = 1
  ) {
    self.position = position
    self.positionSigma = positionSigma
    self.heightSigma = heightSigma
    self.bias = bias
    self.scale = scale
  }

  /// Returns `measured` (metres) with this anchor's bias and scale removed.
  @inlinable
  public func corrected(_ measured: Double) -> Double { (measured - bias) / scale }
}

/// A fixed radio whose position is known.
public struct Anchor: Sendable, Equatable {
  /// Position in the world frame, metres (right-handed, z up).
  public var position: Vector<3>
  /// Standard deviation of the surveyed position per axis, metres; nil where it is not known.
  public var positionSigma: Double?
  /// Constant part of the error of its ranges, metres: measured = scale x true + bias.
  public var bias: Double
  /// Proportional part of the error of its ranges, dimensionless; 1 for none.
  public var scale: Double

  /// An anchor at `position` (metres), whose ranges read `scale` x true + `bias`.
  public init(
    position: Vector<3>, positionSigma: Double? = nil, bias: Double = 0, scale: Double = 1
  ) {
    self.position = position
    self.positionSigma = positionSigma
    self.bias = bias
    self.scale = scale
  }

  /// The true distance that `measured` (metres) stands for, given this anchor's bias and scale.
  @inlinable
  public func corrected(_ measured: Double) -> Double { (measured - bias) / scale }
}

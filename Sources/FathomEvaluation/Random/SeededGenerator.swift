/// A random number generator that gives the same sequence for the same seed on every machine.
///
/// xoshiro256** [Blackman & Vigna 2021], with its state initialised by SplitMix64 [Steele et al.
/// 2014]. It is not suitable for cryptography.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: (UInt64, UInt64, UInt64, UInt64)

  /// Creates the generator of the sequence for `seed`.
  public init(seed: UInt64) {
    var mixer = seed
    func next() -> UInt64 {
      mixer &+= 0x9E37_79B9_7F4A_7C15
      return Self.mixed(mixer)
    }
    state = (next(), next(), next(), next())
  }

  /// Creates the generator of one of many independent sequences for `seed`.
  ///
  /// A source of randomness with its own stream can be added or removed without changing the
  /// numbers of the other sources.
  ///
  /// - Parameters:
  ///   - seed: any number.
  ///   - stream: the number of the sequence; 0 is that of ``init(seed:)``.
  public init(seed: UInt64, stream: UInt64) {
    // Mixed first, so that neighbouring seeds and streams are uncorrelated.
    self.init(seed: stream == 0 ? seed : Self.mixed(seed) ^ Self.mixed(~stream))
  }

  /// Returns the finaliser of SplitMix64: every bit of the result depends on every bit of `value`.
  private static func mixed(_ value: UInt64) -> UInt64 {
    var mixed = value
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns the next 64 random bits.
  public mutating func next() -> UInt64 {
    func rotated(_ value: UInt64, by bits: UInt64) -> UInt64 {
      (value << bits) | (value >> (64 - bits))
    }
    let result = rotated(state.1 &* 5, by: 7) &* 9
    let shifted = state.1 << 17
    state.2 ^= state.0
    state.3 ^= state.1
    state.1 ^= state.2
    state.0 ^= state.3
    state.2 ^= shifted
    state.3 = rotated(state.3, by: 45)
    return result
  }

  /// Returns a number from 0 (included) to 1 (excluded); all multiples of 2⁻⁵³ are equally likely.
  public mutating func uniform() -> Double {
    Double(next() >> 11) * 0x1p-53
  }

  /// Returns a uniformly distributed number from `range`.
  public mutating func uniform(in range: ClosedRange<Double>) -> Double {
    range.lowerBound + (range.upperBound - range.lowerBound) * uniform()
  }

  /// Returns a normally distributed number with mean 0 and standard deviation 1.
  ///
  /// Uses the polar method [Marsaglia & Bray 1964] with a logarithm of exactly defined operations,
  /// because library logarithms differ in the last place.
  public mutating func normal() -> Double {
    let (first, square) = pointInDisc()
    return first * (-2 * ElementaryFunctions.logarithm(square) / square).squareRoot()
  }

  /// Draws a point of the unit disc, without its centre, for the polar methods; returns a coordinate and the
  /// squared distance from the centre.
  private mutating func pointInDisc() -> (first: Double, square: Double) {
    while true {
      let first = 2 * uniform() - 1
      let second = 2 * uniform() - 1
      let square = first * first + second * second
      if square > 0, square < 1 { return (first, square) }
    }
  }

  /// Returns a number with Student's t distribution and scale 1.
  ///
  /// Uses the polar method [Bailey 1994]. The variance is n / (n - 2) for n above 2 degrees of
  /// freedom, and infinite otherwise. One degree is the Cauchy distribution.
  ///
  /// - Parameter degrees: degrees of freedom n; above 0, not necessarily whole.
  /// - Returns: a finite number.
  public mutating func studentT(degrees: Double) -> Double {
    let (first, square) = pointInDisc()
    let power = ElementaryFunctions.exponential(
      -2 / degrees * ElementaryFunctions.logarithm(square))
    return first * (degrees * (power - 1) / square).squareRoot()
  }

  /// Returns a positive, exponentially distributed number with the given mean.
  public mutating func exponential(mean: Double) -> Double {
    -mean * ElementaryFunctions.logarithm(1 - uniform())
  }
}

/// The random streams of a scenario; the first is that of the common noise.
enum RandomStream: UInt64 {
  case common, tails, early, walls, radio, clock, delivery, poses

  /// Returns the generator of this stream.
  func generator(_ seed: UInt64) -> SeededGenerator {
    SeededGenerator(seed: seed, stream: rawValue)
  }

  /// Returns the generator of the trajectory of one tag.
  static func trajectory(ofTag tag: Int, _ seed: UInt64) -> SeededGenerator {
    SeededGenerator(seed: seed, stream: 1000 + UInt64(tag))
  }

  /// Returns the generator of a sensor of one tag; its name is that of the file.
  static func sensor(_ name: String, ofTag tag: Int, _ seed: UInt64) -> SeededGenerator {
    let kind = name.utf8.reduce(UInt64(0)) { 31 &* $0 &+ UInt64($1) }
    return SeededGenerator(seed: seed, stream: 100_000 &* kind &+ UInt64(tag))
  }
}

/// A source of random numbers that gives the same sequence for the same seed on every machine.
///
/// xoshiro256** [Blackman & Vigna 2021], its state filled by SplitMix64 [Steele et al. 2014]. Not for
/// cryptography.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: (UInt64, UInt64, UInt64, UInt64)

  /// The generator of the sequence that belongs to `seed`.
  public init(seed: UInt64) {
    var mixer = seed
    func next() -> UInt64 {
      mixer &+= 0x9E37_79B9_7F4A_7C15
      return Self.mixed(mixer)
    }
    state = (next(), next(), next(), next())
  }

  /// The generator of one of many independent sequences that belong to `seed`.
  ///
  /// Every source of randomness that has a stream of its own can be added or left out without
  /// changing what the others draw.
  ///
  /// - Parameters:
  ///   - seed: any number.
  ///   - stream: the number of the sequence; 0 is that of ``init(seed:)``.
  public init(seed: UInt64, stream: UInt64) {
    // Mixing first: seeds and streams that are neighbours have nothing in common.
    self.init(seed: stream == 0 ? seed : Self.mixed(seed) ^ Self.mixed(~stream))
  }

  /// The finaliser of SplitMix64: every bit of the result depends on every bit of `value`.
  private static func mixed(_ value: UInt64) -> UInt64 {
    var mixed = value
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// The next 64 random bits.
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

  /// A number from 0 (included) to 1 (excluded), all multiples of 2⁻⁵³ equally likely.
  public mutating func uniform() -> Double {
    Double(next() >> 11) * 0x1p-53
  }

  /// A number from `range`, evenly distributed.
  public mutating func uniform(in range: ClosedRange<Double>) -> Double {
    range.lowerBound + (range.upperBound - range.lowerBound) * uniform()
  }

  /// A normally distributed number with mean 0 and standard deviation 1.
  ///
  /// The polar method [Marsaglia & Bray 1964]. Its logarithm is computed here, from operations that
  /// IEEE 754 defines to the bit: libraries differ in the last place of theirs.
  public mutating func normal() -> Double {
    while true {
      let first = 2 * uniform() - 1
      let second = 2 * uniform() - 1
      let square = first * first + second * second
      guard square > 0, square < 1 else { continue }
      return first * (-2 * ElementaryFunctions.logarithm(square) / square).squareRoot()
    }
  }

  /// A number with Student's t distribution, whose scale is 1.
  ///
  /// The polar method [Bailey 1994]. The variance is n / (n - 2) for n above 2 degrees of freedom, and
  /// infinite below; one degree is the Cauchy distribution.
  ///
  /// - Parameter degrees: degrees of freedom n, above 0, not necessarily whole.
  /// - Returns: the number; finite.
  public mutating func studentT(degrees: Double) -> Double {
    while true {
      let first = 2 * uniform() - 1
      let second = 2 * uniform() - 1
      let square = first * first + second * second
      guard square > 0, square < 1 else { continue }
      let power = ElementaryFunctions.exponential(
        -2 / degrees * ElementaryFunctions.logarithm(square))
      return first * (degrees * (power - 1) / square).squareRoot()
    }
  }

  /// A positive number with the given mean, exponentially distributed.
  public mutating func exponential(mean: Double) -> Double {
    -mean * ElementaryFunctions.logarithm(1 - uniform())
  }
}

/// The sequences of random numbers of a scenario; the first is that of the common noise.
enum RandomStream: UInt64 {
  case common, tails, early, walls, radio, clock, delivery

  /// The generator of this stream.
  func generator(_ seed: UInt64) -> SeededGenerator {
    SeededGenerator(seed: seed, stream: rawValue)
  }

  /// The generator of the trajectory of one tag.
  static func trajectory(ofTag tag: Int, _ seed: UInt64) -> SeededGenerator {
    SeededGenerator(seed: seed, stream: 1000 + UInt64(tag))
  }
}

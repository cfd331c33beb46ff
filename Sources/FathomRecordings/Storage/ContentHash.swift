import CVectors

/// The 64-bit XXH3 checksum of bytes that arrive in any number of pieces [xxHash].
///
/// It detects changes and damage at memory speed. It is not cryptographic: collisions can be made
/// on purpose.
///
/// ## Edge cases
/// The checksum of empty input is defined. The result depends only on the bytes, not on how they
/// are divided into pieces, and is the same on every machine. Nothing is allocated.
package struct ContentHash: Sendable {
  /// Accumulators over all stripes except those in ``rest``.
  private var sums = XXH3.start
  /// Index of the next stripe in its block of 16.
  private var place = 0
  /// Number of bytes processed so far.
  private var total = 0
  /// The last bytes, up to four stripes, which are not yet in ``sums``.
  ///
  /// The bytes after them are the ones that preceded them, so that the last full stripe is always
  /// available.
  private var rest = InlineArray<32, UInt64>(repeating: 0)
  private var restCount = 0

  private static let stripe = XXH3.stripe
  private static let capacity = 4 * stripe

  /// Creates a checksum of no bytes.
  package init() {}

  /// Updates the checksum with the next bytes, any number of them.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    total += bytes.count
    var input = bytes
    if restCount + input.count > Self.capacity {
      // A stripe is absorbed only when bytes follow it: the last stripe is processed differently.
      if restCount > 0 {
        let taken = Self.capacity - restCount
        keep(UnsafeRawBufferPointer(rebasing: input[..<taken]))
        input = UnsafeRawBufferPointer(rebasing: input[taken...])
        let stripes = rest
        withUnsafeBytes(of: stripes) { absorb($0) }
        restCount = 0
      }
      let whole = max(0, input.count - 1) / Self.stripe * Self.stripe
      if whole > 0 {
        absorb(UnsafeRawBufferPointer(rebasing: input[..<whole]))
        let last = UnsafeRawBufferPointer(rebasing: input[(whole - Self.stripe)..<whole])
        withUnsafeMutableBytes(of: &rest) { rest in
          UnsafeMutableRawBufferPointer(rebasing: rest[(Self.capacity - Self.stripe)...])
            .copyMemory(from: last)
        }
        input = UnsafeRawBufferPointer(rebasing: input[whole...])
      }
    }
    keep(input)
  }

  /// Updates the checksum with the next bytes.
  package mutating func update(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { update($0) }
  }

  /// Appends `bytes`, which must fit, to ``rest``.
  private mutating func keep(_ bytes: UnsafeRawBufferPointer) {
    let start = restCount
    withUnsafeMutableBytes(of: &rest) { capacity in
      UnsafeMutableRawBufferPointer(rebasing: capacity[start...]).copyMemory(from: bytes)
    }
    restCount += bytes.count
  }

  /// Updates the accumulators with `bytes`, a whole number of stripes.
  private mutating func absorb(_ bytes: UnsafeRawBufferPointer) {
    XXH3.absorb(bytes, into: &sums, at: &place)
  }

  /// Checksum of all bytes so far; more may follow.
  package var digest: UInt64 {
    withUnsafeBytes(of: rest) { rest in
      let waiting = UnsafeRawBufferPointer(rebasing: rest[..<restCount])
      guard total > XXH3.mostShort else { return XXH3.digest(ofShort: waiting) }
      var (sums, place) = (sums, place)
      let whole = max(0, restCount - 1) / Self.stripe * Self.stripe
      XXH3.absorb(UnsafeRawBufferPointer(rebasing: rest[..<whole]), into: &sums, at: &place)
      var last = InlineArray<8, UInt64>(repeating: 0)
      withUnsafeMutableBytes(of: &last) { last in
        let missing = max(0, Self.stripe - restCount)
        last.copyBytes(from: rest[(Self.capacity - missing)...])
        UnsafeMutableRawBufferPointer(rebasing: last[missing...])
          .copyBytes(from: waiting.suffix(Self.stripe - missing))
      }
      return XXH3.digest(sums, last: last, total: total)
    }
  }

  /// Checksum as 16 hexadecimal digits, as `xxhsum -H3` prints it.
  package var text: String {
    let digits = String(digest, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

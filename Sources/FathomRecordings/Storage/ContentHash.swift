import CVectors

/// The check sum XXH3, of 64 bits, of bytes that come in any number of pieces [xxHash].
///
/// It finds changes and damage at the speed of memory. It does not withstand forgery: whoever wants
/// two files of one check sum can make them.
///
/// ## Edge cases
/// No bytes at all have a check sum too. The result depends on the bytes only, not on how they were cut
/// into pieces, and is the same on every machine. Nothing is allocated.
package struct ContentHash: Sendable {
  /// The sums of all stripes but those in ``rest``.
  private var sums = XXH3.start
  /// Where in its block of stripes the next one stands.
  private var place = 0
  /// The number of bytes so far.
  private var total = 0
  /// The last bytes, of which the sums do not know: up to four stripes.
  ///
  /// Behind them lies what was there before, so that the last stripe is there whole.
  private var rest = InlineArray<32, UInt64>(repeating: 0)
  private var restCount = 0

  private static let stripe = XXH3.stripe
  private static let room = 4 * stripe

  /// The check sum of nothing yet.
  package init() {}

  /// Takes in the next bytes.
  ///
  /// - Parameter bytes: any number of them.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    total += bytes.count
    var input = bytes
    if restCount + input.count > Self.room {
      // What is absorbed must have something behind it: the last stripe counts in another way.
      if restCount > 0 {
        let taken = Self.room - restCount
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
          UnsafeMutableRawBufferPointer(rebasing: rest[(Self.room - Self.stripe)...])
            .copyMemory(from: last)
        }
        input = UnsafeRawBufferPointer(rebasing: input[whole...])
      }
    }
    keep(input)
  }

  /// Takes in the next bytes.
  package mutating func update(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { update($0) }
  }

  /// Puts bytes, as many as there is room for, behind those that wait.
  private mutating func keep(_ bytes: UnsafeRawBufferPointer) {
    let start = restCount
    withUnsafeMutableBytes(of: &rest) { room in
      UnsafeMutableRawBufferPointer(rebasing: room[start...]).copyMemory(from: bytes)
    }
    restCount += bytes.count
  }

  /// Takes in `bytes`, a whole number of stripes.
  private mutating func absorb(_ bytes: UnsafeRawBufferPointer) {
    XXH3.absorb(bytes, into: &sums, at: &place)
  }

  /// The check sum of all bytes so far; more may follow.
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
        last.copyBytes(from: rest[(Self.room - missing)...])
        UnsafeMutableRawBufferPointer(rebasing: last[missing...])
          .copyBytes(from: waiting.suffix(Self.stripe - missing))
      }
      return XXH3.digest(sums, last: last, total: total)
    }
  }

  /// The check sum as 16 hexadecimal digits, as `xxhsum -H3` writes it.
  package var text: String {
    let digits = String(digest, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

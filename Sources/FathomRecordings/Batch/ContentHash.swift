/// The check sum XXH64 of bytes that come in any number of pieces [xxHash].
///
/// It finds changes and damage at the speed of memory. It does not withstand forgery: whoever wants
/// two files of one check sum can make them.
///
/// ## Edge cases
/// No bytes at all have a check sum too. The result depends on the bytes and the seed only, not on
/// how they were cut into pieces, and is the same on machines of either byte order. Nothing is
/// allocated.
package struct ContentHash: Sendable {
  // The names of the specification: four accumulators, each of which takes every fourth word.
  private var first: UInt64
  private var second: UInt64
  private var third: UInt64
  private var fourth: UInt64
  private let seed: UInt64
  /// The number of bytes so far.
  private var total: UInt64 = 0
  /// Bytes that do not fill a stripe yet.
  private var rest = InlineArray<4, UInt64>(repeating: 0)
  private var restCount = 0

  private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
  private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5
  private static let stripe = 32

  /// The check sum of nothing yet.
  ///
  /// - Parameter seed: other seeds give other check sums.
  package init(seed: UInt64 = 0) {
    self.seed = seed
    first = seed &+ Self.prime1 &+ Self.prime2
    second = seed &+ Self.prime2
    third = seed
    fourth = seed &- Self.prime1
  }

  /// Takes in the next bytes.
  ///
  /// - Parameter bytes: any number of them.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    total &+= UInt64(bytes.count)
    var input = bytes
    if restCount > 0 {
      let taken = min(Self.stripe - restCount, input.count)
      keep(UnsafeRawBufferPointer(rebasing: input[..<taken]))
      input = UnsafeRawBufferPointer(rebasing: input[taken...])
      guard restCount == Self.stripe else { return }
      let stripe = rest
      withUnsafeBytes(of: stripe) { absorb($0) }
      restCount = 0
    }
    let whole = input.count / Self.stripe * Self.stripe
    absorb(UnsafeRawBufferPointer(rebasing: input[..<whole]))
    keep(UnsafeRawBufferPointer(rebasing: input[whole...]))
  }

  /// Takes in the next bytes.
  package mutating func update(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { update($0) }
  }

  /// Puts bytes, as many as there is room for, behind those that wait for a whole stripe.
  private mutating func keep(_ bytes: UnsafeRawBufferPointer) {
    let start = restCount
    withUnsafeMutableBytes(of: &rest) { room in
      UnsafeMutableRawBufferPointer(rebasing: room[start...]).copyMemory(from: bytes)
    }
    restCount += bytes.count
  }

  /// Takes in `bytes`, a whole number of stripes.
  private mutating func absorb(_ bytes: UnsafeRawBufferPointer) {
    var (one, two, three, four) = (first, second, third, fourth)
    for offset in stride(from: 0, to: bytes.count, by: Self.stripe) {
      one = Self.round(one, Self.word(bytes, offset))
      two = Self.round(two, Self.word(bytes, offset + 8))
      three = Self.round(three, Self.word(bytes, offset + 16))
      four = Self.round(four, Self.word(bytes, offset + 24))
    }
    (first, second, third, fourth) = (one, two, three, four)
  }

  /// The check sum of all bytes so far; more may follow.
  package var digest: UInt64 {
    var hash: UInt64
    if total >= UInt64(Self.stripe) {
      hash =
        Self.rotated(first, 1) &+ Self.rotated(second, 7) &+ Self.rotated(third, 12)
        &+ Self.rotated(fourth, 18)
      for lane in [first, second, third, fourth] {
        hash = (hash ^ Self.round(0, lane)) &* Self.prime1 &+ Self.prime4
      }
    } else {
      hash = seed &+ Self.prime5
    }
    hash &+= total
    hash = withUnsafeBytes(of: rest) { rest in
      Self.mixed(hash, UnsafeRawBufferPointer(rebasing: rest[..<restCount]))
    }
    hash = (hash ^ (hash >> 33)) &* Self.prime2
    hash = (hash ^ (hash >> 29)) &* Self.prime3
    return hash ^ (hash >> 32)
  }

  /// The check sum as 16 hexadecimal digits, as `xxh64sum` writes it.
  package var text: String {
    let digits = String(digest, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// `hash` with the `rest`, shorter than a stripe: words, then half a word, then bytes.
  private static func mixed(_ hash: UInt64, _ rest: UnsafeRawBufferPointer) -> UInt64 {
    var hash = hash
    var offset = 0
    while offset + 8 <= rest.count {
      hash = rotated(hash ^ round(0, word(rest, offset)), 27) &* prime1 &+ prime4
      offset += 8
    }
    if offset + 4 <= rest.count {
      let half = UInt32(
        littleEndian: rest.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
      hash = rotated(hash ^ (UInt64(half) &* prime1), 23) &* prime2 &+ prime3
      offset += 4
    }
    while offset < rest.count {
      hash = rotated(hash ^ (UInt64(rest[offset]) &* prime5), 11) &* prime1
      offset += 1
    }
    return hash
  }

  private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    rotated(lane &+ word &* prime2, 31) &* prime1
  }

  private static func rotated(_ value: UInt64, _ count: UInt64) -> UInt64 {
    (value &<< count) | (value &>> (64 &- count))
  }
}

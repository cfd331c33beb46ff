import CVectors

/// The steps of the 64-bit XXH3 checksum without a seed [xxHash].
///
/// They are written here because the library xxHash would be a dependency of every package, wheel and
/// app for the sake of one function. Tests compare them with its values.
enum XXH3 {
  /// The eight accumulators of a long text.
  typealias Sums = InlineArray<8, UInt64>

  /// Bytes that the accumulators process at once.
  static let stripe = 64
  /// Maximum length of a text that needs no accumulators, in bytes.
  static let mostShort = 240

  private static let prime32x1: UInt64 = 0x9E37_79B1
  private static let prime32x2: UInt64 = 0x85EB_CA77
  private static let prime32x3: UInt64 = 0xC2B2_AE3D
  private static let prime64x1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let prime64x2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let prime64x3: UInt64 = 0x1656_67B1_9E37_79F9
  private static let prime64x4: UInt64 = 0x85EB_CA77_C2B2_AE63
  private static let prime64x5: UInt64 = 0x27D4_EB2F_1656_67C5
  private static let primeMix1: UInt64 = 0x1656_6791_9E37_79F9
  private static let primeMix2: UInt64 = 0x9FB2_1C65_1E98_DF25

  /// Initial accumulators.
  static let start: Sums = [
    prime32x3, prime64x1, prime64x2, prime64x3, prime64x4, prime32x2, prime64x5, prime32x1,
  ]

  /// The secret of 192 bytes; the first byte is the lowest of the first word.
  private static let secret: InlineArray<24, UInt64> = [
    0xBE4B_A423_396C_FEB8, 0x1CAD_21F7_2C81_017C, 0xDB97_9083_E96D_D4DE,
    0x1F67_B3B7_A4A4_4072, 0x78E5_C0CC_4EE6_79CB, 0x2172_FFCC_7DD0_5A82,
    0x8E24_43F7_7446_08B8, 0x4C26_3A81_E690_35E0, 0xCB00_C391_BB52_283C,
    0xA32E_531B_8B65_D088, 0x4EF9_0DA2_9748_6471, 0xD8AC_DEA9_46EF_1938,
    0x3F34_9CE3_3F76_FAA8, 0x1D4F_0BC7_C7BB_DCF9, 0x3159_B4CD_4BE0_518A,
    0x6473_78D9_C97E_9FC8, 0xC3EB_D334_83AC_C5EA, 0xEB63_13FA_FFA0_81C5,
    0x49DA_F0B7_51DD_0D17, 0x9E68_D429_2655_16D3, 0xFCA1_477D_58BE_162B,
    0xCE31_D07A_D1B8_F88F, 0x2804_1695_8F3A_CB45, 0x7E40_4BBB_CAFB_D7AF,
  ]

  // MARK: Long texts

  /// Updates `sums` with `stripes`, a whole number of them; `place` is the index in a block of 16.
  static func absorb(_ stripes: UnsafeRawBufferPointer, into sums: inout Sums, at place: inout Int)
  {
    let secret = secret
    withUnsafeBytes(of: secret) { secret in
      withUnsafeMutableBytes(of: &sums) { sums in
        guard let text = stripes.baseAddress, let key = secret.baseAddress,
          let sums = sums.baseAddress
        else { return }
        cvectors_absorb(
          sums.assumingMemoryBound(to: UInt64.self), &place,
          text.assumingMemoryBound(to: UInt8.self), stripes.count / stripe,
          key.assumingMemoryBound(to: UInt8.self))
      }
    }
  }

  /// Returns the checksum of a text longer than ``mostShort``.
  ///
  /// `sums` are over all full stripes that are followed by further bytes; `last` are the last 64
  /// bytes, which may overlap these stripes. `total` is the length of the text in bytes.
  static func digest(_ sums: Sums, last: Sums, total: Int) -> UInt64 {
    var sums = sums
    for index in 0..<8 {
      let key = last[index] ^ secretWord(121 + 8 * index)
      sums[index ^ 1] &+= last[index]
      sums[index] &+= (key & 0xFFFF_FFFF) &* (key >> 32)
    }
    var result = UInt64(total) &* prime64x1
    for index in 0..<4 {
      result &+= folded(
        sums[2 * index] ^ secretWord(11 + 16 * index),
        sums[2 * index + 1] ^ secretWord(19 + 16 * index))
    }
    return avalanche(result)
  }

  // MARK: Short texts

  /// Returns the checksum of at most ``mostShort`` `bytes`.
  static func digest(ofShort bytes: UnsafeRawBufferPointer) -> UInt64 {
    let count = bytes.count
    switch count {
    case 0: return avalanche64(secretWord(56) ^ secretWord(64))
    case 1...3:
      let combined =
        UInt64(bytes[0]) << 16 | UInt64(bytes[count >> 1]) << 24 | UInt64(bytes[count - 1])
        | UInt64(count) << 8
      return avalanche64(combined ^ (secretWord(0) & 0xFFFF_FFFF) ^ (secretWord(0) >> 32))
    case 4...8:
      let both = UInt64(half(bytes, count - 4)) | UInt64(half(bytes, 0)) << 32
      var hash = both ^ secretWord(8) ^ secretWord(16)
      hash ^= rotated(hash, 49) ^ rotated(hash, 24)
      hash &*= primeMix2
      hash ^= (hash >> 35) &+ UInt64(count)
      hash &*= primeMix2
      return hash ^ (hash >> 28)
    case 9...16:
      let low = word(bytes, 0) ^ secretWord(24) ^ secretWord(32)
      let high = word(bytes, count - 8) ^ secretWord(40) ^ secretWord(48)
      return avalanche(UInt64(count) &+ low.byteSwapped &+ high &+ folded(low, high))
    case 17...128:
      var sum = UInt64(count) &* prime64x1
      // From both ends towards the middle.
      for pair in 0...(count - 1) / 32 {
        sum &+= mixed(bytes, 16 * pair, 32 * pair)
        sum &+= mixed(bytes, count - 16 * pair - 16, 32 * pair + 16)
      }
      return avalanche(sum)
    default:
      var sum = UInt64(count) &* prime64x1
      for round in 0..<8 { sum &+= mixed(bytes, 16 * round, 16 * round) }
      sum = avalanche(sum)
      for round in 8..<count / 16 { sum &+= mixed(bytes, 16 * round, 16 * (round - 8) + 3) }
      return avalanche(sum &+ mixed(bytes, count - 16, 119))
    }
  }

  // MARK: Parts

  private static func secretWord(_ offset: Int) -> UInt64 {
    let low = secret[offset / 8]
    let bits = UInt64(8 * (offset % 8))
    return bits == 0 ? low : low >> bits | secret[offset / 8 + 1] << (64 - bits)
  }

  private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  private static func half(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
    UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  /// Mixes the sixteen bytes at `offset` with the secret at `place`.
  private static func mixed(
    _ bytes: UnsafeRawBufferPointer, _ offset: Int, _ place: Int
  ) -> UInt64 {
    folded(
      word(bytes, offset) ^ secretWord(place), word(bytes, offset + 8) ^ secretWord(place + 8))
  }

  /// Returns the low half of the 128-bit product XOR its high half.
  private static func folded(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    return product.low ^ product.high
  }

  private static func rotated(_ value: UInt64, _ count: UInt64) -> UInt64 {
    value << count | value >> (64 - count)
  }

  private static func avalanche(_ value: UInt64) -> UInt64 {
    var hash = value
    hash ^= hash >> 37
    hash &*= primeMix1
    return hash ^ (hash >> 32)
  }

  /// The final mix of XXH64.
  private static func avalanche64(_ value: UInt64) -> UInt64 {
    var hash = value
    hash = (hash ^ (hash >> 33)) &* prime64x2
    hash = (hash ^ (hash >> 29)) &* prime64x3
    return hash ^ (hash >> 32)
  }
}

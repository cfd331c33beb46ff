import FathomRecordings

extension Double {
  /// Returns the number with fixed decimals, or `–` when it is not finite.
  func text(decimals: Int) -> String {
    guard isFinite else { return "–" }
    var bytes: [UInt8] = []
    FixedDecimal.append(self, decimals: decimals, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension Optional<Double> {
  /// Returns the number with fixed decimals, or `–` when it is unknown.
  func text(decimals: Int) -> String { (self ?? .nan).text(decimals: decimals) }
}

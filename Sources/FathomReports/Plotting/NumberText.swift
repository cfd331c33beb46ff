import FathomRecordings

extension Double {
  /// The number with a fixed number of decimals, `–` where it is not determined.
  func text(decimals: Int) -> String {
    guard isFinite else { return "–" }
    var bytes: [UInt8] = []
    FixedDecimal.append(self, decimals: decimals, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension Optional<Double> {
  /// The number with a fixed number of decimals, `–` where it is not known.
  func text(decimals: Int) -> String { (self ?? .nan).text(decimals: decimals) }
}

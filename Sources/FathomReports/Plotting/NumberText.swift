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

extension Double {
  /// The number to nine decimals, without zeros at the end.
  var plain: String {
    guard magnitude < 1e6 else { return "\(self)" }
    var text = text(decimals: 9)[...]
    while text.hasSuffix("0") { text.removeLast() }
    return String(text.hasSuffix(".") ? text.dropLast() : text)
  }
}

extension Optional<Double> {
  /// Returns the number with fixed decimals, or `–` when it is unknown.
  func text(decimals: Int) -> String { (self ?? .nan).text(decimals: decimals) }
}

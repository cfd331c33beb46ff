import Fathom
import Foundation

/// The format of a file, and the reason for which it was recognised.
struct RecognisedFormat: Sendable {
  var format: LogFormat
  /// Reason, for the user.
  var reason: String
  /// Bytes at the beginning of the file.
  var head: [UInt8] = []
  /// Whether the file ends with them.
  var isWhole = false

  /// Recognises the format of a ranges file.
  ///
  /// Each reader tries the first ``headCount`` bytes; the one that finds most ranges wins, unless
  /// more than twice as many lines are pairs of keys and values. Rows with a header that names a
  /// time and a distance are CSV. `options` can state the format.
  init(
    _ input: StoredInput, options: RecordingOptions, declared: [String] = []
  ) throws(RecordingError) {
    var head: [UInt8] = []
    var text = try DecompressedText(input)
    try text.append(to: &head, upTo: Self.headCount)
    if let format = options.format {
      self.init(format: format, reason: "as requested")
    } else if let origin = input.origin {
      self.init(format: origin.format, reason: Self.reason(of: origin.format))
    } else {
      self.init(head: head, isWhole: text.isEnd, options: options, declared: declared)
    }
    self.head = head
    isWhole = text.isEnd
  }

  /// Bytes at the beginning of a file from which its format is recognised.
  static let headCount = 1 << 16

  private init(format: LogFormat, reason: String) {
    self.format = format
    self.reason = reason
  }

  /// Recognises the format of a file that begins with `head`.
  init(
    head: [UInt8], isWhole: Bool, options: RecordingOptions = RecordingOptions(),
    declared: [String] = []
  ) {
    self.init(format: .csv, reason: "the header names its columns")
    if let binary = LogFormat.binary(head) {
      (format, reason) = binary
      return
    }
    // These rows have a header that fits only some of them.
    if Self.hasMarkedRows(head) {
      (format, reason) = (.arexp, "rows are marked \"uwb\"")
      return
    }
    let isJSON = JSONObjects.begins(head)
    let isHeader =
      !isJSON && RangesLayout.isHeader(head, options: options, declared: declared)
    if isHeader, options.columns.isEmpty { return }
    // Names of columns that the caller states are those of a header, or of keys.
    let pairs =
      isJSON ? 0 : KeyValueLog.measurements(in: head, options: options, declared: declared)
    if isHeader, pairs == 0 { return }
    reason = "no format of a device is recognised"
    var most = 0
    for candidate in LogFormat.allCases {
      guard !candidate.isBinary, var parser = LogParser(candidate, options: options) else {
        continue
      }
      let rows = parser.rows(of: head, isLast: isWhole)
      let found = rows.ranges.count + rows.failures
      guard found > most else { continue }
      // Lines of numbers alone can be anything: most of them must fit.
      if candidate.isNumbersOnly, found < rows.rejected.count { continue }
      most = found
      format = candidate
      reason =
        "\(most == 1 ? "1 measurement" : "\(most) measurements") in the first"
        + " \(isWhole ? "\(head.count) bytes" : "64 KiB")"
    }
    // Objects and pairs that are not those of a device. A damaged line can resemble one.
    if isJSON, most == 0 { (format, reason) = (.json, Self.jsonReason) }
    if pairs > 2 * most { (format, reason) = (.keyValue, Self.pairsReason) }
    if format == .csv || format == .keyValue, JSONForm.beginsDocuments(head, declared: declared) {
      (format, reason) = (.json, "documents in YAML, whose keys name its columns")
    }
  }

  /// Whether a cell of `head` is `"uwb"`.
  ///
  /// Quotes are rare in tables, commas are not: looking for commas first took a fifth of the time of reading
  /// a short file.
  private static func hasMarkedRows(_ head: [UInt8]) -> Bool {
    var cursor = TokenCursor(head, 0..<head.count)
    while let place = cursor.offset(of: "\"uwb\",") {
      if place > 0, head[place - 1] == UInt8(ascii: ",") { return true }
      cursor.position = place + 1
    }
    return false
  }

  /// Whether the beginning of a file has a brace, without which it is not JSON.
  ///
  /// This costs a hundredth of recognising the format.
  static func canBeJSON(_ head: [UInt8]) -> Bool {
    head.withUnsafeBytes { bytes in
      bytes.baseAddress.map { memchr($0, Int32(UInt8(ascii: "{")), bytes.count) != nil } ?? false
    }
  }

  /// Returns the text at the beginning of `input`.
  static func head(of input: StoredInput) throws(RecordingError) -> [UInt8] {
    var head: [UInt8] = []
    var text = try DecompressedText(input)
    try text.append(to: &head, upTo: headCount)
    return head
  }

  /// Why a file is read as JSON objects.
  static let jsonReason = "begins with a JSON object, whose keys name its columns"
  private static let pairsReason = "keys in its lines name its columns"

  /// Returns why a file is read as objects of `format`.
  static func reason(of format: LogFormat) -> String {
    format == .keyValue ? pairsReason : jsonReason
  }
}

extension LogFormat {
  /// Whether lines have numbers only, so that lines of other kinds can resemble them.
  fileprivate var isNumbersOnly: Bool {
    self == .gtsam || self == .trekTable || self == .marvelmind
  }

  /// Optional columns of the ranges, beside time, tag, anchor and distance.
  var quantities: [RangeQuantity] {
    switch self {
    case .sessionInfo: [.azimuth, .elevation, .rssi]
    case .makerfabs, .dw1000, .espresense, .ftmConsole: [.rssi]
    case .qorvoJSON: [.azimuth]
    case .fira, .android, .uci, .uciFrames: [.azimuth, .elevation, .rssi, .nonLineOfSight]
    case .uwbCore: [.azimuth, .elevation, .nonLineOfSight]
    case .linkTrack, .linkTrackTopic: [.azimuth, .rssi, .firstPathRSSI]
    case .arexp: [.azimuth, .elevation]
    case .librsf: [.sigma]
    case .csv, .json, .keyValue, .dwm1001, .trek1000, .trekTable, .trekPC, .marvelmind, .gtsam: []
    }
  }
}

extension TextOrigin {
  /// The format of the file.
  var format: LogFormat { hasPairs ? .keyValue : .json }
}

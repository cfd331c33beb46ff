import Fathom

extension LogFormat {
  /// Rate at which the device measures unless it is configured otherwise, in hertz; nil if the
  /// device has none.
  var usualRate: Double? {
    switch self {
    // 10 Hz is the rate of a moving tag after a reset [DWM1001 firmware guide].
    case .dwm1001: 10
    default: nil
    }
  }

  /// Whether the log has the positions of the anchors.
  var hasAnchors: Bool { self == .dwm1001 || self == .librsf || self == .trekPC }

  /// Whether the log is a stream of binary frames.
  var isBinary: Bool { makeFrameReader() != nil }

  /// Returns a reader of binary frames; nil for text.
  func makeFrameReader() -> (any LogFrameReader)? {
    switch self {
    case .linkTrack: LinkTrackFrameReader()
    case .uciFrames: UCIFrameReader()
    default: nil
    }
  }

  /// Returns the format whose binary frames `head` begins with, and its reason; nil for text.
  static func binary(_ head: [UInt8]) -> (format: LogFormat, reason: String)? {
    if LinkTrackFrameReader.begins(head) {
      return (.linkTrack, "begins with a frame of the NLink protocol")
    }
    if UCIFrameReader.begins(head) { return (.uciFrames, "begins with packets of UCI") }
    return nil
  }

  /// Returns a reader of lines; nil for rows with columns and for binary frames.
  func makeReader() -> (any LogLineReader)? {
    switch self {
    case .csv, .json, .keyValue, .linkTrack, .uciFrames: nil
    case .sessionInfo: SessionInfoReader()
    case .dwm1001: DWM1001Reader()
    case .makerfabs: MakerfabsReader()
    case .qorvoJSON: QorvoBlockReader()
    case .fira: FiraReader()
    case .uwbCore: UWBCoreReader()
    case .linkTrackTopic: LinkTrackTopicReader()
    case .android: AndroidReader()
    case .arexp: ARexpReader()
    case .librsf: LibRSFReader()
    case .trek1000: TREK1000Reader()
    case .dw1000: DW1000PrintReader()
    case .marvelmind: MarvelmindReader()
    case .trekTable: TREKTableReader()
    case .trekPC: TREKProgramReader()
    case .gtsam: GTSAMReader()
    case .espresense: ESPresenseReader()
    case .ftmConsole: FTMConsoleReader()
    case .uci: UCIHexReader()
    }
  }
}

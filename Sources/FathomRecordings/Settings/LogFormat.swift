/// A format of a ranges file: rows with columns, or the log of a device.
///
/// The article of each family of devices in the documentation says how to record a log.
public enum LogFormat: String, Sendable, Hashable, CaseIterable, Codable {
  /// Rows with columns, separated by commas, semicolons, tabs or blanks.
  case csv
  /// JSON objects with the columns as keys, one a line or in an array.
  case json
  /// Qorvo's command-line firmware: `SESSION_INFO_NTF: {...}`.
  case sessionInfo = "session-info"
  /// DWM1001: `lec` and `les` of its shell.
  case dwm1001
  /// Makerfabs ESP32 boards: `AT+RANGE=` or JSON.
  case makerfabs
  /// Qorvo's SDK 1.0.2 and Nearby Interaction firmware: a JSON object per block.
  case qorvoJSON = "qorvo-json"
  /// Text of Qorvo's UCI tool `run_fira_twr`.
  case fira = "fira-twr"
  /// uwb-core of Mynewt and RIOT: a JSON object per range.
  case uwbCore = "uwb-core"
  /// Binary frames of LinkTrack.
  case linkTrack = "linktrack"
  /// Rows of a ROS topic of LinkTrack.
  case linkTrackTopic = "linktrack-topic"
  /// Android: ranging service, backend in logcat, `cmd uwb`.
  case android
  /// Rows of several sensors, `time,"uwb",distance,azimuth,elevation`.
  case arexp
  /// libRSF: `range2` and `range3`.
  case librsf
  /// TREK1000: `mr`, `mc` and `ma`.
  case trek1000
  /// Prints of the Arduino libraries for the DW1000.
  case dw1000
  /// Log of Marvelmind's dashboard.
  case marvelmind
  /// Tables of the TREK1000: time of day, tag, millimetres.
  case trekTable = "trek1000-table"
  /// Log of the PC program of the TREK1000, DecaRangeRTLS: `T:090531088:RR:0:1:4550:4550:229:3301`.
  case trekPC = "trek1000-pc"
  /// GTSAM: time, sender, receiver, range.
  case gtsam
  /// Lines of pairs of a key and a value: `t=12.3 anchor=A1 dist=4.56`.
  case keyValue = "key-value"
  /// MQTT messages of ESPresense, with the topic before the payload.
  case espresense
  /// Console of ESP32 boards that measure by Wi-Fi FTM: `Estimated Distance - 2.10 meters`.
  case ftmConsole = "esp32-ftm"
  /// Packets of FiRa's UWB command interface (UCI) in hexadecimal, in the lines of any log.
  case uci = "fira-uci"
  /// The same packets in binary, one after the other.
  case uciFrames = "fira-uci-binary"

  /// Whether rows have columns, found by name.
  var hasColumns: Bool { self == .csv || isObjects }

  /// Whether rows are those of JSON objects, or of text that is read as such.
  var isObjects: Bool { self == .json || self == .keyValue }

  /// Description for messages.
  public var title: String {
    switch self {
    case .csv: "CSV"
    case .json: "JSON objects"
    case .keyValue: "lines of pairs of a key and a value"
    case .sessionInfo: "Qorvo SESSION_INFO_NTF notifications"
    case .dwm1001: "DWM1001 shell, lec or les"
    case .makerfabs: "Makerfabs AT+RANGE or JSON"
    case .qorvoJSON: "Qorvo JSON blocks"
    case .fira: "Qorvo run_fira_twr"
    case .uwbCore: "uwb-core JSON"
    case .linkTrack: "LinkTrack binary frames"
    case .linkTrackTopic: "LinkTrack topic"
    case .android: "Android ranging"
    case .arexp: "rows of several sensors, with angles in radians times 90"
    case .librsf: "libRSF"
    case .trek1000: "TREK1000 mr, mc, ma"
    case .dw1000: "Arduino DW1000 library"
    case .marvelmind: "Marvelmind dashboard"
    case .trekTable: "TREK1000 table"
    case .trekPC: "log of DecaRangeRTLS, the PC program of the TREK1000"
    case .gtsam: "GTSAM ranges"
    case .espresense: "ESPresense messages with their topic"
    case .ftmConsole: "console of an ESP32 with Wi-Fi FTM"
    case .uci: "FiRa UCI packets in hexadecimal"
    case .uciFrames: "FiRa UCI packets in binary"
    }
  }
}

import Fathom

/// A reader of the rows of a LinkTrack topic, `rostopic echo -p /nlink_linktrack_nodeframe2`.
///
/// The header names the fields: `%time` in nanoseconds, `field.id` of the tag, and of each node
/// `field.nodes0.id`, `.dis` in metres, `.fp_rssi` and `.rx_rssi` in dBm, `.angle` in degrees. A tag
/// frame has the distances `field.dis_arr0` to `field.dis_arr7`.
struct LinkTrackTopicReader: LogLineReader {
  private struct Node {
    var name: Int?
    /// Name without a column.
    var index: Int
    var distance: Int
    var firstPath: Int?
    var level: Int?
    var angle: Int?
  }
  private var fieldCount = 0
  private var time = 0
  private var tag: Int?
  private var nodes: [Node] = []

  init() {}

  mutating func read(_ line: LogLine, into rows: inout LogRows) {
    var cursor = line.wholeCursor
    if cursor.matches("%time,", at: cursor.position)
      || cursor.matches("time,field.", at: cursor.position)
    {
      readHeader(&cursor)
      return rows.skip()
    }
    guard !nodes.isEmpty else { return rows.skip() }
    guard
      let fields = cursor.fields(
        separatedBy: UInt8(ascii: ","), atMost: RecordingLimits.mostColumns),
      fields.count == fieldCount, let instant = cursor.nanoseconds(in: fields[time], .nanoseconds)
    else { return rows.reject(line, "the row differs from the header") }
    rows.beginEpoch(.instant(instant), in: line)
    for node in nodes {
      // Empty: the frame has fewer nodes.
      guard !fields[node.distance].isEmpty else { continue }
      guard let distance = cursor.number(in: fields[node.distance]) else {
        rows.reject(line, "a distance is not a number")
        continue
      }
      if distance == 0 { continue }
      var range = LogRange()
      if let tag { range.tag = cursor.bytes[fields[tag]] }
      range.anchor = node.name.map { cursor.bytes[fields[$0]] } ?? Array("\(node.index)".utf8)[...]
      range.distance = distance
      range.firstPathRSSI = node.firstPath.flatMap { cursor.number(in: fields[$0]) } ?? .nan
      range.rssi = node.level.flatMap { cursor.number(in: fields[$0]) } ?? .nan
      let degrees = node.angle.flatMap { cursor.number(in: fields[$0]) } ?? .nan
      range.azimuth = degrees.degreesInRadians
      rows.append(range, line: line.number)
    }
  }

  private mutating func readHeader(_ cursor: inout TokenCursor) {
    let fields =
      cursor.fields(separatedBy: UInt8(ascii: ","), atMost: RecordingLimits.mostColumns) ?? []
    let names = fields.map { String(decoding: cursor.bytes[$0], as: UTF8.self) }
    fieldCount = names.count
    time = 0
    tag = names.firstIndex(of: "field.id")
    nodes = []
    for index in 0..<RecordingLimits.mostColumns {
      let prefix = "field.nodes\(index)."
      func place(_ name: String) -> Int? { names.firstIndex(of: prefix + name) }
      if let distance = place("dis") {
        nodes.append(
          Node(
            name: place("id"), index: index, distance: distance, firstPath: place("fp_rssi"),
            level: place("rx_rssi"), angle: place("angle")))
      } else if let distance = names.firstIndex(of: "field.dis_arr\(index)") {
        nodes.append(Node(index: index, distance: distance))
      } else {
        break
      }
    }
  }
}

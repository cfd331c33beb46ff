import Fathom
import FathomRecordings

/// What `calibrate --antenna-delay` tells about a device.
struct AntennaDelay: Encodable {
  var device: String
  var kind: String
  var delayM: Double?
  var sigmaM: Double?
  var delayNs: Double?
  var ticks: Double?
  var isAbsolute: Bool?
  var ranges: Int
  var biasM: Double?
  var source: RecordedDelays.Source

  /// Returns the devices of a recording, the anchors first.
  static func devices(_ found: RecordedDelays) -> [AntennaDelay] {
    found.names.indices.map { index in
      let delay = found.delays.delays[index]
      let isAnchor = index < found.anchorCount
      let pairs = found.delays.pairs.filter { $0.first == index || $0.second == index }
      return AntennaDelay(
        device: found.names[index], kind: isAnchor ? "anchor" : "tag", delayM: delay?.metres,
        sigmaM: delay?.sigma, delayNs: delay.map { 1e9 * $0.seconds }, ticks: delay?.ticks,
        isAbsolute: delay?.isAbsolute, ranges: pairs.reduce(0) { $0 + $1.count },
        biasM: isAnchor ? found.bias(ofAnchor: index) : nil, source: found.source)
    }
  }

  /// Returns the table of devices.
  static func table(_ devices: [AntennaDelay]) -> String {
    var table = TextTable(["device", "", "delay m#", "ns#", "ticks#", "bias m#", "ranges#"])
    for device in devices {
      let delay = device.delayM.map { metres in
        "\(metres.text(decimals: 3)) ± \((device.sigmaM ?? 0).text(decimals: 3))"
      }
      table.append([
        device.device, device.kind, delay ?? "-", device.delayNs?.text(decimals: 3) ?? "-",
        device.ticks?.text(decimals: 1) ?? "-", device.biasM?.text(decimals: 3) ?? "-",
        "\(device.ranges)",
      ])
    }
    return table.text
  }
}

import FathomRecordings
import Foundation

/// What could be meant by an input that does not exist.
enum MissingInput {
  /// Returns what to try instead of `path`; nil if nothing is near.
  static func advice(on path: String) -> String? {
    advice(onAddress: path) ?? advice(onSerialPort: path) ?? advice(onName: path)
  }

  // MARK: Addresses

  private static func advice(onAddress text: String) -> String? {
    guard let mark = text.range(of: "://") else { return nil }
    let word = Excerpt.shellWord(text)
    switch text[..<mark.lowerBound].lowercased() {
    case "http", "https", "ftp":
      return "fathom does not download: try curl -LO \(word), or for a live source "
        + "curl -sN \(word) | fathom stream -"
    case "mqtt", "mqtts":
      return "try mosquitto_sub -L \(word) | fathom stream -"
    case "file":
      return "a path is written without file://"
    case "serial", "tty":
      return "a serial port is written as its path, such as /dev/ttyACM0"
    default:
      return
        "live sources are udp://[HOST]:PORT, tcp://HOST:PORT, the path of a serial port, pipe or file, and -"
    }
  }

  // MARK: Serial ports

  private static func advice(onSerialPort path: String) -> String? {
    let folder = "/dev/"
    let isNumbered = path.uppercased().hasPrefix("COM") && Int(path.dropFirst(3)) != nil
    guard path.hasPrefix("\(folder)tty") || path.hasPrefix("\(folder)cu.") || isNumbered else {
      return nil
    }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let ports = names.filter { name in
      ["ttyUSB", "ttyACM", "cu.usb"].contains { name.hasPrefix($0) }
    }
    if ports.isEmpty { return "no serial port of a device is connected to this computer" }
    return "connected: " + ports.sorted().prefix(4).map { folder + $0 }.joined(separator: ", ")
  }

  // MARK: Names

  /// Compares the first part of `path` that does not exist with the names beside it.
  private static func advice(onName path: String) -> String? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
    guard !parts.isEmpty, parts.count <= 64 else { return nil }
    var folder = path.hasPrefix("/") ? "/" : ""
    for (place, part) in parts.enumerated() {
      let next = folder + part
      if FileManager.default.fileExists(atPath: next) {
        folder = next + "/"
        continue
      }
      let rest = parts[(place + 1)...].map { "/\($0)" }.joined()
      let near = names(near: part, in: folder.isEmpty ? "." : folder)
        .map { folder + $0 + rest }.filter { FileManager.default.fileExists(atPath: $0) }
      guard !near.isEmpty else { return nil }
      return "did you mean \(near.prefix(3).map(Excerpt.shellWord).joined(separator: " or "))?"
    }
    return nil
  }

  /// Returns the names in `folder` that differ from `name` least: in capitals, by what follows a full stop, or by a
  /// quarter of its letters before one.
  private static func names(near name: String, in folder: String) -> [String] {
    let small = name.lowercased()
    let letters = small.prefix { $0 != "." }.utf8.count
    // Other names of one or two letters are other files.
    let most = letters < 3 ? 0 : max(1, min(3, letters / 4))
    let others = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    let ranked = others.prefix(10_000).compactMap { other -> (name: String, distance: Int)? in
      let found = other.lowercased()
      let distance = found.hasPrefix("\(small).") ? 0 : Excerpt.distance(small, found)
      return distance <= most ? (other, distance) : nil
    }
    let least = ranked.map(\.distance).min()
    return ranked.filter { $0.distance == least }.map(\.name)
  }
}

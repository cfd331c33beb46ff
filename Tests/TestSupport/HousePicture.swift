import Foundation

/// The picture of the folders and their dependencies in CONTRIBUTING.md, as SVG.
///
/// A box is a module, or a folder of the engine; it lists its folders with their numbers of files. A box
/// stands above all boxes that it depends on. An arrow that follows from two others is left out.
public struct HousePicture {
  /// The module whose folders have boxes of their own.
  private static let engine = "Fathom"

  private struct Box {
    var title: String
    var lines: [String]
    var next: Set<String>
    var rank = 0
    var x = 0.0
    var y = 0.0
    var width: Double { 7.2 * Double(([title] + lines).map(\.count).max() ?? 0) + 20 }
    var height: Double { 26 + 15 * Double(lines.count) }
  }

  private var boxes: [String: Box] = [:]

  /// Lays out the folders of `house`.
  public init(of house: House) {
    func box(of folder: String) -> String {
      let parts = folder.split(separator: "/").map(String.init)
      return parts.prefix(parts[0] == Self.engine ? 2 : 1).joined(separator: "/")
    }
    for (folder, count) in house.folderSizes.sorted(by: { $0.key < $1.key }) {
      let name = box(of: folder)
      let title = name.replacing("\(Self.engine)/", with: "")
      let line = folder == name ? "" : String(folder.dropFirst(name.count + 1)) + " \(count)"
      boxes[name, default: Box(title: title, lines: [], next: [])].lines.append(line)
      if line.isEmpty {
        boxes[name]?.lines.removeLast()
        boxes[name]?.title = "\(title) \(count)"
      }
    }
    for (folder, next) in house.folderDependencies {
      boxes[box(of: folder)]?.next.formUnion(next.map(box).filter { $0 != box(of: folder) })
    }
    rank()
    reduce()
    place()
  }

  /// A box's rank is the length of the longest chain of dependencies below it.
  private mutating func rank() {
    for _ in boxes {
      for name in boxes.keys {
        let below = boxes[name]?.next.compactMap { boxes[$0]?.rank }.max()
        boxes[name]?.rank = below.map { $0 + 1 } ?? 0
      }
    }
  }

  /// Removes every dependency that another dependency implies.
  private mutating func reduce() {
    func reached(from name: String) -> Set<String> {
      let next = boxes[name]?.next ?? []
      return next.reduce(into: next) { $0.formUnion(reached(from: $1)) }
    }
    let implied = boxes.mapValues { box in
      box.next.reduce(into: Set<String>()) { $0.formUnion(reached(from: $1)) }
    }
    for (name, others) in implied { boxes[name]?.next.subtract(others) }
  }

  private var pageWidth = 0.0
  private var pageHeight = 0.0

  private mutating func place() {
    let ranks = 0...(boxes.values.map(\.rank).max() ?? 0)
    let rows = ranks.reversed().map { rank in
      boxes.filter { $0.value.rank == rank }.keys.sorted()
    }
    func width(_ row: [String]) -> Double {
      row.reduce(-30) { $0 + (boxes[$1]?.width ?? 0) + 30 }
    }
    pageWidth = (rows.map(width).max() ?? 0) + 20
    var y = 10.0
    for row in rows {
      let width = width(row)
      var x = (pageWidth - width) / 2
      for name in row {
        boxes[name]?.x = x
        boxes[name]?.y = y
        x += (boxes[name]?.width ?? 0) + 30
      }
      y += (row.compactMap { boxes[$0]?.height }.max() ?? 0) + 36
    }
    pageHeight = y - 26
  }

  /// The picture.
  public var svg: String {
    var lines = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(pageWidth)) \(Int(pageHeight))" \
      font-family="monospace" font-size="12">
      """,
      "<title>Modules and folders of Fathom, and what each depends on</title>",
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>",
      "<defs><marker id=\"tip\" markerWidth=\"7\" markerHeight=\"6\" refX=\"6\" refY=\"3\" "
        + "orient=\"auto\"><path d=\"M0 0L7 3L0 6z\" fill=\"#607080\"/></marker></defs>",
    ]
    let sorted = boxes.sorted { $0.key < $1.key }
    for (_, box) in sorted {
      for target in box.next.sorted().compactMap({ boxes[$0] }) {
        let (x0, y0) = (box.x + box.width / 2, box.y + box.height)
        let (x1, y1) = (target.x + target.width / 2, target.y)
        lines.append(
          "<path d=\"M\(n(x0)) \(n(y0))L\(n(x1)) \(n(y1 - 1))\" stroke=\"#607080\" fill=\"none\" "
            + "marker-end=\"url(#tip)\"/>")
      }
    }
    for (name, box) in sorted {
      let fill = name.hasPrefix("\(Self.engine)/") ? "#e8f1fa" : "#f4efe4"
      lines.append(
        "<rect x=\"\(n(box.x))\" y=\"\(n(box.y))\" width=\"\(n(box.width))\" "
          + "height=\"\(n(box.height))\" rx=\"4\" fill=\"\(fill)\" stroke=\"#607080\"/>")
      lines.append(text(box.title, x: box.x + 10, y: box.y + 17, weight: "bold"))
      for (index, line) in box.lines.enumerated() {
        lines.append(
          text(line, x: box.x + 10, y: box.y + 33 + 15 * Double(index), weight: "normal"))
      }
    }
    return lines.joined(separator: "\n") + "\n</svg>\n"
  }

  private func text(_ text: String, x: Double, y: Double, weight: String) -> String {
    "<text x=\"\(n(x))\" y=\"\(n(y))\" font-weight=\"\(weight)\">\(text)</text>"
  }

  /// A length in whole pixels.
  private func n(_ value: Double) -> String { String(Int(value.rounded())) }
}

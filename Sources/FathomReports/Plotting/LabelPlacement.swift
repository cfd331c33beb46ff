/// Where the texts at the points of a panel stand, so that they cover neither each other nor signs.
///
/// One text after the other takes the first free place around its point; where none is free, the one
/// that covers least. The size of a text is estimated from its number of characters.
struct LabelPlacement {
  /// A place of a text relative to its point, as gnuplot writes it.
  enum Side: String, CaseIterable {
    case upperRight = "left offset char 0.7,0.5"
    case upperLeft = "right offset char -0.7,0.5"
    case lowerRight = "left offset char 0.7,-0.7"
    case lowerLeft = "right offset char -0.7,-0.7"
    case above = "center offset char 0,0.9"
    case below = "center offset char 0,-1.1"
  }

  /// Width of a character and height of a line, in units of the drawing.
  private static let (characterWidth, lineHeight) = (7.6, 15.0)
  private var taken: [Box] = []

  /// A rectangle in units of the drawing, from its left upper corner.
  private struct Box {
    var left: Double
    var top: Double
    var width: Double
    var height: Double

    func overlap(_ other: Box) -> Double {
      let x = min(left + width, other.left + other.width) - max(left, other.left)
      let y = min(top + height, other.top + other.height) - max(top, other.top)
      return x > 0 && y > 0 ? x * y : 0
    }
  }

  /// Returns the sides of all labels of `panel`, whose axes have the given lengths.
  ///
  /// Cost: quadratic in the number of labels.
  static func sides(of panel: Plot.Panel, width: Double) -> [Side] {
    var placement = LabelPlacement()
    let points = panel.labels.map { label in
      (x: place(label.x, panel.x, width), y: panel.height - place(label.y, panel.y, panel.height))
    }
    // The signs of the labelled points themselves.
    for point in points {
      placement.taken.append(Box(left: point.x - 4, top: point.y - 4, width: 8, height: 8))
    }
    let frame = Box(left: 0, top: -lineHeight, width: width, height: panel.height + lineHeight)
    return zip(panel.labels, points).map { label, point in
      placement.side(of: Double(label.text.count), at: point.x, point.y, within: frame)
    }
  }

  private static func place(_ value: Double, _ axis: ClosedRange<Double>, _ length: Double)
    -> Double
  {
    let span = axis.upperBound - axis.lowerBound
    return span > 0 ? (value - axis.lowerBound) / span * length : 0
  }

  private mutating func side(
    of characters: Double, at x: Double, _ y: Double, within frame: Box
  ) -> Side {
    let (width, height) = (characters * Self.characterWidth, Self.lineHeight)
    var best = Side.upperRight
    var bestBox = Box(left: x, top: y, width: width, height: height)
    var least = Double.infinity
    for side in Side.allCases {
      let box =
        switch side {
        case .upperRight: Box(left: x + 5, top: y - 16, width: width, height: height)
        case .upperLeft: Box(left: x - 5 - width, top: y - 16, width: width, height: height)
        case .lowerRight: Box(left: x + 5, top: y + 3, width: width, height: height)
        case .lowerLeft: Box(left: x - 5 - width, top: y + 3, width: width, height: height)
        case .above: Box(left: x - width / 2, top: y - 22, width: width, height: height)
        case .below: Box(left: x - width / 2, top: y + 9, width: width, height: height)
        }
      let covered = taken.reduce(width * height - box.overlap(frame)) { $0 + $1.overlap(box) }
      if covered < least { (least, best, bestBox) = (covered, side, box) }
      if covered <= 0.5 { break }
    }
    taken.append(bestBox)
    return best
  }
}

@testable import Fathom

/// A locator in a room of 8 x 6 m, with the epochs that it solved.
struct LocatedRoom {
  /// Four anchors at the corners of the room, at different heights.
  static let anchors = [
    Anchor(position: Vector([0, 0, 0.5])), Anchor(position: Vector([8, 0, 2.5])),
    Anchor(position: Vector([8, 6, 0.4])), Anchor(position: Vector([0, 6, 2.4])),
  ]
  /// A position in the room, metres.
  static let tag = Vector<3>([3, 2, 1])

  /// Returns the distance from a tag to an anchor of the room, metres.
  static func distance(to anchor: Int, from tag: Vector<3> = tag) -> Double {
    (anchors[anchor].position - tag).length
  }

  var locator: EpochLocator
  private(set) var epochs: [EpochFix] = []

  init(
    _ anchors: [Anchor] = anchors, height: Double? = nil, window: Double = 1,
    _ change: (inout EpochLocator.Configuration) -> Void = { _ in }
  ) throws {
    var configuration = EpochLocator.Configuration()
    configuration.options.height = height
    configuration.window = window
    change(&configuration)
    locator = try EpochLocator(anchors: anchors, configuration: configuration)
  }

  /// Adds a range of an anchor.
  mutating func add(
    _ anchor: Int, _ distance: Double, sigma: Double? = nil, at seconds: Double = 0
  ) {
    locator.update(
      .range(
        RangeMeasurement(
          time: instant(seconds), anchor: anchor, distance: distance, sigma: sigma)))
  }

  /// Adds the ranges of the first `count` anchors, with errors, and solves the epoch.
  mutating func solve(
    _ count: Int = 4, errors: [Double] = [0, 0, 0, 0], sigma: Double? = nil, at seconds: Double = 0,
    from tag: Vector<3> = tag
  ) {
    for anchor in 0..<count {
      let distance = (locator.anchors[anchor].position - tag).length
      add(anchor, distance + errors[anchor], sigma: sigma, at: seconds)
    }
    solve(at: seconds)
  }

  /// Solves the epoch that ends at an instant.
  mutating func solve(at seconds: Double) {
    if let epoch = locator.solve(at: instant(seconds)) { epochs.append(epoch) }
  }
}

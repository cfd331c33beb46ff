import Fathom
import FathomRecordings

extension ScenarioReader {
  /// Maximum number of anchors of a layout, and of tags of one entry.
  private static let mostNodes: UInt64 = 10_000

  /// Reads the anchors, the tags and their links.
  static func anchored(
    _ root: ScenarioSection, _ frame: ScenarioFrame
  ) throws(ScenarioError) -> Scenario.Anchored {
    let anchors = try anchors(root, frame)
    let tags = try tags(root, frame, anchors)
    return Scenario.Anchored(
      anchors: anchors, tags: tags, links: try links(root, anchors: anchors, tags: tags),
      height: frame.height, bounds: try bounds(root))
  }

  /// Reads the box that contains the tags; nil without one.
  private static func bounds(_ root: ScenarioSection) throws(ScenarioError) -> [[Double]]? {
    guard root.has("bounds_m") else { return nil }
    let section = try root.section("bounds_m", keys: ["lower", "upper"])
    let corners = [
      try section.numbers("lower", .coordinate), try section.numbers("upper", .coordinate),
    ]
    guard corners.allSatisfy({ $0.count == 3 }), zip(corners[0], corners[1]).allSatisfy(<) else {
      throw root.impossible(
        "bounds_m", "must have corners of three coordinates, the lower one first")
    }
    return corners
  }

  // MARK: Anchors

  private static func anchors(
    _ root: ScenarioSection, _ frame: ScenarioFrame
  ) throws(ScenarioError) -> [Scenario.NamedAnchor] {
    if root.isMapping("anchors") { return try layout(root, frame) }
    var anchors: [Scenario.NamedAnchor] = []
    var names: Set<String> = []
    let keys = ["id", "x", "y", "z", "bias_m", "scale", "antenna_delay_s"]
    for section in try root.sections("anchors", keys: keys) {
      let name = try section.identifier("id")
      guard names.insert(name).inserted else {
        throw section.impossible("id", "is the name of another anchor: \(name)")
      }
      anchors.append(try anchor(name, at: try position(section), section))
    }
    return anchors
  }

  /// Returns the anchor called `name` with the errors that `section` gives.
  private static func anchor(
    _ name: String, at position: Vector<3>, _ section: ScenarioSection
  ) throws(ScenarioError) -> Scenario.NamedAnchor {
    Scenario.NamedAnchor(
      name: name,
      anchor: Anchor(
        position: position, bias: try section.number("bias_m", .coordinate, absent: 0),
        scale: try section.number("scale", .positive, absent: 1)),
      antennaDelay: try section.number("antenna_delay_s", .delay, absent: 0))
  }

  private static func layout(
    _ root: ScenarioSection, _ frame: ScenarioFrame
  ) throws(ScenarioError) -> [Scenario.NamedAnchor] {
    let kinds = ["rectangle", "ring", "corridor", "random", "file"]
    let section = try root.section("anchors", keys: kinds)
    let kind = try section.only(of: kinds)
    if kind == "file" { return try anchors(fromFile: section, frame) }
    let own =
      switch kind {
      case "rectangle": ["length_m", "width_m", "per_side"]
      case "ring": ["radius_m", "count", "phase_rad"]
      case "corridor": ["length_m", "width_m", "per_row", "heading_rad", "stagger_m"]
      default: ["length_m", "width_m", "count", "separation_m", "seed"]
      }
    let shape = try section.section(
      kind, keys: own + ["centre", "z", "prefix", "bias_m", "scale", "antenna_delay_s"])
    let layout = AnchorLayout(
      plan: try plan(kind, shape), centre: try plane(shape, "centre"),
      heights: try shape.numbers("z", .coordinate))
    guard let positions = layout.positions() else {
      throw shape.impossible("separation_m", "is too large to place all anchors")
    }
    let prefix = shape.has("prefix") ? try shape.identifier("prefix") : "A"
    var anchors: [Scenario.NamedAnchor] = []
    for (index, position) in positions.enumerated() {
      anchors.append(try anchor("\(prefix)\(index + 1)", at: position, shape))
    }
    return anchors
  }

  private static func plan(
    _ kind: String, _ shape: ScenarioSection
  ) throws(ScenarioError) -> AnchorLayout.Plan {
    switch kind {
    case "rectangle":
      .rectangle(
        length: try shape.number("length_m", .positive),
        width: try shape.number("width_m", .positive),
        perSide: Int(try shape.wholeNumber("per_side", in: 2...mostNodes / 4, absent: 2)))
    case "ring":
      .ring(
        radius: try shape.number("radius_m", .positive),
        count: Int(try shape.wholeNumber("count", in: 1...mostNodes)),
        phase: try shape.number("phase_rad", .bearing, absent: 0))
    case "corridor":
      .corridor(
        length: try shape.number("length_m", .positive),
        width: try shape.number("width_m", .positive),
        perRow: Int(try shape.wholeNumber("per_row", in: 1...mostNodes / 2)),
        heading: try shape.number("heading_rad", .bearing, absent: 0),
        stagger: try shape.number("stagger_m", .coordinate, absent: 0))
    default:
      .random(
        length: try shape.number("length_m", .positive),
        width: try shape.number("width_m", .positive),
        count: Int(try shape.wholeNumber("count", in: 1...mostNodes)),
        separation: try shape.number("separation_m", .notNegative, absent: 0),
        seed: try shape.wholeNumber("seed", in: 0...UInt64.max))
    }
  }

  private static func anchors(
    fromFile section: ScenarioSection, _ frame: ScenarioFrame
  ) throws(ScenarioError) -> [Scenario.NamedAnchor] {
    let path = frame.path(of: try section.text("file"))
    let declared: DeclaredAnchors
    do {
      _ = try FoundFile.exists(path)
      declared = try AnchorsReader.read(path)
    } catch {
      throw section.impossible("file", "cannot be read: \(Excerpt.plain("\(error)", limit: 300))")
    }
    guard !declared.anchors.isEmpty else {
      throw section.impossible("file", "has no anchors: \(Excerpt.plain(path, limit: 300))")
    }
    guard !declared.isPlanar else {
      throw section.impossible(
        "file", "has anchors without z: \(Excerpt.plain(path, limit: 300))")
    }
    return zip(declared.names, declared.anchors).map {
      Scenario.NamedAnchor(name: $0, anchor: $1)
    }
  }

  // MARK: Tags

  private static func tags(
    _ root: ScenarioSection, _ frame: ScenarioFrame, _ anchors: [Scenario.NamedAnchor]
  ) throws(ScenarioError) -> [Scenario.Tag] {
    var tags: [Scenario.Tag] = []
    var names: Set<String> = []
    let keys = ["id", "count", "antenna_delay_s", "only_anchor"] + trajectoryKeys
    for section in try root.sections("tags", keys: keys) {
      let name = try section.identifier("id")
      let delay = try section.number("antenna_delay_s", .delay, absent: 0)
      var onlyAnchor: Int?
      if section.has("only_anchor") {
        let name = try section.identifier("only_anchor")
        guard let index = anchors.firstIndex(where: { $0.name == name }) else {
          throw section.impossible("only_anchor", "is not the name of an anchor: \(name)")
        }
        onlyAnchor = index
      }
      let count = Int(try section.wholeNumber("count", in: 1...mostNodes, absent: 1))
      for index in 1...count {
        let name = section.has("count") ? "\(name)\(index)" : name
        guard names.insert(name).inserted else {
          throw section.impossible("id", "is the name of another tag: \(name)")
        }
        guard tags.count < mostTags else {
          throw section.impossible("id", "is one of more than \(mostTags) tags")
        }
        let trajectory = try trajectory(section, frame, tag: tags.count)
        if section.has("count"), !trajectory.isRandom {
          throw section.impossible(
            "count", "requires a random trajectory: all tags would be at the same position")
        }
        tags.append(
          Scenario.Tag(
            name: name, trajectory: trajectory, antennaDelay: delay, onlyAnchor: onlyAnchor))
      }
    }
    return tags
  }

  // MARK: Links

  private static func links(
    _ root: ScenarioSection, anchors: [Scenario.NamedAnchor], tags: [Scenario.Tag]
  ) throws(ScenarioError) -> [Scenario.LinkOverride] {
    guard root.has("links") else { return [] }
    var links: [Scenario.LinkOverride] = []
    var places: Set<[Int]> = []
    func indices(_ names: [String]) -> [String: Int] {
      Dictionary(zip(names, names.indices)) { first, _ in first }
    }
    let (tagIndices, anchorIndices) = (indices(tags.map(\.name)), indices(anchors.map(\.name)))
    let errors = ["bias_m", "scale", "sigma_m"]
    for section in try root.sections("links", keys: ["tag", "anchor"] + errors) {
      func index(_ key: String, _ indices: [String: Int]) throws(ScenarioError) -> Int {
        let name = try section.identifier(key)
        guard let index = indices[name] else {
          throw section.impossible(key, "is not in this scenario: \(name)")
        }
        return index
      }
      let tag = try index("tag", tagIndices)
      let anchor = try index("anchor", anchorIndices)
      guard places.insert([tag, anchor]).inserted else {
        throw section.impossible("anchor", "repeats a link that is listed above")
      }
      func own(
        _ key: String, _ bounds: ScenarioSection.Bounds
      ) throws(ScenarioError) -> Double? {
        section.has(key) ? try section.number(key, bounds) : nil
      }
      links.append(
        Scenario.LinkOverride(
          tag: tag, anchor: anchor, bias: try own("bias_m", .coordinate),
          scale: try own("scale", .positive), sigma: try own("sigma_m", .notNegative)))
    }
    return links
  }

  /// Reads the point with x and y at `name`.
  static func plane(
    _ section: ScenarioSection, _ name: String
  ) throws(ScenarioError) -> Vector<2> {
    let axes = try section.section(name, keys: ["x", "y"])
    return Vector<2>([try axes.number("x", .coordinate), try axes.number("y", .coordinate)])
  }
}

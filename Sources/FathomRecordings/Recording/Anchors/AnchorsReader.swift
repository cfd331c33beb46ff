import Fathom

/// Declared anchors of a recording, in the order of the file.
public struct DeclaredAnchors: Sendable, Equatable {
  /// Names of the anchors, all different.
  public var names: [String] = []
  /// Anchors, parallel to ``names``.
  public var anchors: [Anchor] = []
  /// Whether the file states no heights: the anchors are in the plane z = 0.
  public var isPlanar = false
  /// Anchors without x and y, which a survey has to find.
  ///
  /// Their positions in ``anchors`` are not to be used. Empty unless the reader accepts them.
  public var unsurveyed: [UnsurveyedAnchor] = []
  /// The frame of the anchors if the file states latitudes and longitudes; its origin is the first
  /// anchor.
  public var plane: LocalPlane?
  /// Notes for the user on what the reader assumed.
  package var notes: [String] = []

  /// Creates an empty list.
  public init() {}
}

/// An anchor whose position along x and y is unknown.
public struct UnsurveyedAnchor: Sendable, Equatable {
  /// Its place in the list of anchors.
  public var index: Int
  /// The height, metres; nil if it is unknown too.
  public var height: Double?
}

/// A reader of `anchors.csv`: `id,x,y[,z]` or `id,latitude,longitude[,altitude]`, and optionally
/// `sigma_m`, `bias_m`, `scale`.
///
/// An anchor cannot be left out like a sample: any invalid row is an error. An anchor without x and y is
/// one for a survey to find, and an error elsewhere.
public enum AnchorsReader {
  /// Reads the anchors file at `path`, which may be compressed.
  ///
  /// ## Edge cases
  /// A header without rows means that the recording has no anchors. An empty optional cell means an
  /// unknown standard deviation, bias 0 or scale 1. Coordinates are in metres unless the columns'
  /// names state another unit. Without heights, the anchors are in the plane z = 0. Latitudes and
  /// longitudes are in degrees on WGS84 and are converted to east, north and up of the first anchor;
  /// they are ignored if the file also has x and y. A file of three or four columns without a header is
  /// `id,x,y[,z]`. YAML, and JSON by name, are read too: `{"A": [0, 0, 2.5]}`.
  ///
  /// - Parameters:
  ///   - path: path of the file.
  ///   - options: names of columns, and the decimal separator.
  /// - Returns: The anchors, in the order of the file.
  /// - Throws: ``RecordingError/noInput(path:reason:)`` when the file cannot be read;
  ///   ``RecordingError/badData(path:line:reason:)`` when its header or any row is invalid, two
  ///   anchors have the same name, there are more than ``RecordingLimits/mostAnchors``, or the file
  ///   is longer than ``RecordingLimits/longestAnchors``.
  public static func read(
    _ path: String, options: RecordingOptions = RecordingOptions()
  ) throws(RecordingError) -> DeclaredAnchors {
    try read(Self.source(path), options: options)
  }

  /// Returns the content of the anchors file at `path`, which is at most
  /// ``RecordingLimits/longestAnchors`` bytes long.
  static func source(_ path: String) throws(RecordingError) -> ByteSource {
    try ByteSource(path: path, mostBytes: RecordingLimits.longestAnchors)
  }

  static let table = TableKind.anchors
  private static let local = TableColumns.localAnchors
  private static let geodetic = TableColumns.geodeticAnchors

  static func read(
    _ source: ByteSource, options: RecordingOptions, acceptsUnsurveyed: Bool = false
  ) throws(RecordingError) -> DeclaredAnchors {
    let source = AnchorsText.rows(of: source)
    let isGeodetic = try isGeodetic(CSVScanner(atHeaderOf: try source.table(table)))
    var rows = try NumericTable(
      source, table, columns: isGeodetic ? geodetic : local, options: options
    ) { Self.names(ofFirst: $0) }
    let header = rows.header
    if isGeodetic,
      let match = header.matches[1...2].lazy.compactMap({ $0 }).first(where: {
        $0.unit == "rad"
      })
    {
      throw .badData(
        path: source.path, line: rows.scanner.line,
        reason: "\(Excerpt.quoted(match.given)) must be in degrees")
    }
    var declared = DeclaredAnchors()
    // Without a column of heights the problem is one in the plane, whatever a survey has to find.
    declared.isPlanar = acceptsUnsurveyed && header.matches[3] == nil
    declared.notes = rows.notes
    var lines: [String: Int] = [:]
    while rows.next() {
      do throws(RowFault) {
        let row = rows.row
        let (name, place) = try row.place(isGeodetic: isGeodetic)
        if let first = lines.updateValue(rows.scanner.line, forKey: name) {
          throw RowFault(
            reason: "anchor \(Excerpt.quoted(name)) is declared twice, first on line \(first)")
        }
        if let reason = RecordingLimits.reasonTooMany(tags: 1, anchors: lines.count) {
          throw RowFault(reason: reason)
        }
        guard let place else {
          guard acceptsUnsurveyed else {
            throw RowFault(
              reason:
                "anchor \(Excerpt.quoted(name)) has no position; fathom calibrate --survey can"
                + " find it")
          }
          let height = try row.optionalCoordinate(3)
          declared.unsurveyed.append(
            UnsurveyedAnchor(index: declared.names.count, height: height))
          declared.names.append(name)
          declared.anchors.append(Anchor(position: Vector([0, 0, height ?? 0])))
          continue
        }
        if declared.names.count == declared.unsurveyed.count {
          declared.isPlanar = place.third == nil
        }
        if declared.isPlanar != (place.third == nil) {
          let column = isGeodetic ? "altitude" : "z"
          throw RowFault(
            reason:
              "\(column) is \(declared.isPlanar ? "given" : "missing"), but the anchors before"
              + " have \(declared.isPlanar ? "none" : "one"); give it for all anchors or for none")
        }
        let position =
          isGeodetic ? try position(place, in: &declared) : place.position
        declared.names.append(name)
        declared.anchors.append(try row.anchor(at: position))
      } catch {
        throw .badData(path: source.path, line: rows.scanner.line, reason: error.reason)
      }
    }
    if declared.isPlanar {
      for index in declared.unsurveyed.indices { declared.unsurveyed[index].height = 0 }
    }
    return declared
  }

  /// Returns the names of the columns of a file whose first row is `cells`; nil if it is a header.
  ///
  /// Without a header, three or four columns are a name and coordinates. Three numbers alone could also
  /// be three coordinates, unless the first is whole.
  static func names(ofFirst cells: [String]) -> [String]? {
    func isNumber(_ cell: String) -> Bool { Double(cell.replacing(",", with: ".")) != nil }
    guard (3...4).contains(cells.count), !cells[0].isEmpty, cells[1...].allSatisfy(isNumber),
      cells.count == 4 || !isNumber(cells[0]) || Int(cells[0]) != nil
    else { return nil }
    return Array(["id", "x", "y", "z"].prefix(cells.count))
  }

  /// Whether the header at `scanner` names latitude or longitude, but not both x and y.
  private static func isGeodetic(_ scanner: CSVScanner) -> Bool {
    let names = scanner.fields.map { String(decoding: scanner.content($0), as: UTF8.self) }
    func has(_ column: ColumnName) -> Bool { names.contains { column.match($0) != nil } }
    return (has(geodetic[1]) || has(geodetic[2])) && !(has(local[1]) && has(local[2]))
  }

  /// Distance from the first anchor within which a plane describes a site, metres.
  ///
  /// Ultra-wideband reaches some 100 m. Farther anchors mean that columns are exchanged.
  private static let widestSite = 100_000.0

  /// Converts a latitude and longitude to the frame of the first anchor, which it sets.
  private static func position(
    _ place: AnchorPlace, in declared: inout DeclaredAnchors
  ) throws(RowFault) -> Vector<3> {
    guard place.first.magnitude <= 90 else {
      throw RowFault(reason: "the latitude must be from -90 to 90 degrees: \(place.first)")
    }
    guard place.second.magnitude <= 180 else {
      throw RowFault(reason: "the longitude must be from -180 to 180 degrees: \(place.second)")
    }
    let geodetic = GeodeticPosition(
      latitude: place.first, longitude: place.second, altitude: place.third ?? 0)
    let plane = declared.plane ?? LocalPlane(origin: geodetic)
    declared.plane = plane
    var local = plane.local(geodetic)
    let distance = (local[0] * local[0] + local[1] * local[1]).squareRoot()
    guard distance <= widestSite, local[2].magnitude <= widestSite else {
      throw RowFault(
        reason: "the anchor is \(Int(distance / 1000)) km from the first one, more than 100 km;"
          + " check latitude, longitude and altitude")
    }
    // Without altitudes the ground, not the tangent plane, is the plane of the problem.
    if place.third == nil { local[2] = 0 }
    return local
  }
}

/// The coordinates of a row: x, y and z, or latitude, longitude and altitude.
private struct AnchorPlace {
  var first: Double
  var second: Double
  /// Nil without a height.
  var third: Double?

  var position: Vector<3> { Vector([first, second, third ?? 0]) }
}

extension NumericRow {
  /// Returns the name and the coordinates of a row; columns are indexed in the order of the
  /// reader's lists.
  ///
  /// The coordinates are nil if both of the first are empty.
  fileprivate func place(isGeodetic: Bool) throws(RowFault) -> (String, AnchorPlace?) {
    try check()
    let name = try name(0)
    if isEmpty(1), isEmpty(2) { return (name, nil) }
    func coordinate(_ column: Int) throws(RowFault) -> Double {
      if isGeodetic, let angle = SexagesimalAngle(text(column)) { return angle.degrees }
      return try length(column)
    }
    let place = AnchorPlace(
      first: try coordinate(1), second: try coordinate(2), third: try optionalLength(3))
    for value in [place.first, place.second, place.third ?? 0] {
      if let reason = RecordingLimits.reasonTooFar(value) {
        throw RowFault(reason: "the position \(reason)")
      }
    }
    return (name, place)
  }

  /// Returns the anchor of a row at `position`.
  fileprivate func anchor(at position: Vector<3>) throws(RowFault) -> Anchor {
    let sigma = try optionalLength(4)
    if let sigma, sigma < 0 { throw RowFault(reason: "sigma_m is negative: \(sigma)") }
    let scale = try optionalNumber(6) ?? 1
    if scale <= 0 { throw RowFault(reason: "scale must be positive: \(scale)") }
    return Anchor(
      position: position, positionSigma: sigma, bias: try optionalLength(5) ?? 0, scale: scale)
  }
}

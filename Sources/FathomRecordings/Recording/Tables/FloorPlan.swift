import Fathom

/// What a map of a floor shows besides its anchors: walls, and a picture of the plan.
///
/// Both are drawn only; the expected errors do not know of them.
public struct FloorPlan: Sendable, Equatable {
  /// A wall from one end to the other, in metres.
  public struct Wall: Sendable, Equatable {
    /// One end.
    public var from: Vector<2>
    /// The other end.
    public var to: Vector<2>
  }

  /// A picture, and the part of the plan that it shows.
  public struct Picture: Sendable, Equatable {
    /// The file, PNG or JPEG.
    public var bytes: [UInt8]
    /// Its media type.
    public var mediaType: String
    /// What it shows, in metres; nil for the whole map.
    public var area: (x: ClosedRange<Double>, y: ClosedRange<Double>)?

    /// Returns whether both are the same picture of the same area.
    public static func == (left: Self, right: Self) -> Bool {
      left.bytes == right.bytes && left.area?.x == right.area?.x && left.area?.y == right.area?.y
    }
  }

  /// The walls.
  public var walls: [Wall]
  /// The picture; nil without one.
  public var picture: Picture?

  /// The greatest number of walls.
  static let mostWalls = 20_000
  /// The greatest size of a picture, in bytes.
  static let mostPictureBytes = 16 << 20

  private static let columns = ["x0", "y0", "x1", "y1"].map {
    ColumnName("\($0)_m", [$0], .length, isRequired: true)
  }

  /// Reads a floor plan.
  ///
  /// - Parameters:
  ///   - walls: The path of a CSV file `x0_m,y0_m,x1_m,y1_m`, one wall per row; nil without walls.
  ///   - picture: The path of a PNG or JPEG file; nil without a picture.
  ///   - area: What the picture shows, in metres; nil for the whole map.
  /// - Throws: ``RecordingError`` if a file cannot be read, a row is no wall, or the picture is neither
  ///   PNG nor JPEG.
  public init(
    walls: String?, picture: String?,
    area: (x: ClosedRange<Double>, y: ClosedRange<Double>)? = nil
  ) throws(RecordingError) {
    self.walls = []
    if let walls { self.walls = try Self.walls(in: try ByteSource(path: walls)) }
    guard let picture else { return }
    let bytes = try ByteSource.readWhole(picture, mostBytes: Self.mostPictureBytes)
    let mediaType: String
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) {
      mediaType = "image/png"
    } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
      mediaType = "image/jpeg"
    } else {
      throw .badData(path: picture, line: nil, reason: "the picture is neither PNG nor JPEG")
    }
    self.picture = Picture(bytes: bytes, mediaType: mediaType, area: area)
  }

  private static func walls(in source: ByteSource) throws(RecordingError) -> [Wall] {
    var scanner = try CSVScanner(atHeaderOf: source)
    let header = try CSVHeader(at: scanner, columns: columns, path: source.path)
    var walls: [Wall] = []
    while scanner.next() {
      let row = NumericRow(scanner: scanner, header: header)
      do throws(RowFault) {
        try row.check()
        walls.append(
          Wall(
            from: Vector([try row.coordinate(0), try row.coordinate(1)]),
            to: Vector([try row.coordinate(2), try row.coordinate(3)])))
      } catch {
        throw .badData(path: source.path, line: scanner.line, reason: error.reason)
      }
      guard walls.count <= mostWalls else {
        throw .badData(
          path: source.path, line: scanner.line, reason: "there are more than \(mostWalls) walls")
      }
    }
    return walls
  }
}

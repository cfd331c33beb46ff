import ArgumentParser
import Fathom
import FathomRecordings
import Foundation

/// Locates tags with anchors, from measurements on the command line or from the epochs of a file.
struct LocatedEpochs {
  /// Path of the anchors; empty when the ranges file itself has them.
  private let path: String
  private let reading: RecordingOptions
  private let measurements: MeasurementArguments
  private var position: PositionArguments

  /// Creates the request with the anchors in the file at `path`, or those in a device log.
  init(
    anchors path: String?, _ measurements: MeasurementArguments, _ position: PositionArguments,
    reading: RecordingOptions = RecordingOptions()
  ) {
    self.path =
      path.map { FoundFile.isFolderOrArchive($0) ? OutputFile.path(of: "anchors.csv", in: $0) : $0 }
      ?? ""
    self.reading = reading
    self.measurements = measurements
    self.position = position
  }

  /// Returns all positions, in order of time.
  ///
  /// - Throws: `RecordingError` if a file cannot be read or an anchor is unknown.
  mutating func positions() throws -> [LocatedPosition] {
    if let ranges = measurements.ranges { return try epochs(ofRanges: ranges) }
    let declared = try AnchorsReader.read(path, options: reading)
    for note in declared.notes { Console.message("\(path): note: \(note)") }
    use(declared.isPlanar)
    if let differences = measurements.differences {
      return try epochs(ofDifferences: differences, declared)
    }
    if !measurements.difference.isEmpty {
      let differences = try measurements.difference.map { text in
        let (names, metres) = try measurements.pair(text)
        let (first, second) = try pair(names, declared)
        return TimeDifference(first: first, second: second, difference: metres)
      }
      return [try solve(differences, declared)]
    }
    if !measurements.bearing.isEmpty { return [try sightings(declared)] }
    let measured = try measurements.range.map { text in
      let (name, metres) = try measurements.distance(text)
      let index = try index(of: name, declared)
      return MeasuredRange(
        name: name, anchor: declared.anchors[index], distance: metres, sigma: nil)
    }
    return [try solve(measured)]
  }

  /// Solves in the plane of anchors without heights, unless a height is known.
  private mutating func use(_ isPlanar: Bool) {
    if isPlanar, position.known.place.height == nil { position.known.place.height = 0 }
  }

  // MARK: Ranges

  private mutating func epochs(ofRanges file: String) throws -> [LocatedPosition] {
    let recording = try RecordingReader.read(
      file, anchors: path.isEmpty ? nil : path, options: reading)
    use(recording.isPlanar)
    for warning in recording.warnings { Console.message("\(file): warning: \(warning)") }
    guard !recording.anchors.isEmpty else {
      throw RecordingError.badData(
        path: path.isEmpty ? file : path, line: nil,
        reason: path.isEmpty ? "there are no anchors; give --anchors" : "there are no anchors")
    }
    try recording.requireUsableRows()
    Recording.report(recording.rejected, of: file)
    let columns = recording.ranges
    let (contradictions, wrongTimes) = recording.contradictions(position.settings)
    for warning in contradictions { Console.message("\(file): warning: \(warning)") }
    return try RowEpoch.epochs(of: recording, window: measurements.window).map { epoch in
      let measured = epoch.rows.compactMap { index -> MeasuredRange? in
        let anchor = Int(columns.anchor[index])
        guard anchor < recording.anchors.count else { return nil }
        return MeasuredRange(
          name: recording.anchorNames[anchor], anchor: recording.anchors[anchor],
          distance: columns.distance[index], sigma: columns[.sigma]?[index])
      }
      var found = try solve(measured)
      if wrongTimes?.contains(epoch.time) == true { found.contradict() }
      found.epoch = (epoch.time.seconds, recording.tagNames[epoch.tag])
      return found
    }
  }

  private func solve(_ measured: [MeasuredRange]) throws -> LocatedPosition {
    let names = measured.map(\.name)
    let anchors = measured.map(\.anchor.position)
    let prior = try position.positionPrior()
    return try solving {
      () throws(TrilaterationError) in
      if measurements.commonOffset {
        let result = try PseudoRanges.solve(
          ranges: measured.map { $0.anchor.corrected($0.distance) }, anchors: anchors,
          sigmas: measured.map { $0.usableSigma ?? position.rangeSigma },
          covariances: measured.map(\.anchor.covariance), prior: prior, within: position.bounds,
          options: position.options())
        var found = LocatedPosition(names: names, fix: result.fix)
        found.offset = LocatedOffset(
          value: result.offset, sigma: result.offsetSigma, alternative: result.alternativeOffset)
        return found
      }
      let fix = try Trilateration.solve(
        ranges: measured.map(\.corrected), anchors: anchors,
        sigmas: measured.map { $0.sigmaWithAnchor(position.rangeSigma) }, prior: prior,
        within: position.bounds, options: position.options())
      return LocatedPosition(names: names, fix: fix)
    }
  }

  // MARK: Differences

  private func epochs(
    ofDifferences file: String, _ declared: DeclaredAnchors
  ) throws -> [LocatedPosition] {
    if file == "-", path == "-" {
      throw RecordingError.badData(
        path: "-", line: nil, reason: "differences and anchors cannot both be standard input")
    }
    guard !declared.anchors.isEmpty else {
      throw RecordingError.badData(path: path, line: nil, reason: "there are no anchors")
    }
    let recorded = try TimeDifferencesReader.read(file, declared: declared.names)
    Recording.report(recorded.rejected, of: file)
    return try recorded.epochs(window: measurements.window).map { epoch in
      let differences = epoch.rows.map { index in
        let row = recorded.rows[index]
        return TimeDifference(first: row.first, second: row.second, difference: row.difference)
      }
      var found = try solve(differences, declared)
      found.epoch = (epoch.time.seconds, recorded.tagNames[epoch.tag])
      return found
    }
  }

  private func solve(
    _ differences: [TimeDifference], _ declared: DeclaredAnchors
  ) throws -> LocatedPosition {
    let prior = try position.positionPrior()
    return try solving {
      () throws(TrilaterationError) in
      let result = try TimeDifferences.solve(
        differences: differences.map { declared.corrected($0) },
        anchors: declared.anchors.map(\.position),
        covariances: declared.anchors.map(\.covariance), prior: prior, within: position.bounds,
        options: position.options(differenceSigma: measurements.differenceSigma))
      var found = LocatedPosition(
        names: differences.map { "\(declared.names[$0.first]):\(declared.names[$0.second])" },
        fix: result.fix)
      found.arrivals = zip(declared.names, result.arrivals).map { ($0, $1) }
      found.impossible = result.impossible
      return found
    }
  }

  /// Returns the indices of the two anchors in `FIRST:SECOND`.
  ///
  /// Names may contain colons: every colon is tried, and exactly one must separate two known names.
  private func pair(_ names: String, _ declared: DeclaredAnchors) throws -> (Int, Int) {
    var found: [(Int, Int)] = []
    for colon in names.indices where names[colon] == ":" {
      guard let first = declared.names.firstIndex(of: String(names[..<colon])),
        let second = declared.names.firstIndex(of: String(names[names.index(after: colon)...]))
      else { continue }
      found.append((first, second))
    }
    guard let only = found.first else {
      let parts = names.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
      for name in parts.count == 2 ? parts : [] { _ = try index(of: name, declared) }
      throw RecordingError.badData(
        path: path, line: nil, reason: "\"\(names)\" does not name two anchors (\(known(declared)))"
      )
    }
    guard found.count == 1 else {
      throw RecordingError.badData(
        path: path, line: nil, reason: "\"\(names)\" matches more than one pair of anchors")
    }
    if only.0 == only.1 {
      throw RecordingError.badData(
        path: path, line: nil, reason: "\"\(names)\" names the same anchor twice")
    }
    return only
  }

  // MARK: Bearings

  private func sightings(_ declared: DeclaredAnchors) throws -> LocatedPosition {
    var names: [String] = []
    var sightings: [Sighting] = []
    for text in measurements.bearing {
      let (name, azimuth, elevation) = try measurements.angles(text)
      let anchor = declared.anchors[try index(of: name, declared)]
      names.append(name)
      var sighting = Sighting.bearing(
        from: anchor.position, azimuth: azimuth, elevation: elevation,
        sigma: Angle(degrees: measurements.bearingSigma))
      sighting.anchorCovariance = anchor.covariance
      sightings.append(sighting)
    }
    for text in measurements.range {
      let (name, metres) = try measurements.distance(text)
      let anchor = declared.anchors[try index(of: name, declared)]
      if !names.contains(name) {
        names.append(name)
        sightings.append(
          Sighting(
            anchor: anchor.position, orientation: .identity, anchorCovariance: anchor.covariance))
      }
      guard let index = names.firstIndex(of: name) else { continue }
      sightings[index].range = anchor.corrected(metres)
      sightings[index].rangeSigma = position.rangeSigma
    }
    let prior = try position.positionPrior()
    return try solving {
      () throws(TrilaterationError) in
      let result = try RangesAndAngles.solve(
        sightings, prior: prior, within: position.bounds, options: position.options())
      var found = LocatedPosition(names: names, fix: result.fix)
      found.bearings = (result.azimuths, result.elevations)
      return found
    }
  }

  // MARK: Anchors

  private func index(of name: String, _ declared: DeclaredAnchors) throws -> Int {
    if let index = declared.names.firstIndex(of: name) { return index }
    let near = AnchorSpellings(declared.names).near(name).map { "; is it \"\($0)\"?" } ?? ""
    throw RecordingError.badData(
      path: path, line: nil, reason: "there is no anchor \"\(name)\" (\(known(declared)))\(near)")
  }

  private func known(_ declared: DeclaredAnchors) -> String {
    "there are: \(declared.names.joined(separator: ", "))"
  }

  private func solving(
    _ body: () throws(TrilaterationError) -> LocatedPosition
  ) throws -> LocatedPosition {
    do throws(TrilaterationError) {
      return try body()
    } catch {
      throw RecordingError.badData(
        path: path, line: nil, reason: "these anchors cannot be used: \(error)")
    }
  }
}

/// A measured distance to an anchor, in metres, with its own standard deviation if it has one.
struct MeasuredRange {
  var name: String
  var anchor: Anchor
  var distance: Double
  var sigma: Double?

  /// The distance with the anchor's bias and scale removed.
  ///
  /// A value that is absent, such as NaN, is returned unchanged.
  var corrected: Double {
    MeasuredDistance.absence(of: distance) == nil ? anchor.corrected(distance) : distance
  }

  /// The distance's own standard deviation; nil unless it is finite and above zero.
  var usableSigma: Double? { sigma.flatMap { $0 > 0 && $0.isFinite ? $0 : nil } }

  /// Returns the standard deviation combined with that of the anchor's position, in metres.
  ///
  /// `fallback` applies if the distance has none of its own.
  func sigmaWithAnchor(_ fallback: Double) -> Double {
    hypot(usableSigma ?? fallback, anchor.positionSigma ?? 0)
  }
}

extension Anchor {
  /// The covariance of the position, in m²; nil if the position is exact or its error unknown.
  var covariance: Matrix<3, 3>? {
    positionSigma.flatMap { $0 > 0 ? $0 * $0 * .identity : nil }
  }
}

extension DeclaredAnchors {
  /// Returns `difference` with the biases of its anchors removed.
  ///
  /// Scales are not applied: they need the two distances, which a difference does not give.
  func corrected(_ difference: TimeDifference) -> TimeDifference {
    var result = difference
    result.difference -= anchors[difference.first].bias - anchors[difference.second].bias
    return result
  }
}

extension Recording {
  /// Prints the first five rejected rows of the file at `path`, and the number of the others.
  static func report(_ rejected: RejectedRows, of path: String) {
    for row in rejected.prefix(5) {
      Console.message("\(path):\(row.line): rejected: \(row.reason)")
    }
    if rejected.total > 5 {
      Console.message("\(path): further rejected rows: \(rejected.total - 5)")
    }
  }
}

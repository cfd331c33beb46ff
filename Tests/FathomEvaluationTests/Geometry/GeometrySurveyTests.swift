import Fathom
import FathomRecordings
import TestSupport
import Testing

@testable import FathomEvaluation

@Suite struct GeometrySurveyTests {
  private func declared(_ places: [Vector<3>], sigma: Double? = nil) -> DeclaredAnchors {
    var declared = DeclaredAnchors()
    for (index, place) in places.enumerated() {
      declared.names.append("A\(index)")
      declared.anchors.append(Anchor(position: place, positionSigma: sigma))
    }
    return declared
  }

  private let room: [Vector<3>] = [
    Vector([0, 0, 2]), Vector([10, 0, 1]), Vector([10, 6, 2]), Vector([0, 6, 1]),
  ]

  private var settings: GeometrySurvey.Settings {
    var settings = GeometrySurvey.Settings()
    settings.height = 1
    settings.step = 0.6
    return settings
  }

  @Test func everyCellMatchesTheBound() throws {
    let survey = try GeometrySurvey(declared(room), settings)
    #expect(survey.grid.area == FloorArea(x: -1...11, y: -1...7))
    #expect(survey.grid.columns == 20 && survey.grid.rows == 14)
    #expect(survey.situation.isHeightKnown && survey.vertical == nil)
    for cell in stride(from: 0, to: survey.grid.count, by: 17) {
      let (x, y) = survey.grid.centre(cell)
      let bound = try CramerRaoBound(
        at: Vector([x, y, 1]), anchors: survey.anchors,
        measuring: ExpectedMeasurements(.range), isHeightKnown: true)
      #expect(survey.errors.horizontal[cell] == bound.horizontalSigma)
      #expect(survey.errors.radius95[cell] == bound.radius(holding: 0.95))
    }
    let errors = survey.errors.horizontal.sorted()
    #expect(survey.horizontal.worst == errors.last && survey.horizontal.undetermined == 0)
    #expect(survey.undetermined == nil && survey.unchecked == 0)
    let worst = try #require(survey.worst.first)
    #expect(survey.errors.horizontal[worst.cell] == errors.last)
    #expect(survey.worst.count == 3 && survey.losses.count == 4)
    // Far apart and in falling order.
    for (one, other) in zip(survey.worst, survey.worst.dropFirst()) {
      let (dx, dy) = (one.x - other.x, one.y - other.y)
      #expect((dx * dx + dy * dy).squareRoot() >= 0.25 * survey.grid.area.diagonal)
      #expect(survey.errors.horizontal[one.cell] >= survey.errors.horizontal[other.cell])
    }
  }

  @Test func withoutHeightBothErrorsAreReported() throws {
    var settings = settings
    settings.height = nil
    let survey = try GeometrySurvey(declared(room), settings)
    #expect(!survey.situation.isHeightKnown && survey.situation.height == 1.2)
    #expect(survey.vertical != nil)
    settings.height = 1
    settings.solvesHeight = true
    let forced = try GeometrySurvey(declared(room), settings)
    #expect(!forced.situation.isHeightKnown && forced.situation.height == 1)
    // Estimating the height increases the horizontal error.
    let known = try GeometrySurvey(declared(room), self.settings)
    for (free, given) in zip(forced.errors.horizontal, known.errors.horizontal) {
      #expect(free >= given * (1 - 1e-9))
    }
    // All anchors are lower than a carried tag, so the height is their mean.
    let low = declared(room.map { Vector([$0[0], $0[1], 0.1 * $0[2]]) })
    #expect(isClose(GeometrySurvey.plausibleHeight(among: low.anchors), 0.15, within: 1e-12))
  }

  @Test func surveyIsInvariantUnderRotation() throws {
    // A rotation by 90°: x becomes y, y becomes -x, and the cells rotate as well.
    var settings = settings
    settings.area = FloorArea(x: -1...12, y: -2...7)
    let survey = try GeometrySurvey(declared(room), settings)
    settings.area = FloorArea(x: -7...2, y: -1...12)
    let turned = try GeometrySurvey(
      declared(room.map { Vector([-$0[1], $0[0], $0[2]]) }), settings)
    let (columns, rows) = (survey.grid.columns, survey.grid.rows)
    #expect(turned.grid.columns == rows && turned.grid.rows == columns)
    for row in 0..<rows {
      for column in 0..<columns {
        let there = column * rows + (rows - 1 - row)
        #expect(
          isClose(
            survey.errors.horizontal[row * columns + column], turned.errors.horizontal[there],
            within: 1e-9))
      }
    }
    for (one, other) in zip(survey.losses, turned.losses) {
      #expect(
        isClose(one.horizontal.p95 ?? .nan, other.horizontal.p95 ?? -1, within: 1e-9))
    }
  }

  /// For any layout and any measurements, removing an anchor never helps and adding one never
  /// harms.
  @Test func additionalAnchorsNeverIncreaseTheError() throws {
    var generator = SeededGenerator(seed: 801)
    let kinds: [ExpectedMeasurements.Kinds] = [.range, .arrival, .angles, [.range, .angles]]
    for trial in 0..<12 {
      let places = (0..<(1 + trial % 5)).map { _ in
        Vector<3>([
          generator.uniform(in: 0...9), generator.uniform(in: 0...6), generator.uniform(in: 1...3),
        ])
      }
      var settings = settings
      settings.step = 1
      settings.area = FloorArea(x: -1...10, y: -1...7)
      settings.measuring = ExpectedMeasurements(kinds[trial % 4])
      settings.measuring.maximumRange = trial % 2 == 0 ? 8 : nil
      settings.solvesHeight = trial % 3 == 0
      let survey = try GeometrySurvey(declared(places, sigma: 0.05), settings)
      for change in survey.losses {
        #expect(!change.horizontal.isBetter(than: survey.horizontal), "seed 801, trial \(trial)")
        #expect(change.horizontal.undetermined >= survey.horizontal.undetermined)
      }
      for addition in survey.additions {
        #expect(addition.horizontal.isBetter(than: survey.horizontal), "seed 801, trial \(trial)")
        #expect(addition.horizontal.undetermined <= survey.horizontal.undetermined)
        let with = try GeometrySurvey(
          declared(places + [addition.position], sigma: 0.05), settings)
        #expect(with.horizontal == addition.horizontal, "seed 801, trial \(trial)")
        for (before, after) in zip(survey.errors.horizontal, with.errors.horizontal) {
          #expect(after <= before * (1 + 1e-9), "seed 801, trial \(trial)")
        }
      }
      #expect(survey.additions.isEmpty || survey.additions.contains { $0.isOnBorder })
    }
  }

  @Test func losingADominantAnchorIncreasesTheError() throws {
    // Three anchors are on one side of a corridor and one on the other. Without that one, the three
    // and the tag are nearly collinear, and the position across the corridor is poorly determined.
    let places: [Vector<3>] = [
      Vector([0, 0, 1]), Vector([10, 0, 1]), Vector([20, 0, 1]), Vector([10, 8, 1]),
    ]
    let survey = try GeometrySurvey(declared(places), settings)
    let costs = survey.losses.map { $0.horizontal.p95 ?? .infinity }
    #expect(costs.firstIndex(of: costs.max() ?? 0) == 3)
    // The best position of an additional anchor is away from their line.
    #expect(try #require(survey.additions.first).position[1] > 4)
  }

  /// No random position is better than the best addition, except by the resolution of the search
  /// grid.
  @Test func noRandomPositionBeatsTheAddition() throws {
    var generator = SeededGenerator(seed: 802)
    var settings = settings
    settings.step = 1
    let survey = try GeometrySurvey(declared(room), settings)
    let best = try #require(survey.additions.first?.horizontal.p95)
    let now = try #require(survey.horizontal.p95)
    #expect(best < now)
    var good = 0
    for _ in 0..<40 {
      let place = Vector<3>([
        generator.uniform(in: -1...11), generator.uniform(in: -1...7),
        survey.situation.newAnchorHeight,
      ])
      let errors = try survey.grid.bounds(
        survey.anchors + [Anchor(position: place)], survey.situation
      ).horizontalErrors
      let other = try #require(ErrorSpread(errors, limit: 100).p95)
      #expect(other >= best - 0.05 * (now - best), "seed 802: \(place)")
      good += other < now - 0.9 * (now - best) ? 1 : 0
    }
    // The positions are not all equally good.
    #expect(good < 20, "seed 802: \(good)")
  }

  @Test func cellsOutOfRangeAreUndetermined() throws {
    var settings = settings
    settings.measuring.maximumRange = 7
    let survey = try GeometrySurvey(declared(room), settings)
    // Two ranges determine a position; three make it unique.
    for cell in 0..<survey.grid.count where survey.errors.measurements[cell] < 2 {
      #expect(survey.errors.horizontal[cell] == .infinity)
    }
    #expect(survey.unchecked > 0.3 && survey.unchecked < 1)
    let alone = try GeometrySurvey(declared([room[0]]), settings)
    #expect(alone.horizontal.undetermined == 1 && alone.worst.isEmpty)
    let middle = try #require(alone.undetermined)
    // Around one anchor the area is symmetric, so its centre is near the anchor.
    #expect((middle.x * middle.x + middle.y * middle.y).squareRoot() < 1)
    #expect(!alone.additions.isEmpty && alone.horizontal.p95 == nil)
  }

  @Test func collinearOrCoplanarAnchorsHaveMirrorImages() throws {
    let shift = Vector<3>([5e5, 5e6, 0])
    let row = (0..<4).map { shift + Vector([3 * Double($0), 4 * Double($0), 2]) }
    let ceiling = room.map { shift + Vector([$0[0], $0[1], 3]) }
    var solved = settings
    solved.solvesHeight = true
    var angles = settings
    angles.measuring = ExpectedMeasurements([.range, .azimuth])
    for (places, settings, expected) in [
      (row, settings, true), (row, angles, false), (ceiling, settings, false),
      (ceiling, solved, true), (room, solved, false), ([room[0], room[1]], settings, true),
    ] {
      let survey = try GeometrySurvey(declared(places), settings)
      #expect(survey.hasMirrorImages == expected, "\(places)")
    }
  }

  /// A side distinguishes images above and below the anchors, not those in front of a wall or
  /// beside a line.
  @Test func sideDistinguishesMirrorImages() throws {
    let ceiling = room.map { Vector<3>([$0[0], $0[1], 3]) }
    let floor = room.map { Vector<3>([$0[0], $0[1], 0.2]) }
    let wall = room.map { Vector<3>([$0[0], 4 + 0.001 * $0[2], $0[1]]) }
    let row = (0..<4).map { Vector<3>([3 * Double($0), 4 * Double($0), 2]) }
    var solved = settings
    solved.solvesHeight = true
    let cases: [([Vector<3>], GeometrySurvey.Settings, AnchorSide?)] = [
      (ceiling, solved, .below), (floor, solved, .above), (wall, solved, nil),
      (row, settings, nil), (row, solved, nil), (room, solved, nil),
    ]
    for (places, settings, helpful) in cases {
      let open = try GeometrySurvey(declared(places), settings)
      #expect(open.helpfulSide == helpful, "\(places)")
      for side in AnchorSide.allCases {
        var sided = settings
        sided.side = side
        let told = try GeometrySurvey(declared(places), sided)
        #expect(told.hasMirrorImages == (open.hasMirrorImages && helpful == nil), "\(places)")
        #expect(told.situation.side == side && told.helpfulSide == nil)
        #expect(told.errors == open.errors)
      }
    }
  }

  @Test func rejectsInvalidInput() throws {
    func failure(
      _ declared: DeclaredAnchors, _ change: (inout GeometrySurvey.Settings) -> Void
    ) -> GeometrySurvey.Failure? {
      var settings = settings
      change(&settings)
      do throws(GeometrySurvey.Failure) {
        _ = try GeometrySurvey(declared, settings)
        return nil
      } catch { return error }
    }
    #expect(failure(DeclaredAnchors()) { _ in } == .noAnchors)
    #expect(
      failure(DeclaredAnchors()) { $0.area = FloorArea(x: 0...1, y: 0...1) } == .noAnchors)
    #expect(
      failure(declared(room)) { $0.area = FloorArea(x: 0...1, y: 2...2) } == .areaIsEmpty)
    #expect(failure(declared(room)) { $0.step = 1e-4 } == .tooManyCells)
    #expect(failure(declared(room)) { $0.height = .nan } == .input(.heightNotFinite))
    #expect(
      failure(declared(room)) { $0.measuring.rangeSigma = 0 }
        == .input(.sigmaNotPositive(index: 0)))
  }

  @Test func writesTheMapAsCSV() throws {
    var settings = settings
    settings.step = 6
    settings.measuring.maximumRange = 5
    settings.solvesHeight = true
    let survey = try GeometrySurvey(declared(room), settings)
    let lines = String(decoding: survey.map, as: UTF8.self).split(separator: "\n")
    #expect(lines.first == "x_m,y_m,horizontal_m,vertical_m,cep_m,radius_95_m,measurements")
    #expect(lines.count == survey.grid.count + 1)
    // Within 5 m of (2, 1) there is one anchor, so the cell is undetermined.
    #expect(lines[1] == "2.0000,1.0000,,,,,1")
  }
}

import Fathom
import Foundation

extension LocatedPosition {
  /// The fix as a line of JSON; what is not determined is null.
  func json() -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Every number is finite or left out, so that nothing is left to fail.
    let data = (try? encoder.encode(self)) ?? Data("null".utf8)
    return String(decoding: data, as: UTF8.self)
  }
}

extension LocatedPosition: Encodable {
  private enum Key: String, CodingKey {
    case position = "position_m"
    case alternative = "alternative_m"
    case covariance = "covariance_m2"
    case verdict
    case misfit = "misfit_m"
    case residuals = "residuals_m"
    case weights
    case influences
    case alternativeCovariance = "alternative_covariance_m2"
    case ellipsoid = "ellipsoid_95"
    case condition
    case undetermined
    case time = "time_s"
    case tag
    case discounted
    case dilution
    case iterations
    case accessory
    case offset = "offset_m"
    case offsetSigma = "offset_sigma_m"
    case alternativeOffset = "alternative_offset_m"
    case impossible
    case arrivals = "arrivals_m"
    case arrivalWeights = "arrival_weights"
    case azimuths = "azimuth_residuals_deg"
    case azimuthWeights = "azimuth_weights"
    case elevations = "elevation_residuals_deg"
    case elevationWeights = "elevation_weights"
  }

  private enum EllipsoidKey: String, CodingKey {
    case semiAxes = "semi_axes_m"
    case directions
  }

  private enum DilutionKey: String, CodingKey {
    case geometric = "gdop"
    case position = "pdop"
    case horizontal = "hdop"
    case vertical = "vdop"
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(fix.position?.array, forKey: .position)
    try container.encode(fix.alternative?.array, forKey: .alternative)
    let unknown = [[Double?]](repeating: [nil, nil, nil], count: 3)
    try container.encode(finite(fix.covariance) ?? unknown, forKey: .covariance)
    try container.encode(finite(fix.alternativeCovariance), forKey: .alternativeCovariance)
    if let epoch {
      try container.encode(epoch.time, forKey: .time)
      try container.encode(epoch.tag, forKey: .tag)
    }
    try container.encode(fix.verdict.rawValue, forKey: .verdict)
    try container.encode(fix.misfit, forKey: .misfit)
    let shares = Dictionary(zip(names, fix.contributions), uniquingKeysWith: { first, _ in first })
    try container.encode(shares.mapValues { $0?.residual }, forKey: .residuals)
    try container.encode(shares.mapValues { $0?.weight }, forKey: .weights)
    try container.encode(shares.mapValues { $0?.influence }, forKey: .influences)
    try container.encode(fix.condition, forKey: .condition)
    try container.encode(fix.undetermined.map { $0.array }, forKey: .undetermined)
    if let ellipsoid = fix.confidenceEllipsoid {
      var nested = container.nestedContainer(keyedBy: EllipsoidKey.self, forKey: .ellipsoid)
      try nested.encode(ellipsoid.semiAxes.array, forKey: .semiAxes)
      try nested.encode(ellipsoid.directions.array, forKey: .directions)
    } else {
      try container.encodeNil(forKey: .ellipsoid)
    }
    try encodeKind(to: &container)
    try container.encode(fix.discounted.map { names[$0] }, forKey: .discounted)
    try container.encode(fix.iterations, forKey: .iterations)
    guard let dilution = fix.dilution else {
      try container.encodeNil(forKey: .dilution)
      return
    }
    var nested = container.nestedContainer(keyedBy: DilutionKey.self, forKey: .dilution)
    try nested.encode(dilution.geometric, forKey: .geometric)
    try nested.encode(dilution.position, forKey: .position)
    try nested.encode(dilution.horizontal, forKey: .horizontal)
    try nested.encode(dilution.vertical, forKey: .vertical)
  }

  /// What only some kinds of measurements have.
  private func encodeKind(to container: inout KeyedEncodingContainer<Key>) throws {
    if let accessory { try container.encode(accessory, forKey: .accessory) }
    if let offset {
      try container.encode(offset.value, forKey: .offset)
      try container.encode(offset.sigma, forKey: .offsetSigma)
      try container.encode(offset.alternative, forKey: .alternativeOffset)
    }
    if let arrivals {
      let shares = Dictionary(
        arrivals.map { ($0.name, $0.share) }, uniquingKeysWith: { first, _ in first })
      try container.encode(shares.mapValues { $0?.residual }, forKey: .arrivals)
      try container.encode(shares.mapValues { $0?.weight }, forKey: .arrivalWeights)
      try container.encode(impossible.map { names[$0] }, forKey: .impossible)
    }
    if let bearings {
      let azimuths = named(bearings.azimuths)
      let elevations = named(bearings.elevations)
      try container.encode(azimuths.mapValues { $0?.residual.degrees }, forKey: .azimuths)
      try container.encode(azimuths.mapValues { $0?.weight }, forKey: .azimuthWeights)
      try container.encode(elevations.mapValues { $0?.residual.degrees }, forKey: .elevations)
      try container.encode(elevations.mapValues { $0?.weight }, forKey: .elevationWeights)
    }
  }

  /// Values by the names of their measurements.
  private func named<Value>(_ values: [Value?]) -> [String: Value?] {
    Dictionary(zip(names, values), uniquingKeysWith: { first, _ in first })
  }

  /// A matrix as rows of numbers, nil for those that are none.
  private func finite(_ matrix: Matrix<3, 3>?) -> [[Double?]]? {
    matrix?.array.map { row in row.map { $0.isFinite ? $0 : nil } }
  }
}

import Foundation
import TestSupport

@testable import Fathom

/// The oracle of directions, antenna-array angles and wrapping; see `Oracles/angles/SOURCE.md`.
struct AnglesOracle: Decodable {
  struct Cartesian: Decodable {
    let id: String
    let x, y, z: Double
    let sign_bits: [Bool]
    let azimuth_rad, elevation_rad, distance, aoa_azimuth_rad, tol_rad: Double

    /// The position, including the signs of zeros.
    var position: Vector<3> {
      Vector([
        sign_bits[0] ? -x.magnitude : x, sign_bits[1] ? -y.magnitude : y,
        sign_bits[2] ? -z.magnitude : z,
      ])
    }

    /// Returns the tolerance for a result near `expected`: 4 units in the last place plus the
    /// oracle's own.
    func tolerance(_ expected: Double) -> Double { tol_rad + 4 * expected.ulp }
  }

  /// A unit test of the Android stack: a call as text, and its expected value.
  ///
  /// The cases for filters, which other suites use, have no call.
  struct Android: Decodable {
    let test: String
    let call: String?
    let azimuth, elevation, azimuth_deg, elevation_deg, distance, value, tol: Double?

    /// The numbers in the parentheses of the call.
    var arguments: [Double] {
      guard let call, let open = call.firstIndex(of: "("), let close = call.firstIndex(of: ")")
      else { return [] }
      return call[call.index(after: open)..<close].split(separator: ",").compactMap {
        Double($0.hasSuffix("f") ? String($0.dropLast()) : String($0))
      }
    }

    var expectedAzimuth: Angle? {
      azimuth.map { Angle(radians: $0) } ?? azimuth_deg.map { Angle(degrees: $0) }
    }
    var expectedElevation: Angle? {
      elevation.map { Angle(radians: $0) } ?? elevation_deg.map { Angle(degrees: $0) }
    }
  }

  struct Wrap: Decodable {
    let deg, half_open_upper_inclusive: Double
  }

  let cartesian: [Cartesian]
  let aosp_tests: [Android]
  let wrap_degrees: [Wrap]

  static func load() throws -> Self { try oracle("angles/angles.json", in: .module) }

  /// Returns the Android cases of the test classes whose names begin with `prefix`.
  static func android(_ prefix: String) throws -> [Android] {
    try load().aosp_tests.filter { $0.test.hasPrefix(prefix) }
  }
}

/// Returns whether two angles differ by at most `tolerance` radians, modulo whole turns.
func isSameAngle(_ left: Angle, _ right: Angle, within tolerance: Double) -> Bool {
  left.difference(from: right).radians.magnitude <= tolerance
}

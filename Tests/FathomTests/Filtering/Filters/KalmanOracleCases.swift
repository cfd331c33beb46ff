import Foundation
import TestSupport

@testable import Fathom

// The formats of the reference cases of filters and smoothers, named as in their files.

struct ShapeMismatch: Error {}

extension Vector {
  /// Creates a vector from the elements of an oracle, whose number must match.
  init(oracle array: [Double]) throws {
    guard let vector = Vector(array: array) else { throw ShapeMismatch() }
    self = vector
  }
}

extension Matrix {
  /// Creates a matrix from the elements of an oracle, whose shape must match.
  init(oracle array: [[Double]]) throws {
    guard let matrix = Matrix(array: array) else { throw ShapeMismatch() }
    self = matrix
  }
}

/// One matrix, or one matrix per step.
enum PerStep: Decodable {
  case constant([[Double]])
  case each([[[Double]]])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let matrix = try? container.decode([[Double]].self) {
      self = .constant(matrix)
    } else {
      self = .each(try container.decode([[[Double]]].self))
    }
  }

  func step(_ index: Int) -> [[Double]] {
    switch self {
    case .constant(let matrix): matrix
    case .each(let matrices): matrices[index]
    }
  }
}

struct LinearCase: Decodable {
  struct Expected: Decodable {
    var x_predicted: [[Double]]
    var P_predicted: [[[Double]]]
    var x_filtered: [[Double]]
    var P_filtered: [[[Double]]]
    var loglik: Double
    var loglik_steps: [Double]?
  }

  var order: String
  var F: PerStep
  var Q: PerStep
  var H: [[Double]]
  var R: [[Double]]
  var x0: [Double]
  var P0: [[Double]]
  var z: [[Double?]]
  var expected: Expected

  static func load(_ name: String) throws -> LinearCase {
    try oracle("kalman/\(name).json", in: .module)
  }

  func prior<let N: Int>() throws -> Gaussian<N> {
    Gaussian(
      mean: try Vector<N>(oracle: x0), covariance: try Matrix<N, N>(oracle: P0))
  }

  func filter() throws -> KalmanFilter<2, 1> {
    KalmanFilter(
      state: try prior(), observation: try Matrix<1, 2>(oracle: H),
      noise: try Matrix<1, 1>(oracle: R))
  }
}

/// A linear filter with the same matrices at every step, and its expected results.
struct ConstantCase<Expected: Decodable>: Decodable {
  var alpha: Double?
  var x0: [Double]
  var P0: [[Double]]
  var F: [[Double]]
  var H: [[Double]]
  var R: [[Double]]
  var Q: [[Double]]
  var z: [Double]
  var expected: Expected

  func filter() throws -> KalmanFilter<2, 1> {
    KalmanFilter(
      state: Gaussian(
        mean: try Vector<2>(oracle: x0), covariance: try Matrix<2, 2>(oracle: P0)),
      observation: try Matrix<1, 2>(oracle: H), noise: try Matrix<1, 1>(oracle: R))
  }
}

struct AfterPredict: Decodable {
  var x_after_predict: [[Double]]
  var P_after_predict: [[[Double]]]
}

struct Filtered: Decodable {
  var x_filtered: [[Double]]
  var P_filtered: [[[Double]]]
}

struct Smoothed: Decodable {
  var x_smoothed: [[Double]]
  var P_smoothed: [[[Double]]]
  var gain: [[[Double]]]
}

/// Means, covariances and normalised squares of a nonlinear filter at every step.
struct Moments: Decodable {
  var x: [[Double]]
  var P: [[[Double]]]
  var NIS: [Double]?
}

/// Ranges to four anchors in the plane.
struct FourRangesCase: Decodable {
  var anchors: [[Double]]
  var dt: Double
  var x0: [Double]
  var P0: [[Double]]
  var F: [[Double]]
  var Q: [[Double]]
  var R_diag: Double
  var z: [[Double?]]
  var expected: Moments

  func prior() throws -> Gaussian<4> {
    Gaussian(mean: try Vector<4>(oracle: x0), covariance: try Matrix<4, 4>(oracle: P0))
  }
}

struct NileCase: Decodable {
  var h: Double
  var V: Double
  var a0: Double
  var Pn: Double
  var y: [Double]
  var filtered: [Double]
  var std_resid: [Double]
  var smoothed: [Double]
  var smoothed_var: [Double]
}

struct RobotCase: Decodable {
  struct Expected: Decodable {
    var x_filtered: [[Double]]
  }

  var F: [[Double]]
  var H: [[Double]]
  var Q: [[Double]]
  var R: [[Double]]
  var b: [[Double]]
  var d: [Double]
  var x0: [Double]
  var P0: [[Double]]
  var z: [[Double?]]
  var expected: Expected
}

struct BiermanFile: Decodable {
  struct Case: Decodable {
    struct Expected: Decodable {
      var P: [[Double]]
      var x: [Double]
    }

    var epsilon: Double
    var H: [[Double]]
    var P0: [[Double]]
    var R: [[Double]]
    var z: [Double]
    var expected: Expected
  }

  var cases: [Case]
}

struct LongCase: Decodable {
  struct Checkpoint: Decodable {
    var step: Int
    var x: [Double]
    var P: [[Double]]
  }

  var F: [[Double]]
  var Q: [[Double]]
  var H: [[Double]]
  var R: [[Double]]
  var x0: [Double]
  var P0: [[Double]]
  var checkpoints: [Checkpoint]
}

struct StatisticsFile: Decodable {
  struct Sample: Decodable {
    var y: [Double]
    var S: [[Double]]
    var mahalanobis: Double
    var logpdf: Double
  }

  var cases: [Sample]
}

struct DiffuseNileCase: Decodable {
  struct Expected: Decodable {
    var loglik: Double
    var filtered: [Double]
    var filtered_var: [Double]
    var smoothed: [Double]
    var smoothed_var: [Double]
  }

  var y: [Double]
  var sigma2_eps: Double
  var sigma2_eta: Double
  var expected: Expected
}

struct DiffuseCase: Decodable {
  struct Expected: Decodable {
    var v_1: [Double?]
    var F_1: [Double?]
    var alphahat_1: [Double?]
    var sumV: [Double?]
  }

  var y: [Double]
  var sigma2_y: Double
  var sigma2_mu: Double
  var loglik: Double
  var expected: Expected
}

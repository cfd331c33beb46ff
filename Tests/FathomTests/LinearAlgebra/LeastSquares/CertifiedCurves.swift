import Fathom
import RealModule

/// A dual number, with derivatives by the coefficients: exact Jacobians for the test models.
struct Dual {
  var value: Double
  var slopes: [Double]

  /// Returns a function of this number with the given value and derivative.
  private func mapped(_ value: Double, _ slope: Double) -> Dual {
    Dual(value: value, slopes: slopes.map { slope * $0 })
  }

  static func + (left: Dual, right: Dual) -> Dual {
    Dual(
      value: left.value + right.value, slopes: zip(left.slopes, right.slopes).map { $0 + $1 })
  }
  static func - (left: Dual, right: Dual) -> Dual { left + -1 * right }
  static func * (left: Dual, right: Dual) -> Dual {
    Dual(
      value: left.value * right.value,
      slopes: zip(left.slopes, right.slopes).map { $0 * right.value + left.value * $1 })
  }
  static func / (left: Dual, right: Dual) -> Dual { left * right.reciprocal }
  static func * (left: Double, right: Dual) -> Dual { right.mapped(left * right.value, left) }
  static func / (left: Double, right: Dual) -> Dual { left * right.reciprocal }
  static func + (left: Double, right: Dual) -> Dual { right.mapped(left + right.value, 1) }
  static func - (left: Dual, right: Double) -> Dual { left.mapped(left.value - right, 1) }

  func power(_ exponent: Double) -> Dual {
    mapped(.pow(value, exponent), exponent * .pow(value, exponent - 1))
  }
  var reciprocal: Dual { mapped(1 / value, -1 / (value * value)) }
  var square: Dual { self * self }
  var exponential: Dual { mapped(.exp(value), .exp(value)) }
  var sine: Dual { mapped(.sin(value), .cos(value)) }
  var cosine: Dual { mapped(.cos(value), -.sin(value)) }
  var arctangent: Dual { mapped(.atan(value), 1 / (1 + value * value)) }
}

/// The models of the nonlinear problems of the NIST Statistical Reference Datasets.
enum CertifiedCurves {
  /// Returns the expectation for the explanatory variables `x` with coefficients `b`.
  static func expectation(_ name: String, _ b: [Dual], _ x: [Double]) -> Dual {
    let t = x[0]
    switch name {
    case "BoxBOD", "Misra1a": return b[0] * (1 + -1 * (-t * b[1]).exponential)
    case "Misra1b": return b[0] * (1 + -1 * (1 + (t / 2) * b[1]).power(-2))
    case "Misra1c": return b[0] * (1 + -1 * (1 + (2 * t) * b[1]).power(-0.5))
    case "Chwirut1", "Chwirut2": return (-t * b[0]).exponential / (b[1] + t * b[2])
    case "DanWood": return b[0] * (Double.log(t) * b[1]).exponential
    case "ENSO":
      let turn = 2 * Double.pi * t
      let year = b[0] + Double.cos(turn / 12) * b[1] + Double.sin(turn / 12) * b[2]
      let first = b[4] * (turn / b[3]).cosine + b[5] * (turn / b[3]).sine
      return year + first + b[7] * (turn / b[6]).cosine + b[8] * (turn / b[6]).sine
    case "Eckerle4":
      let offset = (-1 * b[2] - -t) / b[1]
      return (b[0] / b[1]) * (-0.5 * offset.square).exponential
    case "Gauss1", "Gauss2":
      let decay = b[0] * (-t * b[1]).exponential
      let first = b[2] * (-1 * ((b[3] - t).square / b[4].square)).exponential
      return decay + first + b[5] * (-1 * ((b[6] - t).square / b[7].square)).exponential
    case "Kirby2":
      return (b[0] + t * b[1] + (t * t) * b[2]) / (1 + (t * b[3] + (t * t) * b[4]))
    case "Lanczos2", "Lanczos3":
      let pairs = [0, 2, 4].map { b[$0] * (-t * b[$0 + 1]).exponential }
      return pairs[0] + pairs[1] + pairs[2]
    case "MGH10": return b[0] * (b[1] / (t + b[2])).exponential
    case "Nelson": return b[0] - t * b[1] * (-x[1] * b[2]).exponential
    case "Rat42": return b[0] / (1 + (b[1] - t * b[2]).exponential)
    case "Roszman1":
      let angle = (b[2] / (-1 * b[3] - -t)).arctangent
      return b[0] - t * b[1] - (1 / Double.pi) * angle
    default: preconditionFailure("no such problem: \(name)")
    }
  }
}

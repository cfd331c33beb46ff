import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

/// Compares the derivative of every measurement model with central differences.
///
/// To test a new model, add its case to ``cases``.
@Suite struct MeasurementJacobianTests {
  /// A measurement model as functions of arrays: nine numbers, position and velocity first.
  private struct Case {
    var name: String
    var residual: (_ one: [Double], _ other: [Double]) -> [Double]
    var derivative: ([Double]) -> [[Double]]
    /// Distance from the nearest singularity of the derivative, metres.
    var clearance: ([Double]) -> Double

    // away: distance from the nearest singularity of the derivative.
    init<Model: MeasurementModel, let M: Int>(
      _ name: String, _ model: Model, away: @escaping (Vector<3>) -> Double = { _ in .infinity }
    )
    where
      Model.State == Vector<9>, Model.Measurement == Vector<M>, Model.Derivative == Matrix<M, 9>
    {
      self.name = name
      residual = { one, other in
        let (first, second) = (Vector<9>(array: one) ?? .zero, Vector<9>(array: other) ?? .zero)
        return model.residual(
          of: model.measurement(at: first), from: model.measurement(at: second)
        ).array
      }
      derivative = { model.derivative(at: Vector(array: $0) ?? .zero).array }
      clearance = { away(Vector([$0[0], $0[1], $0[2]])) }
    }
  }

  /// ``RangeModel`` has six components; the others do not affect it.
  private struct NineStates: MeasurementModel {
    var model: RangeModel

    private func six(_ state: Vector<9>) -> Vector<6> { Vector(InlineArray { state[$0] }) }

    func measurement(at state: Vector<9>) -> Vector<1> { model.measurement(at: six(state)) }

    func derivative(at state: Vector<9>) -> Matrix<1, 9> {
      let derivative = model.derivative(at: six(state))
      var result = Matrix<1, 9>.zero
      for column in 0..<6 { result[0, column] = derivative[0, column] }
      return result
    }
  }

  private static let place = Vector<3>([1, -2, 3])
  private static let device = DevicePose(
    position: place,
    // A turn about (1, 2, 2) / 3 by a right angle, by Rodrigues' formula.
    attitude: Matrix([
      [1 / 9, -4 / 9, 8 / 9], [8 / 9, 4 / 9, 1 / 9], [-4 / 9, 7 / 9, 4 / 9],
    ]))

  private static func distance(_ position: Vector<3>) -> Double { (position - place).length }

  /// Distance from the lines of the device's x and y axes, and from the plane in which a cone angle
  /// changes from ahead to behind.
  private static func fromAxes(_ position: Vector<3>) -> Double {
    let seen = device.attitude * (position - place)
    let (x, y, z) = (seen[0], seen[1], seen[2])
    return min((x * x + z * z).squareRoot(), (y * y + z * z).squareRoot(), z.magnitude)
  }

  private let cases: [Case] = [
    Case("RangeModel", NineStates(model: RangeModel(anchor: place)), away: distance),
    Case(
      "ScaledRangeModel", ScaledRangeModel<9>(anchor: place, bias: 7, scale: 8), away: distance),
    Case("ScaledRangeModel, plain", ScaledRangeModel<9>(anchor: place), away: distance),
    Case(
      "RangeDifferenceModel", RangeDifferenceModel<9>(first: place, second: Vector([-4, 0, 1])),
      away: { min(distance($0), ($0 - Vector([-4, 0, 1])).length) }),
    Case(
      "AnglesModel, full sphere", AnglesModel<9>(device: device, convention: .fullSphere),
      away: fromAxes),
    Case(
      "AnglesModel, bearing", AnglesModel<9>(device: device, convention: .bearing), away: fromAxes),
    Case(
      "AnglesModel, antennas", AnglesModel<9>(device: device, convention: .angleOfArrival),
      away: fromAxes),
    Case(
      "RangeAnglesModel", RangeAnglesModel<9>(device: device, convention: .fullSphere),
      away: fromAxes),
    Case("DirectionModel", DirectionModel<9>(device: device), away: distance),
    Case("PositionModel", PositionModel<9>()),
    Case("HeightModel", HeightModel<9>()),
    Case("DisplacementModel", DisplacementModel<9>(attitude: device.attitude, span: 0.3)),
    Case(
      "LinearModel",
      LinearModel<9, 1>(
        observation: Matrix([[1, 2, 3, 4, 5, 6, 7, 8, 9]]), offset: Vector([5]))),
  ]

  @Test func derivativesMatchCentralDifferences() {
    var generator = SeededGenerator(seed: 221)
    // Third derivatives of a distance are below 3/d², of an angle below 6/d³: with 1e-5 the
    // truncation half a metre away is below 1e-9; rounding is 2e-16 · 100 / 1e-5 = 2e-9.
    let step = 1e-5
    for one in cases {
      var compared = 0
      while compared < 200 {
        let state = (10 * Vector<9>.random(using: &generator)).array
        guard one.clearance(state) > 0.5 else { continue }
        compared += 1
        let derivative = one.derivative(state)
        for axis in 0..<9 {
          var (ahead, behind) = (state, state)
          ahead[axis] += step
          behind[axis] -= step
          let slopes = one.residual(ahead, behind).map { $0 / (ahead[axis] - behind[axis]) }
          #expect(slopes.count == derivative.count)
          for (row, slope) in slopes.enumerated() {
            #expect(
              isClose(derivative[row][axis], slope, within: 1e-8 * max(1, slope.magnitude)),
              "\(one.name), seed 221, row \(row), axis \(axis) at \(state)")
          }
        }
      }
    }
  }

  /// Models of angles agree with the types in Angles/.
  @Test func anglesFollowTheirConvention() throws {
    var generator = SeededGenerator(seed: 222)
    for _ in 0..<500 {
      let position = 5 * Vector<3>.random(using: &generator)
      let seen = Self.device.attitude * (position - Self.place)
      let direction = try #require(Direction(seen))
      let sphere = try #require(FullSphere(seen))
      let array = AngleOfArrival(direction)
      func angles(_ convention: DirectionConvention) -> [Double] {
        AnglesModel<3>(device: Self.device, convention: convention)
          .measurement(at: position).array
      }
      let expected: [(DirectionConvention, Angle, Angle)] = [
        (.fullSphere, sphere.azimuth, sphere.elevation),
        (.bearing, sphere.bearing, sphere.elevation),
        (.angleOfArrival, array.azimuth, array.elevation),
      ]
      for (convention, azimuth, elevation) in expected {
        let found = angles(convention)
        #expect(isClose(found[0], azimuth.radians, within: 1e-12), "seed 222, \(convention)")
        #expect(isClose(found[1], elevation.radians, within: 1e-12), "seed 222, \(convention)")
      }
      let unit = DirectionModel<3>(device: Self.device).measurement(at: position)
      #expect((unit - direction.vector).length < 1e-14, "seed 222")
    }
  }

  @Test func angleResidualsAreWrapped() {
    let model = AnglesModel<3>(device: Self.device, convention: .fullSphere)
    let residual = model.residual(of: Vector([3.1, 0.2]), from: Vector([-3.1, 0.1]))
    #expect(isClose(residual[0], 6.2 - 2 * .pi, within: 1e-15 * 8))
    #expect(isClose(residual[1], 0.1, within: 1e-15))
  }

  /// In a robot's frame: x ahead, y left, z up.
  @Test func uprightDeviceMatchesRobotFrame() {
    let model = RangeAnglesModel<3>(
      device: .upright(at: Vector([1, 1, 1])), convention: .bearing)
    // 3 ahead, 4 left: bearing atan2(4, 3); 5 up over 5 along: 45 degrees.
    let seen = model.measurement(at: Vector([4, 5, 6]))
    #expect(isClose(seen[0], 50.squareRoot(), within: 1e-14))
    #expect(isClose(seen[1], .atan2(y: 4, x: 3), within: 1e-15))
    #expect(isClose(seen[2], .pi / 4, within: 1e-15))
  }

  @Test func derivativesAreFiniteAtSingularities() {
    let place = Self.place
    let here = Vector<9>([place[0], place[1], place[2], 0, 0, 0, 0, 0, 0])
    for convention in DirectionConvention.allCases {
      for direction in [Vector<3>.zero, Vector([0, 1, 0]), Vector([1, 0, 0])] {
        #expect(convention.derivative(at: direction).isFinite, "\(convention) at \(direction)")
      }
    }
    #expect(ScaledRangeModel<9>(anchor: place).derivative(at: here).isFinite)
    #expect(DirectionModel<9>(device: Self.device).derivative(at: here) == .zero)
    let difference = RangeDifferenceModel<9>(first: place, second: .zero)
    #expect(difference.derivative(at: here).isFinite)
    #expect(isClose(difference.baseline, 14.squareRoot(), within: 1e-14))
  }
}

import Fathom
import FathomEvaluation

/// Returns the kernels of all conversions between angle conventions.
///
/// One item is one direction.
func angleKernels() -> [Kernel] {
  let positions = scatteredPositions()
  let singles = positions.map { position -> SIMD3<Float> in
    let unit = (1 / position.length) * position
    return SIMD3(Float(unit[0]), Float(unit[1]), Float(unit[2]))
  }
  let spheres = positions.compactMap { FullSphere($0) }
  let directions = positions.compactMap { Direction($0) }
  let arrivals = spheres.map { AngleOfArrival($0) }

  func kernel<Input: Sendable>(
    _ name: String, of inputs: [Input], _ convert: @escaping @Sendable (Input) -> Double
  ) -> Kernel {
    Kernel("angle: \(name)", items: inputs.count) {
      var sum = 0.0
      for input in inputs { sum += convert(input) }
      return sum
    }
  }

  return [
    kernel("wrapped", of: positions) { Angle(radians: 3 * $0[0]).wrapped().radians },
    kernel("Apple azimuth, measured direction", of: singles) {
      Double(NearbyInteraction.azimuth(of: $0, capability: .measured))
    },
    kernel("Apple azimuth, horizontal angle only", of: singles) {
      Double(NearbyInteraction.azimuth(of: $0, capability: .horizontalAngleOnly))
    },
    kernel("Apple elevation", of: singles) { Double(NearbyInteraction.elevation(of: $0)) },
    kernel("Apple direction from horizontal angle", of: singles) {
      Double(NearbyInteraction.direction(fromHorizontalAngle: $0.x).z)
    },
    kernel("Apple direction from azimuth and elevation", of: singles) {
      Double(NearbyInteraction.direction(azimuth: $0.x, elevation: $0.y).z)
    },
    kernel("direction from position", of: positions) { Direction($0)?.vector[2] ?? 0 },
    kernel("direction as reported", of: singles) { Direction(reported: $0)?.vector[2] ?? 0 },
    kernel("direction to azimuth and elevation", of: directions) {
      $0.azimuth.radians + ($0.elevation?.radians ?? 0)
    },
    kernel("full sphere from position", of: positions) {
      guard let sphere = FullSphere($0) else { return 0 }
      return sphere.azimuth.radians + sphere.elevation.radians + sphere.distance
    },
    kernel("full sphere from forward, left, up", of: positions) {
      FullSphere(forwardLeftUp: $0)?.bearing.radians ?? 0
    },
    kernel("full sphere from angles", of: positions) {
      FullSphere(azimuth: Angle(radians: $0[0]), elevation: Angle(radians: $0[1]), distance: 2)?
        .azimuth.radians ?? 0
    },
    kernel("full sphere to position", of: spheres) { $0.position[0] },
    kernel("full sphere to forward, left, up", of: spheres) { $0.forwardLeftUp[0] },
    kernel("angle of arrival from full sphere", of: spheres) { AngleOfArrival($0).azimuth.radians },
    kernel("angle of arrival from direction", of: directions) {
      AngleOfArrival($0).azimuth.radians
    },
    kernel("angle of arrival as in Android", of: positions) {
      AngleOfArrival.asInAndroid($0)?.azimuth.radians ?? 0
    },
    kernel("angle of arrival to direction", of: arrivals) { $0.direction.vector[0] },
    kernel("angle of arrival to full sphere", of: arrivals) {
      $0.fullSphere(distance: 3)?.azimuth.radians ?? 0
    },
  ]
}

/// Returns a thousand positions in all directions from the device, metres.
private func scatteredPositions() -> [Vector<3>] {
  var generator = SeededGenerator(seed: 4)
  return (0..<1000).map { _ in
    Vector([4 * generator.normal(), 4 * generator.normal(), 4 * generator.normal()])
  }
}

import Fathom
import FathomEvaluation

/// Eight anchors in a hall of 20 × 15 × 3 m, and a thousand epochs of ranges with 5 cm of noise.
struct Hall: Sendable {
  let anchors: [Vector<3>] = [
    Vector([0, 0, 2.5]), Vector([20, 0, 0.4]), Vector([20, 15, 2.4]), Vector([0, 15, 0.5]),
    Vector([10, 0, 3]), Vector([10, 15, 0.3]), Vector([0, 7, 2.8]), Vector([20, 7, 0.2]),
  ]
  let ranges: [[Double]]

  init() {
    var generator = SeededGenerator(seed: 2)
    var ranges: [[Double]] = []
    for index in 0..<1000 {
      let tag: Vector<3> = Vector([3 + 0.01 * Double(index), 5, 1])
      ranges.append(anchors.map { ($0 - tag).length + 0.05 * generator.normal() })
    }
    self.ranges = ranges
  }
}

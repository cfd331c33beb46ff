import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct VectorTests {
  @Test(arguments: [UInt64](1...20))
  func arithmeticIsElementwise(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let left = Vector<5>.random(using: &generator)
    let right = Vector<5>.random(using: &generator)
    let scale = generator.normal()
    #expect((left + right).array == zip(left.array, right.array).map(+))
    #expect((left - right).array == zip(left.array, right.array).map(-))
    #expect((-left).array == left.array.map { -$0 })
    #expect((scale * left).array == left.array.map { scale * $0 })
    var sum = left
    sum += right
    #expect(sum == left + right)
    #expect(left.dot(right) == right.dot(left))
    #expect(
      isClose(left.dot(right), zip(left.array, right.array).map(*).reduce(0, +), within: 1e-14))
    // The parallelogram law.
    #expect(
      isClose(
        (left + right).dot(left + right) + (left - right).dot(left - right),
        2 * (left.dot(left) + right.dot(right)), within: 1e-13))
    #expect(isClose(left.length * left.length, left.dot(left), within: 1e-14 * left.dot(left)))
  }

  @Test(arguments: [1.0, 0x1p1020, 0x1p-1020, 0x1p-1073])
  func lengthNeitherOverflowsNorUnderflows(_ scale: Double) {
    // 2² + 3² + 6² = 7²; powers of two keep it exact, down to the subnormal numbers.
    let vector = scale * Vector<3>([-2, 3, 6])
    #expect(vector.length == scale * 7)
  }

  @Test func lengthPropagatesNonFiniteElements() {
    #expect(Vector<2>([0, -.infinity]).length == .infinity)
    #expect(Vector<2>([.nan, 1]).length.isNaN)
    #expect(Vector<2>([1, .nan]).length.isNaN)
    #expect(Vector<3>.zero.length == 0)
  }

  @Test func crossProductIsAcrossBothAndRightHanded() {
    let (a, b): (Vector<3>, Vector<3>) = (Vector([1, 2, 3]), Vector([-4, 0.5, 2]))
    #expect(a.cross(b) == Vector([2.5, -14, 8.5]))
    #expect(b.cross(a) == -a.cross(b))
    #expect(a.cross(b).dot(a) == 0 && a.cross(b).dot(b) == 0)
  }

  @Test func rejectsArraysOfAnotherLength() {
    #expect(Vector<3>(array: [1, 2, 3])?.array == [1, 2, 3])
    #expect(Vector<3>(array: [1, 2]) == nil)
    #expect(Vector<3>(array: [1, 2, 3, 4]) == nil)
    #expect(Vector<0>(array: [])?.isFinite == true)
  }

  @Test func comparesElementsAsNumbers() {
    #expect(Vector<2>([0, 1]) == Vector<2>([-0.0, 1]))
    #expect(Vector<2>([0, 1]) != Vector<2>([1, 0]))
    let unknown: Vector<2> = Vector([.nan, 0])
    #expect(unknown != unknown)
    #expect(!unknown.isFinite)
    #expect(Vector<2>(repeating: 3).count == 2)
    #expect(Vector<2>([1, 2]).description == "[1.0, 2.0]")
  }
}

import Fathom
import Testing

@testable import FathomEvaluation

@Suite struct WallTests {
  private func wall(
    _ start: (Double, Double), _ end: (Double, Double), bottom: Double = -.infinity,
    top: Double = .infinity
  ) -> Wall {
    Wall(
      start: Vector([start.0, start.1]), end: Vector([end.0, end.1]), bottom: bottom, top: top,
      delay: 0, excessMean: 0, dropOutShare: 0, loss: 0)
  }

  @Test func blocksOnlyLinesThroughTheWall() {
    let wall = wall((0, 0), (4, 0))
    #expect(wall.blocks(point(1, -1, 0), point(3, 1, 0)))
    #expect(wall.blocks(point(3, 1, 0), point(1, -1, 0)))
    // Beyond its end, on one side of it, along it, and a line of zero length.
    #expect(!wall.blocks(point(5, -1, 0), point(5, 1, 0)))
    #expect(!wall.blocks(point(1, 1, 0), point(3, 2, 0)))
    #expect(!wall.blocks(point(-1, 0, 0), point(6, 0, 0)))
    #expect(!wall.blocks(point(2, 1, 0), point(2, 1, 5)))
  }

  @Test func blocksOnlyBetweenLowerAndUpperEdge() {
    // From 1 m to 3 m high, crossing the wall at a quarter of the length: at 1.5 m.
    let (low, high) = (point(0, -1, 1), point(0, 3, 3))
    #expect(wall((-1, 0), (1, 0), top: 1.6).blocks(low, high))
    #expect(!wall((-1, 0), (1, 0), top: 1.4).blocks(low, high))
    #expect(wall((-1, 0), (1, 0), bottom: 1.4).blocks(low, high))
    #expect(!wall((-1, 0), (1, 0), bottom: 1.6).blocks(low, high))
  }

  @Test func lineThroughSharedEndIsBlockedOnce() {
    let walls = [wall((-2, 0), (0, 0)), wall((0, 0), (2, 0))]
    for (from, to) in [(point(0, -1, 0), point(0, 1, 0)), (point(-1, -1, 0), point(1, 1, 0))] {
      #expect(walls.count { $0.blocks(from, to) } == 1)
      #expect(walls.count { $0.blocks(to, from) } == 1)
    }
  }

  /// Compares with the crossing point that solves the two line equations.
  @Test(arguments: 1...30)
  func matchesComputedCrossingPoint(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    func random() -> Double { generator.uniform(in: -3...3) }
    var blocked = 0
    for _ in 0..<200 {
      let (a, b) = ((random(), random()), (random(), random()))
      let (p, q) = (point(random(), random(), 0), point(random(), random(), 0))
      // p + s u = a + t v, by Cramer's rule, with w = a - p.
      let (ux, uy, vx, vy) = (q[0] - p[0], q[1] - p[1], b.0 - a.0, b.1 - a.1)
      let (wx, wy) = (a.0 - p[0], a.1 - p[1])
      let determinant = ux * vy - uy * vx
      let s = (wx * vy - wy * vx) / determinant
      let t = (wx * uy - wy * ux) / determinant
      let crosses = (0...1).contains(s) && (0...1).contains(t)
      #expect(wall(a, b).blocks(p, q) == crosses, "seed \(seed)")
      if crosses { blocked += 1 }
    }
    #expect(blocked > 10)
  }
}

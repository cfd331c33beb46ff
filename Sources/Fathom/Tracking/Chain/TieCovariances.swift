/// The covariances of the tied states in the front, from the last instant to the first.
///
/// With L and W of the state that a move eliminates, W split into the kept states (V) and the common unknowns (E) of
/// the front, the covariance P of these kept states and their derivative G with respect to the common unknowns:
/// the state has the covariance L⁻ᵀ (I + V P Vᵀ) L⁻¹ for known common unknowns, the covariance -L⁻ᵀ V P with
/// the front, and the derivative -L⁻ᵀ (E + V G).
struct TieCovariances<let N: Int> {
  private let front: TieFront<N>
  private let shared: [Int]
  /// The first common unknown of each tag, and the number of all.
  private let first: [Int]
  /// The covariance of the common unknowns.
  private let corner: [Double]
  /// For each number of the kept state of each tag: its covariances with all of these numbers for known common
  /// unknowns, and its derivatives with respect to the common unknowns.
  private var rows: [Double]
  /// The column of each place of the front in ``rows``.
  private var columns: [Int] = []
  /// The kept states beside the part that the last move passed, in order of time.
  private var ends: [End] = []
  /// The covariance of the earlier with the later one.
  private var between = Matrix<N, N>.zero

  /// A kept state beside a part: its covariance for known common unknowns, its derivatives with respect to them,
  /// and these times the covariance of the common unknowns.
  private struct End {
    var own = Matrix<N, N>.zero
    var slopes: [Double]
    var weighted: [Double]
  }

  /// Number of kept numbers, of common unknowns, and of columns of ``rows``.
  private var size: Int { N * shared.count }
  private var all: Int { first[first.count - 1] }
  private var width: Int { size + all }

  init(_ front: TieFront<N>, _ shared: [Int], _ corner: [Double]) {
    self.front = front
    self.shared = shared
    self.corner = corner
    first = shared.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1) }
    let size = N * shared.count
    rows = Array(repeating: 0, count: size * (size + shared.reduce(0, +)))
    for (tag, count) in shared.enumerated() {
      columns += N * tag..<N * (tag + 1)
      columns += size + first[tag]..<size + first[tag] + count
    }
  }

  /// Returns the present kept state of a tag.
  private func end(_ tag: Int) -> End {
    var end = End(
      slopes: Array(repeating: 0, count: N * all), weighted: Array(repeating: 0, count: N * all))
    for row in 0..<N {
      let line = width * (N * tag + row)
      for column in 0..<N { end.own[row, column] = rows[line + N * tag + column] }
      for column in 0..<all { end.slopes[all * row + column] = rows[line + size + column] }
    }
    let all = all
    end.weighted.withUnsafeMutableBufferPointer { weighted in
      end.slopes.withUnsafeBufferPointer { slopes in
        corner.withUnsafeBufferPointer { corner in
          for row in 0..<N {
            for inner in 0..<all {
              let factor = slopes[all * row + inner]
              for column in 0..<all {
                weighted[all * row + column] += factor * corner[all * inner + column]
              }
            }
          }
        }
      }
    }
    return end
  }

  /// Returns the covariance of the kept state that the last move eliminated, for known common unknowns, and
  /// their contribution.
  func state() -> (own: Matrix<N, N>, ofCommon: Matrix<N, N>) {
    (ends[0].own, Self.product(ends[0].weighted, ends[0].slopes, all).symmetrized())
  }

  /// Returns the covariance of the unknowns beside the part of a tag's chain that the last move passed; of the
  /// common ones before any.
  func outer(_ tag: Int) -> ChainEquations<N>.OuterCovariance {
    let (own, first) = (shared[tag], first[tag])
    let count = own + N * ends.count
    var ofCommon = [Double](repeating: 0, count: count * count)
    for row in 0..<own {
      for column in 0..<own {
        ofCommon[count * row + column] = corner[all * (first + row) + first + column]
      }
    }
    guard !ends.isEmpty else { return ChainEquations<N>.OuterCovariance(ofCommon: ofCommon) }
    var kept = [Double](repeating: 0, count: count * count)
    for (one, end) in ends.enumerated() {
      let begin = own + N * one
      for row in 0..<N {
        for column in 0..<own {
          let value = end.weighted[all * row + first + column]
          ofCommon[count * (begin + row) + column] = value
          ofCommon[count * column + begin + row] = value
        }
      }
      for (other, second) in ends.enumerated() {
        let block = Self.product(end.weighted, second.slopes, all)
        let covariance = one == other ? end.own : one < other ? between : between.transposed()
        for row in 0..<N {
          for column in 0..<N {
            let place = count * (begin + row) + own + N * other + column
            ofCommon[place] = block[row, column]
            kept[place] = covariance[row, column]
          }
        }
      }
    }
    return ChainEquations<N>.OuterCovariance(own: kept, ofCommon: ofCommon)
  }

  /// Returns A Bᵀ for matrices of `N` rows.
  private static func product(_ a: [Double], _ b: [Double], _ columns: Int) -> Matrix<N, N> {
    var result = Matrix<N, N>.zero
    for row in 0..<N {
      for column in 0..<N {
        var sum = 0.0
        for inner in 0..<columns { sum += a[columns * row + inner] * b[columns * column + inner] }
        result[row, column] = sum
      }
    }
    return result
  }

  /// Goes back over a move: the state that it eliminated replaces the next one of its tag.
  mutating func step(back move: TieOrder.Move) {
    guard move.from != nil else {
      ends = [end(move.tag)]
      return
    }
    let (size, width, slot) = (size, width, N * move.tag)
    let later = move.to == nil ? [] : [end(move.tag)]
    // V, and V P beside E + V G.
    var kept = [Double](repeating: 0, count: N * size)
    var found = [Double](repeating: 0, count: N * width)
    let lower = found.withUnsafeMutableBufferPointer { found in
      rows.withUnsafeBufferPointer { rows in
        front.factor(of: move) { _, factors in
          for row in 0..<N {
            for (place, column) in columns.enumerated() {
              let value = factors[columns.count * row + place]
              guard column < size else {
                found[width * row + column] += value
                continue
              }
              kept[size * row + column] = value
              guard value != 0 else { continue }
              for index in 0..<width {
                found[width * row + index] += value * rows[width * column + index]
              }
            }
          }
        }
      }
    }
    var own = Matrix<N, N>.identity
    for row in 0..<N {
      for column in 0..<N {
        var sum = own[row, column]
        for index in 0..<size { sum += found[width * row + index] * kept[size * column + index] }
        own[row, column] = sum
      }
    }
    lower.withUnsafeBufferPointer { lower in
      guard let lower = lower.baseAddress else { return }
      for _ in 0..<2 {
        own.withMutableElements { ChainEquations<N>.backward(lower, $0, columns: N) }
        own = own.transposed()
      }
      found.withUnsafeMutableBufferPointer {
        if let base = $0.baseAddress { ChainEquations<N>.backward(lower, base, columns: width) }
      }
    }
    own = own.symmetrized()
    for row in 0..<N {
      for column in 0..<N { between[row, column] = -found[width * row + slot + column] }
      for column in 0..<width { rows[width * (slot + row) + column] = -found[width * row + column] }
      for column in 0..<size { rows[width * column + slot + row] = -found[width * row + column] }
    }
    for row in 0..<N {
      for column in 0..<N { rows[width * (slot + row) + slot + column] = own[row, column] }
    }
    ends = [end(move.tag)] + later
  }
}

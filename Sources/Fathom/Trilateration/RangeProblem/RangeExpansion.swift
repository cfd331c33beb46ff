/// The cost of a problem around a position, to second order.
struct RangeExpansion<let D: Int>: Sendable {
  /// Sum of the losses of all residuals and of the prior.
  var cost = 0.0
  /// JᵀW e: half the negative gradient.
  var descent = Vector<D>.zero
  /// JᵀWJ, diagonal in the known coordinates.
  var information = Matrix<D, D>.zero
  /// Half the matrix of second derivatives, diagonal in the known coordinates.
  var curvature = Matrix<D, D>.zero
}

extension RangeProblem {
  /// Returns cost, descent direction, information and curvature at `position`.
  ///
  /// With unit vectors u from the anchors, residuals r = d - |p - a| and w, κ from the ``loss``:
  ///
  ///     descent = Σ w r/σ² u        information = Σ w/σ² u uᵀ
  ///     curvature = Σ κ/σ² u uᵀ - w r/(σ² |p - a|) (I - u uᵀ)
  ///
  /// At an anchor the direction is undefined, so only the cost of its range counts. No heap
  /// allocation.
  func expansion(at position: Vector<D>) -> RangeExpansion<D> {
    expansion(at: position, isBent: true)
  }

  /// Returns the same without curvature.
  func linearised(at position: Vector<D>) -> RangeExpansion<D> {
    expansion(at: position, isBent: false)
  }

  @inline(__always)
  private func expansion(at position: Vector<D>, isBent: Bool) -> RangeExpansion<D> {
    var result =
      pairs.isUsable
      ? expansion(inSpace: position, isBent: isBent) : expansionInMany(at: position)
    if let prior {
      let offset = position - prior.mean
      let pull = prior.information * offset
      result.cost += offset.dot(pull)
      for row in 0..<free {
        result.descent[row] -= pull[row]
        for column in 0..<free {
          result.information[row, column] += prior.information[row, column]
          result.curvature[row, column] += prior.information[row, column]
        }
      }
    }
    // Of the magnitude of the other elements, so that known coordinates do not look undetermined.
    if free < D {
      var typical = 0.0
      for axis in 0..<free { typical += result.information[axis, axis] }
      typical /= Double(max(1, free))
      for axis in free..<max(free, D) {
        result.information[axis, axis] = typical > 0 ? typical : 1
        result.curvature[axis, axis] = result.information[axis, axis]
      }
    }
    return result
  }

  /// Computes the expansion in up to three dimensions.
  @inline(__always)
  private func expansion(inSpace position: Vector<D>, isBent: Bool) -> RangeExpansion<D> {
    var sums = sums(at: position, isBent: isBent)
    if free < D { sums.leaveOutCoordinates(from: free) }
    var result = RangeExpansion<D>()
    result.cost = sums.cost + loss.tuning * loss.tuning * sums.logarithm
    result.descent = Vector(inSpace: sums.descent)
    result.information = Matrix(sums.information)
    if isBent { result.curvature = Matrix(sums.curvature) }
    return result
  }

  /// Returns the sums over the pairs of ranges, by a kernel of its own for each common loss.
  ///
  /// What the caller does not read is not computed.
  @inline(__always)
  private func sums(at position: Vector<D>, isBent: Bool) -> RangePairs.Sums {
    let here = position.inSpace
    switch loss.shape {
    case .squared: return pairs.sums(at: here, SquaredKernel(), isBent: isBent)
    case .cauchy where !loss.onlyLate:
      let kernel = CauchyKernel(inverseSquare: loss.inverseSquare)
      return pairs.sums(at: here, kernel, isBent: isBent)
    case .gemanMcClure where !loss.onlyLate:
      let kernel = GemanMcClureKernel(inverseSquare: loss.inverseSquare)
      return pairs.sums(at: here, kernel, isBent: isBent)
    default: return pairs.sums(at: here, loss, isBent: isBent)
    }
  }

  /// Returns the cost at a position.
  func cost(at position: Vector<D>) -> Double {
    var sum = 0.0
    if pairs.isUsable {
      let sums = sums(at: position, isBent: false)
      sum = sums.cost + loss.tuning * loss.tuning * sums.logarithm
    } else {
      for index in 0..<count { sum += loss.cost(of: residual(index, at: position) / sigmas[index]) }
    }
    if let prior {
      let offset = position - prior.mean
      sum += offset.dot(prior.information * offset)
    }
    return sum
  }

  /// Computes the expansion in any number of dimensions.
  private func expansionInMany(at position: Vector<D>) -> RangeExpansion<D> {
    var result = RangeExpansion<D>()
    for index in 0..<count {
      let offset = position - anchors[index]
      let distance = offset.length
      let precision = 1 / sigmas[index]
      let scaled = (distances[index] - distance) * precision
      let terms = loss.terms(of: scaled)
      result.cost += loss.cost(of: scaled)
      guard distance > 0 else { continue }
      let pull = terms.weight * scaled * precision
      let weight = terms.weight * precision * precision
      let turn = pull / distance
      let stiffness = terms.curvature * precision * precision + turn
      for row in 0..<free {
        let unit = offset[row] / distance
        result.descent[row] += pull * unit
        for column in 0..<free {
          let other = offset[column] / distance
          result.information[row, column] += weight * unit * other
          result.curvature[row, column] += stiffness * unit * other
        }
        result.curvature[row, row] -= turn
      }
    }
    return result
  }
}

extension Vector {
  /// The first three coordinates, zero where there are fewer.
  @inline(__always) var inSpace: SIMD3<Double> {
    SIMD3(self[0], Count > 1 ? self[1] : 0, Count > 2 ? self[2] : 0)
  }

  /// Creates up to three coordinates of a point.
  @inline(__always)
  init(inSpace point: SIMD3<Double>) {
    self = .zero
    for index in 0..<min(3, Count) { self[index] = point[index] }
  }
}

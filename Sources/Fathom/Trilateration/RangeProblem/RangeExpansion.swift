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
    var result = D <= 3 ? expansionInSpace(at: position) : expansionInMany(at: position)
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

  /// Computes the expansion in up to three dimensions, with scalar sums that stay in registers.
  private func expansionInSpace(at position: Vector<D>) -> RangeExpansion<D> {
    anchors.withUnsafeBufferPointer { anchors in
      distances.withUnsafeBufferPointer { distances in
        sigmas.withUnsafeBufferPointer { sigmas in
          precondition(anchors.count == distances.count && sigmas.count == distances.count)
          return expansionInSpace(at: position, anchors, distances, sigmas)
        }
      }
    }
  }

  @inline(__always)
  private func expansionInSpace(
    at position: Vector<D>, _ anchors: UnsafeBufferPointer<Vector<D>>,
    _ distances: UnsafeBufferPointer<Double>, _ sigmas: UnsafeBufferPointer<Double>
  ) -> RangeExpansion<D> {
    let loss = loss
    let (hasY, hasZ) = (D > 1, D > 2)
    let here = (position[0], hasY ? position[1] : 0, hasZ ? position[2] : 0)
    var (cost, product, logarithm) = (0.0, 1.0, 0.0)
    var (gx, gy, gz) = (0.0, 0.0, 0.0)
    // Sums of w u uᵀ and of (κ + b) u uᵀ, lower triangles, and of b.
    var (xx, yx, yy, zx, zy, zz) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    var (cxx, cyx, cyy, czx, czy, czz) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    var bend = 0.0
    for index in 0..<distances.count {
      let anchor = anchors[index]
      let x = here.0 - anchor[0]
      let y = hasY ? here.1 - anchor[1] : 0
      let z = hasZ ? here.2 - anchor[2] : 0
      let square = x * x + y * y + z * z
      let distance =
        square > 1e-280 && square < 1e280 ? square.squareRoot() : (position - anchor).length
      let precision = 1 / sigmas[index]
      let scaled = (distances[index] - distance) * precision
      let terms = loss.terms(of: scaled)
      cost += terms.cost
      product *= terms.product
      if product > 1e150 {
        logarithm += .log(product)
        product = 1
      }
      guard distance > 0 else { continue }
      let inverse = 1 / distance
      let (ux, uy, uz) = (x * inverse, y * inverse, z * inverse)
      let pull = terms.weight * scaled * precision
      let weight = terms.weight * precision * precision
      let turn = pull * inverse
      let stiffness = terms.curvature * precision * precision + turn
      bend += turn
      gx += pull * ux
      xx += weight * ux * ux
      cxx += stiffness * ux * ux
      if hasY {
        gy += pull * uy
        yx += weight * uy * ux
        yy += weight * uy * uy
        cyx += stiffness * uy * ux
        cyy += stiffness * uy * uy
      }
      if hasZ {
        gz += pull * uz
        zx += weight * uz * ux
        zy += weight * uz * uy
        zz += weight * uz * uz
        czx += stiffness * uz * ux
        czy += stiffness * uz * uy
        czz += stiffness * uz * uz
      }
    }
    if product > 1 { logarithm += .log(product) }
    var result = RangeExpansion<D>()
    result.cost = cost + loss.tuning * loss.tuning * logarithm
    let descent = (gx, gy, gz)
    let information = (xx, yx, yy, zx, zy, zz)
    let curvature = (cxx - bend, cyx, cyy - bend, czx, czy, czz - bend)
    if free > 0 {
      result.descent[0] = descent.0
      result.information[0, 0] = information.0
      result.curvature[0, 0] = curvature.0
    }
    if free > 1 {
      result.descent[1] = descent.1
      result.setSymmetric(1, 0, information.1, curvature.1)
      result.setSymmetric(1, 1, information.2, curvature.2)
    }
    if free > 2 {
      result.descent[2] = descent.2
      result.setSymmetric(2, 0, information.3, curvature.3)
      result.setSymmetric(2, 1, information.4, curvature.4)
      result.setSymmetric(2, 2, information.5, curvature.5)
    }
    return result
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

extension RangeExpansion {
  /// Sets an element of the information and of the curvature, and its transpose.
  @inline(__always)
  fileprivate mutating func setSymmetric(
    _ row: Int, _ column: Int, _ information: Double, _ curvature: Double
  ) {
    self.information[row, column] = information
    self.information[column, row] = information
    self.curvature[row, column] = curvature
    self.curvature[column, row] = curvature
  }
}

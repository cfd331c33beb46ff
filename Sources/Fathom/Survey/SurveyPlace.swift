extension AnchorSurvey {
  /// What is known of an anchor during a survey.
  struct Place {
    /// The anchor at its known or found position; nil while it is neither.
    private(set) var anchor: Anchor?
    /// The known height; nil if it is unknown.
    let height: Double?
    /// Whether the position was given.
    let isKnown: Bool
    /// Standard deviation of the position of a shape, metres; nil for a position from tracks.
    private var shapeSigma: Double?
    private var covariance = Matrix<3, 3>.zero
    /// Both positions of an ambiguous anchor.
    private var images: (Vector<3>, Vector<3>)?

    /// Prior standard deviation of an anchor that a track has located, metres: wide beside what is
    /// found, and narrow enough that the first linearisation is near the last.
    private static let priorSigma = 1.0
    /// Standard deviation of a known height in the joint estimate, metres: none, but for its inverse.
    private static let heightSigma = 1e-4

    init(_ site: Site) {
      switch site {
      case .known(let known):
        anchor = known
        height = known.position[2]
        isKnown = true
        let sigma = known.positionSigma ?? 0
        for axis in 0..<3 { covariance[axis, axis] = sigma * sigma }
      case .unknown(let height):
        self.height = height
        isKnown = false
      }
    }

    /// Whether the position is estimated together with the tracks.
    var isJoint: Bool { !isKnown && anchor != nil }

    /// The anchor as the joint estimate begins with it: uncertain unless its position was given.
    var uncertain: Anchor? {
      guard isJoint, var anchor else { return anchor }
      anchor.positionSigma = shapeSigma ?? Self.priorSigma
      if height != nil { anchor.heightSigma = Self.heightSigma }
      return anchor
    }

    /// The position of ``uncertain`` as a distribution.
    var prior: Gaussian<3> {
      var result = Gaussian(mean: anchor?.position ?? .zero, covariance: Matrix<3, 3>.zero)
      let sigma = shapeSigma ?? Self.priorSigma
      for axis in 0..<3 {
        let sigma = axis == 2 && height != nil ? Self.heightSigma : sigma
        result.covariance[axis, axis] = sigma * sigma
      }
      return result
    }

    /// Takes over a fix if it determines the position, or notes that it leaves two.
    mutating func adopt(_ fix: PositionFix<3>) {
      guard let position = fix.position, let covariance = fix.covariance else { return }
      if fix.verdict == .unique, fix.undetermined.isEmpty {
        adopt(Gaussian(mean: position, covariance: covariance))
      } else if let other = fix.alternative {
        images = (position, other)
      }
    }

    /// Takes over an estimate.
    mutating func adopt(_ found: Gaussian<3>) {
      covariance = found.covariance
      if height != nil {
        for axis in 0..<3 { (covariance[axis, 2], covariance[2, axis]) = (0, 0) }
      }
      let widest = (0..<3).map { covariance[$0, $0] }.max() ?? .infinity
      guard widest <= AnchorSurvey.greatestSigma * AnchorSurvey.greatestSigma else {
        anchor = nil
        return
      }
      var position = found.mean
      if let height { position[2] = height }
      anchor = Anchor(position: position)
    }

    /// Takes over the position in a shape.
    mutating func adopt(shape position: Vector<3>, covariance: Matrix<3, 3>, sigma: Double) {
      shapeSigma = sigma
      self.covariance = covariance
      anchor = Anchor(position: position)
    }

    /// Turns and moves the position: `axes` are the new axes as rows.
    mutating func turn(_ axes: Matrix<3, 3>, about origin: Vector<3>) {
      guard let position = anchor?.position else { return }
      anchor?.position = axes * (position - origin)
      covariance = axes * covariance * axes.transposed()
    }

    /// The anchor as a result.
    func found(rangeCount: Int) -> Found {
      let verdict: Verdict =
        isKnown ? .known : anchor != nil ? .found : images != nil ? .ambiguous : .undetermined
      var anchor = anchor
      if !isKnown {
        let widest = (0..<3).reduce(0) { max($0, covariance[$1, $1]) }
        anchor?.positionSigma = widest > 0 ? widest.squareRoot() : nil
      }
      return Found(
        anchor: anchor, position: anchor?.position ?? images?.0,
        covariance: anchor == nil ? nil : covariance,
        alternative: anchor == nil ? images?.1 : nil, rangeCount: rangeCount, verdict: verdict)
    }
  }
}

extension [AnchorSurvey.Place] {
  /// Turns all positions into a frame, which uncertain positions of the anchors that define it have
  /// left: heights stay as they are if they are known.
  mutating func turn(into frame: AnchorSurvey.Gauge) {
    guard case .shape(let origin, let axis, let side) = frame,
      let start = self[origin].anchor?.position,
      let along = self[axis].anchor?.position, let beside = self[side].anchor?.position
    else { return }
    let isFlat = self[origin].height != nil
    var x = along - start
    var y = beside - start
    if isFlat { (x[2], y[2]) = (0, 0) }
    guard x.length > 0 else { return }
    x = (1 / x.length) * x
    y = y - x.dot(y) * x
    guard y.length > 0 else { return }
    y = (1 / y.length) * y
    let z = x.cross(y)
    var axes = Matrix<3, 3>.zero
    for column in 0..<3 {
      axes[0, column] = x[column]
      axes[1, column] = y[column]
      // With known heights the third axis is up, whichever way the layout turns.
      axes[2, column] = isFlat ? (column == 2 ? 1 : 0) : z[column]
    }
    var centre = start
    if isFlat { centre[2] = 0 }
    for index in indices { self[index].turn(axes, about: centre) }
  }
}

/// The sum of what several tracks say about the position of an anchor, whose prior they share.
struct AnchorInformation {
  private let prior: (information: Matrix<3, 3>, weighted: Vector<3>)?
  private var information = Matrix<3, 3>.zero
  private var weighted = Vector<3>.zero
  private var count = 0

  /// Creates the sum of no tracks.
  init(_ prior: Gaussian<3>) {
    if let inverse = Cholesky(prior.covariance)?.inverse() {
      self.prior = (inverse, inverse * prior.mean)
    } else {
      self.prior = nil
    }
  }

  /// Adds the estimate of one track, in which the prior is contained.
  mutating func add(_ found: Gaussian<3>) {
    guard let inverse = Cholesky(found.covariance)?.inverse() else { return }
    information = information + inverse
    weighted = weighted + inverse * found.mean
    count += 1
  }

  /// The mean and covariance of all, with the prior once; nil without any.
  var estimate: Gaussian<3>? {
    guard count > 0, let prior else { return nil }
    let extra = Double(1 - count)
    let total = information + extra * prior.information
    guard let covariance = Cholesky(total)?.inverse() else { return nil }
    return Gaussian(mean: covariance * (weighted + extra * prior.weighted), covariance: covariance)
  }
}

/// Marquardt's damping λ of Gauss-Newton steps.
///
/// Source: [Marquardt 1963; Nocedal & Wright 2006, Sec. 10.3]. It is zero until a step fails, rises
/// tenfold with every further failure, and falls tenfold with every success. Its unit is the typical
/// curvature that the callers pass: that of the matrix whose diagonal it increases, or 1 if it
/// multiplies the diagonal.
struct MarquardtDamping {
  /// λ.
  private(set) var value = 0.0
  /// λ after a first step to a higher cost, typical curvatures.
  var first = MarquardtDamping.usualFirst
  /// λ after a first matrix that is not positive definite.
  var firstIfSingular = MarquardtDamping.usualFirst
  /// λ below which a success sets it to zero.
  var negligible = MarquardtDamping.usualNegligible
  /// λ from which on nothing but the cost itself can be wrong, and the descent ends.
  var greatest = Double.infinity

  /// A thousandth shortens the step only along directions that the data hardly determine.
  static let usualFirst = 1e-3
  /// A millionth changes a step by less than its own linearisation.
  static let usualNegligible = 1e-6
  /// The factor of a rise, and of a fall.
  static let factor = 10.0

  /// Raises λ after a failure; returns whether it is below its limit.
  @inline(__always)
  mutating func raise(isSingular: Bool, curvature: Double) -> Bool {
    value = max(Self.factor * value, (isSingular ? firstIfSingular : first) * curvature)
    return value < greatest * curvature
  }

  /// Lowers λ after a success.
  @inline(__always)
  mutating func lower(curvature: Double) {
    value = value < negligible * curvature ? 0 : value / Self.factor
  }
}

/// The result of one step of a descent.
enum DescentStep {
  /// The cost has fallen, and the step was taken.
  case lower
  /// The descent has converged, with or without this step.
  case settled
  /// The cost would rise; the step was not taken.
  case higher
  /// The descent ends without convergence.
  case ended
}

/// Descends by damped least squares to a local minimum: the loop behind every position.
///
/// The caller holds the state of the descent, and the matrix and its solution, whose shapes differ
/// between callers. No heap allocation; compiled into the caller.
///
/// - Parameters:
///   - limit: The maximum number of steps, including rejected ones and matrices that are not positive
///     definite.
///   - damping: The damping; zero at first.
///   - curvature: Returns the typical curvature at the current place, in which the damping counts.
///   - step: Returns the step with a damping, or nil if the matrix is not positive definite.
///   - attempt: Evaluates the cost after a step, and takes the step if the cost is lower.
/// - Returns: The number of steps, and whether the descent has converged.
@inline(__always)
func descend<Step>(
  limit: Int, _ damping: inout MarquardtDamping, curvature: () -> Double,
  step: (_ damping: Double) -> Step?, attempt: (_ step: Step, _ damping: Double) -> DescentStep
) -> (steps: Int, isSettled: Bool) {
  var steps = 0
  while steps < limit {
    steps += 1
    var result = DescentStep.higher
    let found = step(damping.value)
    if let found { result = attempt(found, damping.value) }
    switch result {
    case .lower: damping.lower(curvature: curvature())
    case .settled: return (steps, true)
    case .higher:
      guard damping.raise(isSingular: found == nil, curvature: curvature()) else {
        return (steps, false)
      }
    case .ended: return (steps, false)
    }
  }
  return (steps, false)
}

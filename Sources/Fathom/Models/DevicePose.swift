/// Where a device is and how it is held, as it was recorded: the frame of directions.
@frozen
public struct DevicePose: Sendable, Equatable {
  /// Position of the device in the world, metres.
  public var position: Vector<3>
  /// The rotation from the world into the device frame: its rows are the device's axes in the
  /// world, x right, y up, z towards the user (ahead is -z).
  public var attitude: Matrix<3, 3>

  /// A device at `position` with the given rotation from the world into its frame.
  @inlinable
  public init(position: Vector<3>, attitude: Matrix<3, 3>) {
    self.position = position
    self.attitude = attitude
  }

  /// The device frame of one that stands upright in the world (z up) and looks along +x.
  @inlinable
  public static func upright(at position: Vector<3>) -> Self {
    Self(position: position, attitude: Matrix([[0, -1, 0], [0, 0, 1], [-1, 0, 0]]))
  }

  /// The position of a state in the device frame.
  @inlinable
  func inDeviceFrame<let N: Int>(_ state: Vector<N>) -> Vector<3> {
    precondition(N >= 3, "the state has no position")
    let offset = Vector<3>([state[0], state[1], state[2]]) - position
    return attitude * offset
  }

  /// Derivatives by a position in the device frame turned into derivatives by the state.
  @inlinable
  func byState<let M: Int, let N: Int>(_ derivative: Matrix<M, 3>) -> Matrix<M, N> {
    let turned = derivative * attitude
    var result = Matrix<M, N>.zero
    for row in 0..<M {
      for axis in 0..<3 { result[row, axis] = turned[row, axis] }
    }
    return result
  }
}

/// A part of Fathom's work that is measured separately, through the public API.
public struct Kernel: Sendable {
  /// The unique name.
  public let name: String
  /// The number of items that one run processes.
  public let items: Int
  /// Processes all items once.
  ///
  /// The result depends on every item, so that no item is optimised away. It is the same in every
  /// run.
  public let run: @Sendable () -> Double

  /// Creates a kernel.
  public init(_ name: String, items: Int, run: @escaping @Sendable () -> Double) {
    self.name = name
    self.items = items
    self.run = run
  }
}

/// Returns every kernel, in the order in which data passes through them.
public func kernelCatalogue() -> [Kernel] {
  angleKernels() + distanceKernels() + qualityKernels() + filterKernels() + trilaterationKernels()
    + linearAlgebraKernels() + formattingKernels() + recordingKernels()
}

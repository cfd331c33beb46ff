/// A piece of Fathom's work that is measured by itself, through the public API.
public struct Kernel: Sendable {
  /// What is measured; no two kernels share a name.
  public let name: String
  /// How many items one run works through.
  public let items: Int
  /// One run over all items.
  ///
  /// The result depends on every item, so that none is optimised away, and is
  /// the same at every run.
  public let run: @Sendable () -> Double

  /// A kernel of the given parts.
  public init(_ name: String, items: Int, run: @escaping @Sendable () -> Double) {
    self.name = name
    self.items = items
    self.run = run
  }
}

/// Every kernel, in the order in which data passes through them.
public func kernelCatalogue() -> [Kernel] {
  angleKernels() + distanceKernels() + qualityKernels() + filterKernels() + trilaterationKernels()
    + linearAlgebraKernels() + formattingKernels() + recordingKernels()
}

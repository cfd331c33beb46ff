/// How far a batch has come since it last told.
public struct BatchProgress: Sendable, Equatable {
  /// Recordings that are done with, whatever became of them.
  public var recordings = 0
  /// Bytes of input worked on.
  public var bytes = 0
  /// Bytes of input that need no work after all: of recordings that were skipped or failed.
  public var skippedBytes = 0
  /// Rows worked on.
  public var rows = 0

  /// No progress.
  public init() {}
}

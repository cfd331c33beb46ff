/// The estimates of tags after their ranges; see `AsyncSequence.tracked(by:)`.
///
/// A range that gives no estimate, because its tag has not started or because it was rejected, gives
/// no element.
public struct TrackedRanges<
  Base: AsyncSequence, Tag: Hashable & Sendable, Site: Hashable & Sendable
>: AsyncSequence where Base.Element == LiveRange<Tag, Site> {
  /// An estimate after a range.
  public typealias Element = LiveEstimate<Tag>

  let base: Base
  let tracker: LiveTracker<Tag, Site>

  /// Returns an iterator with its own tracks.
  public func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), tracker: tracker)
  }

  /// An iterator over estimates.
  public struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    var tracker: LiveTracker<Tag, Site>

    /// Returns the estimate after the next range that gives one; nil at the end of the ranges.
    public mutating func next() async throws -> LiveEstimate<Tag>? {
      while let range = try await base.next() {
        if let found = estimate(after: range) { return found }
      }
      return nil
    }

    /// Returns the estimate after the next range that gives one; nil at the end of the ranges.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Base.Failure) -> LiveEstimate<Tag>? {
      while let range = try await base.next(isolation: actor) {
        if let found = estimate(after: range) { return found }
      }
      return nil
    }

    private mutating func estimate(after range: LiveRange<Tag, Site>) -> LiveEstimate<Tag>? {
      let update = tracker.update(range)
      switch update.outcome {
      case .late, .invalid, .duplicate: return nil
      case .used, .discounted, .starting, .started: break
      }
      return tracker.estimate(of: range.tag).map {
        LiveEstimate(tag: range.tag, update: update, estimate: $0)
      }
    }
  }
}

extension TrackedRanges: Sendable where Base: Sendable {}

extension AsyncSequence {
  /// Returns the estimates of tags as their ranges arrive.
  ///
  /// ```swift
  /// for await found in ranges.tracked(by: tracker) { show(found.tag, found.estimate) }
  /// ```
  ///
  /// - Parameter tracker: The tracker at the start; each iteration has its own copy.
  /// - Returns: One estimate per range that was used.
  public func tracked<Tag, Site>(
    by tracker: LiveTracker<Tag, Site>
  ) -> TrackedRanges<Self, Tag, Site> where Element == LiveRange<Tag, Site> {
    TrackedRanges(base: self, tracker: tracker)
  }

  /// Returns the entries into and exits from zones as estimates arrive.
  ///
  /// - Parameter zones: The zones with their rules, none of them entered yet.
  /// - Returns: The tag and the event; several events of one estimate follow each other.
  public func zoneEvents<Tag>(
    in zones: PositionZones
  ) -> TagZoneEvents<Self, Tag> where Element == LiveEstimate<Tag> {
    TagZoneEvents(base: self, zones: zones)
  }

  /// Returns smoothed distances as ranges arrive, with a smoother for each link.
  ///
  /// - Parameter makeSmoother: Returns the smoother of a link without ranges before.
  /// - Returns: The link and its distance; a range that the smoother rejects gives none.
  public func smoothed<Tag, Site, Smoother: DistanceSmoother>(
    by makeSmoother: @escaping @Sendable () -> Smoother
  ) -> SmoothedRanges<Self, Tag, Site, Smoother> where Element == LiveRange<Tag, Site> {
    SmoothedRanges(base: self, makeSmoother: makeSmoother)
  }
}

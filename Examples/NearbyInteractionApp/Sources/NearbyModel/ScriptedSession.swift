import Fathom

/// A session that follows a script, for tests, for previews, and for development without a phone.
public struct ScriptedSession: AccessorySession {
  private let script: [AccessoryUpdate]

  /// Creates a session that reports `script`, as fast as it is read.
  public init(_ script: [AccessoryUpdate]) { self.script = script }

  /// Creates the session of an accessory that is walked towards: discovered, started, then a distance
  /// every `interval` seconds, and a direction to the right of the path.
  ///
  /// - Parameters:
  ///   - accessory: The identifier.
  ///   - distances: Metres, from the first to the last; nil for a missed one.
  ///   - interval: Seconds.
  ///   - direction: The direction in the phone's frame; nil for none.
  public init(
    approaching accessory: String, distances: [Float?], interval: Double = 0.25,
    direction: SIMD3<Float>? = nil
  ) {
    let start = Timestamp(nanoseconds: 0)
    script =
      [
        AccessoryUpdate(accessory, at: start, .advertisement(name: accessory)),
        AccessoryUpdate(accessory, at: start, .event(.started)),
      ]
      + distances.enumerated().map { step, distance in
        AccessoryUpdate(
          accessory, at: start.advanced(bySeconds: Double(step) * interval),
          .measurement(.init(distance: distance, direction: direction)))
      }
  }

  public var updates: AsyncStream<AccessoryUpdate> {
    AsyncStream { continuation in
      for update in script { continuation.yield(update) }
      continuation.finish()
    }
  }
}

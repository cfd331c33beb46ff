#if canImport(NearbyInteraction) && os(iOS)
  import Fathom
  import Foundation
  import NearbyInteraction

  /// The session of a phone with one accessory. Not tested on Apple hardware.
  ///
  /// The app exchanges the accessory's configuration data over its own connection (Bluetooth, network)
  /// and calls ``run(configurationData:)`` with what the accessory sent.
  public final class PhoneSession: NSObject, AccessorySession, NISessionDelegate,
    @unchecked Sendable
  {
    // The session calls its delegate on one queue, and the continuation is safe on every thread.
    public let updates: AsyncStream<AccessoryUpdate>
    /// What to send to the accessory so that it starts, once the session has made it.
    public var sendConfiguration: (@Sendable (Data) -> Void)?
    private let accessory: String
    private let session = NISession()
    private let continuation: AsyncStream<AccessoryUpdate>.Continuation
    private var configuration: NINearbyAccessoryConfiguration?

    /// Creates the session with an accessory that was found under `name`.
    public init(accessory: String, name: String) {
      self.accessory = accessory
      (updates, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(256))
      super.init()
      session.delegate = self
      report(.advertisement(name: name))
    }

    /// Starts ranging with the configuration data of the accessory.
    public func run(configurationData: Data) throws {
      let configuration = try NINearbyAccessoryConfiguration(data: configurationData)
      configuration.isCameraAssistanceEnabled =
        NISession.deviceCapabilities.supportsCameraAssistance
      self.configuration = configuration
      session.run(configuration)
    }

    /// Reports that the accessory was heard again.
    public func heard(name: String) { report(.advertisement(name: name)) }

    private func report(_ content: AccessoryUpdate.Content) {
      // Time since the phone started: steps of the wall clock do not matter.
      let seconds = ProcessInfo.processInfo.systemUptime
      guard let time = Timestamp(seconds: seconds) else { return }
      continuation.yield(AccessoryUpdate(accessory, at: time, content))
    }

    // MARK: NISessionDelegate

    public func session(
      _ session: NISession, didGenerateShareableConfigurationData data: Data, for: NINearbyObject
    ) {
      sendConfiguration?(data)
      report(.event(.started))
    }

    public func session(_ session: NISession, didUpdate objects: [NINearbyObject]) {
      guard let object = objects.first else { return }
      report(
        .measurement(
          .init(
            distance: object.distance, direction: object.direction,
            horizontalAngle: object.horizontalAngle,
            verticalEstimate: VerticalEstimate(
              rawValue: object.verticalDirectionEstimate.rawValue) ?? .unknown)))
    }

    public func session(
      _ session: NISession, didUpdateAlgorithmConvergence convergence: NIAlgorithmConvergence,
      for object: NINearbyObject?
    ) {
      switch convergence.status {
      case .converged: report(.convergence(.converged))
      case .notConverged(let reasons):
        let obstacles = reasons.compactMap { reason -> Convergence.Obstacle? in
          switch reason {
          case .insufficientHorizontalSweep: .insufficientHorizontalSweep
          case .insufficientVerticalSweep: .insufficientVerticalSweep
          case .insufficientMovement: .insufficientMovement
          case .insufficientLighting: .insufficientLighting
          default: nil
          }
        }
        report(.convergence(.notConverged(Set(obstacles))))
      default: report(.convergence(.unknown))
      }
    }

    public func session(
      _ session: NISession, didRemove objects: [NINearbyObject],
      reason: NINearbyObject.RemovalReason
    ) {
      report(.event(.removed))
    }

    public func sessionWasSuspended(_ session: NISession) { report(.event(.suspended)) }

    public func sessionSuspensionEnded(_ session: NISession) {
      report(.event(.resumed))
      if let configuration { session.run(configuration) }
    }

    public func session(_ session: NISession, didInvalidateWith error: any Error) {
      report(.event(.invalidated))
      continuation.finish()
    }
  }
#endif

import Testing

@testable import Fathom

@Suite struct DeviceCapabilitiesTests {
  @Test func presetsMatchTheGuide() {
    let older = DeviceCapabilities.iPhone11To13
    let newer = DeviceCapabilities.iPhone14
    for capability: DeviceCapabilities in [.preciseDistance, .cameraAssistance, .syntheticAperture]
    {
      #expect(older.contains(capability) && newer.contains(capability))
    }
    let missing: [DeviceCapabilities] = [
      .direction, .coarseDistance, .fineRanging, .coarseRanging, .angleOfArrival,
    ]
    for capability in missing {
      #expect(older.contains(capability) && !newer.contains(capability))
    }
  }

  @Test func capabilitySelectsTheFormula() {
    #expect(DeviceCapabilities.iPhone11To13.directionCapability == .measured)
    #expect(DeviceCapabilities.iPhone14.directionCapability == .horizontalAngleOnly)
    #expect(DeviceCapabilities([]).directionCapability == .horizontalAngleOnly)
  }

  @Test(arguments: [
    (DeviceCapabilities.iPhone11To13, false, false, DeviceCapabilities.DirectionUpdate.vector),
    (.iPhone11To13, true, false, .vector),
    (.iPhone11To13, true, true, .none),
    (.iPhone14, false, false, .none),
    (.iPhone14, true, false, .horizontalAngle),
    (.iPhone14, true, true, .none),
    (.preciseDistance, true, false, .none),
  ])
  func directionUpdateDependsOnCapabilityAndConvergence(
    _ device: DeviceCapabilities, _ converged: Bool, _ inBackground: Bool,
    _ expected: DeviceCapabilities.DirectionUpdate
  ) {
    #expect(device.directionUpdate(converged: converged, inBackground: inBackground) == expected)
  }

  @Test func onlyInsufficientLightingClearsConvergence() {
    var convergence = Convergence()
    #expect(!convergence.isReached)
    for obstacle in Convergence.Obstacle.allCases {
      convergence.update(.notConverged([obstacle]))
      #expect(!convergence.isReached)
    }
    convergence.update(.converged)
    #expect(convergence.isReached)
    let others: Set<Convergence.Obstacle> = [
      .insufficientHorizontalSweep, .insufficientVerticalSweep, .insufficientMovement,
    ]
    for report in [Convergence.Status.unknown, .notConverged([]), .notConverged(others)] {
      convergence.update(report)
      #expect(convergence.isReached)
    }
    convergence.update(.notConverged(others.union([.insufficientLighting])))
    #expect(!convergence.isReached)
    convergence.update(.unknown)
    #expect(!convergence.isReached)
  }
}

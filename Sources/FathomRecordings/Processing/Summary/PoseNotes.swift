import Fathom

extension RecordingSummary {
  /// Adds what poses with positions gave, with notes and warnings; `frame` is theirs among the
  /// anchors.
  mutating func addPoses(
    in outline: RecordingOutline, accessories located: [Accessory], frame: PoseFrame?
  ) {
    guard !outline.poses.isEmpty else { return }
    guard outline.tagNames.count == 1 else {
      // With directions this was said already.
      if outline.anchors.isEmpty || !outline.hasDirections {
        warnings.append("poses.csv is not used: it names no tag, and the recording has several")
      }
      return
    }
    if settings.method == .fix {
      notes.append("positions in poses.csv are not used: --method fix has no motion")
      return
    }
    guard outline.anchors.isEmpty else {
      poseFrame = frame
      if outline.sensors.usesPoses { notes.append("positions in poses.csv are used as odometry") }
      return
    }
    accessories = located
    notes.append("positions are those of accessories in the frame of poses.csv")
    warnAboutAccessories()
  }

  /// Adds warnings about what is missing for the places of the accessories.
  mutating func warnAboutAccessories() {
    for found in accessories ?? [] {
      let name = Excerpt.quoted(found.accessory)
      if found.restarts > 0 {
        let times = found.restarts == 1 ? "once" : "\(found.restarts) times"
        warnings.append(
          "poses.csv jumps \(times), as after a loss of tracking: the place of \(name) is in the"
            + " world since then")
      }
      guard found.convergence != "converged" else { continue }
      let advice = found.missing.map { movement in
        switch AccessoryConvergence.MissingMovement(rawValue: movement) {
        case .sidewaysMovement: "walk sideways, off the line walked so far"
        case .verticalMovement: "move the device up and down"
        case .movement, nil: "walk some metres"
        }
      }
      let other =
        found.alternativesM?.first.map { position in
          let numbers = position.map { "\((100 * $0).rounded() / 100)" }.joined(separator: ", ")
          return "; it may also be at (\(numbers)) m"
        } ?? ""
      let state = found.positionM == nil ? "is unknown" : "is not fully determined"
      warnings.append(
        "the place of \(name) \(state)\(other)"
          + (advice.isEmpty
            ? ": no range has a pose at its time" : ": \(advice.joined(separator: ", and "))"))
    }
  }
}

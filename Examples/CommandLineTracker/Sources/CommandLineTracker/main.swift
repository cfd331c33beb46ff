// Positions from lines "time,tag,anchor,distance" on standard input, as in Datasets/robot-2d/ranges.csv:
//
//   swift run CommandLineTracker < ../../Datasets/robot-2d/ranges.csv

import Fathom

var configuration = TrackerConfiguration()
configuration.height = 0.3  // of the tags, metres; nil if unknown
var tracker = try LiveTracker<Substring, Substring>(
  anchors: [
    "A": Anchor(position: Vector([0.1, 0.15, 2.1])),
    "B": Anchor(position: Vector([9.9, 0.1, 2.35])),
    "C": Anchor(position: Vector([9.85, 7.9, 2.05])),
    "D": Anchor(position: Vector([0.15, 7.85, 2.4])),
  ], configuration: configuration)

while let line = readLine() {
  let cells = line.split(separator: ",")
  guard cells.count >= 4, let time = Double(cells[0]).flatMap(Timestamp.init(seconds:)),
    let distance = Double(cells[3])
  else { continue }
  tracker.update(LiveRange(tag: cells[1], anchor: cells[2], distance: distance, at: time))
  guard let estimate = tracker.estimate(of: cells[1]) else { continue }
  let sigma = (0..<2).map { estimate.covariance[$0, $0].squareRoot() }
  print(
    "\(cells[0]) \(cells[1]) \(estimate.position.x) ± \(sigma[0]), \(estimate.position.y) ± \(sigma[1])"
  )
}

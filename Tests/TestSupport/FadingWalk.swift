import FathomEvaluation
import Foundation

/// A walk around a room with an RSSI-dependent range bias: signals fade as the tag turns.
///
/// Ranges above -80 dBm are up to 10 cm too short, those below up to 10 cm too long.
public enum FadingWalk {
  private static let corners = [
    ("A", 0.0, 0.0, 0.5), ("B", 8, 0, 2.5), ("C", 8, 6, 0.4), ("D", 0, 6, 2.4),
  ]

  /// The content of `anchors.csv`.
  public static let anchors =
    "id,x,y,z\n" + corners.map { "\($0),\($1),\($2),\($3)\n" }.joined()

  /// Returns the content of `ranges.csv`, 90 s; some rows have no measured level.
  public static func ranges(seed: UInt64) -> String {
    var generator = SeededGenerator(seed: seed)
    let rows = (0..<3600).map { step in
      let (name, x, y, z) = corners[step % 4]
      let seconds = Double(step) * 0.025
      let (along, across) = (4 + 3 * sin(0.3 * seconds), 3 + 2 * cos(0.2 * seconds))
      let level = -80 + 7 * sin(0.4 * seconds + 1.7 * Double(step % 4)) + generator.normal()
      let squares = (along - x) * (along - x) + (across - y) * (across - y) + (1 - z) * (1 - z)
      let distance = squares.squareRoot() + 0.03 * generator.normal() - 0.1 * tanh((level + 80) / 6)
      let cells = step % 50 == 0 ? "," : step % 50 == 1 ? "0,0" : "\(level),\(level - 3)"
      return "\(seconds),T,\(name),\(distance),\(cells)\n"
    }
    return "time_s,tag,anchor,distance_m,rssi_dbm,rssi_first_path_dbm\n" + rows.joined()
  }
}

/// A format of separate files of figures.
public enum FigureFormat: String, Sendable, Hashable, CaseIterable {
  /// Vector drawing for pages, in light and dark colours.
  case svg
  /// Pixels on white, two per unit of the drawing.
  case png
  /// Vector drawing for papers, 7 inches wide.
  case pdf
}

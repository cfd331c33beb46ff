/// A drawing of panels below each other with a common key, independent of the drawing program.
struct Plot: Sendable, Equatable {
  /// Width, in units in which text is 14 high.
  var width = 560.0
  /// The panels, from top to bottom.
  var panels: [Panel]

  /// One pair of axes and its content.
  struct Panel: Sendable, Equatable {
    /// Length of the vertical axis.
    var height = 220.0
    /// Text above the panel, on the left.
    var heading: String?
    /// Label of the horizontal axis; nil for an axis without text and numbers.
    var xLabel: String?
    /// Label of the vertical axis.
    var yLabel: String?
    /// Ends of the horizontal axis.
    var x: ClosedRange<Double>
    /// Ends of the vertical axis.
    var y: ClosedRange<Double>
    /// Whether the vertical axis is logarithmic; its ends must then be above zero.
    var isLogarithmic = false
    /// Texts instead of numbers on the vertical axis.
    var names: [Name] = []
    /// The layers, from back to front.
    var layers: [Layer]
    /// Texts at points.
    var labels: [Label] = []
  }

  /// A text on an axis.
  struct Name: Sendable, Equatable {
    var at: Double
    var text: String
  }

  /// A text at a point, to its upper right.
  struct Label: Sendable, Equatable {
    var x: Double
    var y: Double
    var text: String
    var colour = Palette.ink
  }

  /// A set of points drawn in one style.
  struct Layer: Sendable, Equatable {
    /// Name in the key, where layers of one name appear once; nil for no entry.
    var name: String?
    var colour: Palette
    var mark: Mark
    /// The points.
    ///
    /// For a band, `y` is the lower and `upper` the upper edge; boxes also have `right`.
    var points: [Point]
    /// Whether the points are estimates, which an axis must show.
    var isEstimate = false
  }

  /// How a layer is drawn.
  enum Mark: Sendable, Equatable {
    /// A line through the points, of the given width.
    case line(Double)
    /// A dashed line.
    case dashes
    /// The area between two lines.
    case band
    /// Rectangles.
    case boxes
    /// A sign at each point.
    case sign(Sign, Double)
  }

  /// Signs that are distinguishable without colour.
  enum Sign: Int, Sendable, CaseIterable {
    case plus = 1
    case cross = 2
    case square = 5
    case disc = 7
    case triangle = 9
  }

  /// A point, the corners of a box, or a section of a band.
  struct Point: Sendable, Equatable {
    var x: Double
    var y: Double
    /// Upper edge of a band's section or a box.
    var upper = 0.0
    /// Right edge of a box.
    var right = 0.0
    /// Whether a line or band is interrupted before this point.
    var beginsAnew = false
  }
}

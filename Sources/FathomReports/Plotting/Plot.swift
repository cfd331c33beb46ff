/// A drawing: panels below each other with a common key, described without saying who draws it.
struct Plot: Sendable, Equatable {
  /// Width, in units of which text is 14 high.
  var width = 560.0
  /// The panels, from top to bottom.
  var panels: [Panel]

  /// One pair of axes and what is in it.
  struct Panel: Sendable, Equatable {
    /// Height of the space between the axes' ends.
    var height = 220.0
    /// Text above the panel, on the left.
    var heading: String?
    /// What the horizontal axis counts; nil for an axis without text and numbers.
    var xLabel: String?
    /// What the vertical axis counts.
    var yLabel: String?
    /// Ends of the horizontal axis.
    var x: ClosedRange<Double>
    /// Ends of the vertical axis.
    var y: ClosedRange<Double>
    /// Whether the vertical axis is logarithmic; its ends are above zero then.
    var isLogarithmic = false
    /// Texts instead of numbers on the vertical axis.
    var names: [Name] = []
    /// What is drawn, in this order.
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

  /// One thing drawn.
  struct Layer: Sendable, Equatable {
    /// Its name in the key, where layers of one name appear once; nil for none.
    var name: String?
    var colour: Palette
    var mark: Mark
    /// The points; for a band `y` is its lower and `upper` its upper edge, for boxes likewise with
    /// `right` for the right edge.
    var points: [Point]
  }

  /// How a layer is drawn.
  enum Mark: Sendable, Equatable {
    /// A line through the points, of the given width.
    case line(Double)
    /// A line of dashes.
    case dashes
    /// The area between two lines.
    case band
    /// Rectangles.
    case boxes
    /// A sign at each point.
    case sign(Sign, Double)
  }

  /// Signs that are told apart without colour.
  enum Sign: Int, Sendable, CaseIterable {
    case plus = 1
    case cross = 2
    case square = 5
    case disc = 7
    case triangle = 9
  }

  /// A point, or the corners of a box, or a section of a band.
  struct Point: Sendable, Equatable {
    var x: Double
    var y: Double
    /// Upper end of a band's section or a box.
    var upper = 0.0
    /// Right end of a box.
    var right = 0.0
    /// Whether a line or band does not come here from the point before.
    var beginsAnew = false
  }
}

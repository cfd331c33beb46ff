/// An epoch without anything unusual, laid out for the kernels that solve it.
///
/// Plain is an epoch whose anchors clearly span the space, in two or three unknown coordinates,
/// without a prior, whose numbers are of sizes that neither squares nor their products overflow.
/// Nearly all epochs are. ``RangeProblem`` solves every epoch, this does so at a fraction of the
/// cost: rows of plain numbers on the stack, of which the first three are coordinates whatever the
/// number of unknowns.
///
/// Everything is relative to the mean of the anchors, metres.
struct PlainEpoch {
  /// Per range a row of ``rowLength`` numbers; what they are is said by the places below.
  let rows: UnsafeMutablePointer<Double>
  /// Number of ranges.
  private(set) var count = 0
  /// Number of unknown coordinates, 2 or 3.
  let free: Int
  /// The mean of the anchors.
  private(set) var centre = SIMD3<Double>.zero
  /// The third coordinate where it is given, else zero.
  private(set) var given = 0.0
  /// Root mean square distance of the anchors from their centre.
  private(set) var spread = 0.0
  /// The larger of ``spread`` and the longest range: for tolerances.
  private(set) var scale = 0.0

  /// The length of a row.
  static var rowLength: Int { 8 }
  /// The most ranges of an epoch: 8 kB of the stack.
  static var mostRanges: Int { 128 }
  /// Where the range stands in a row; the anchor stands before it.
  static var range: Int { 3 }
  /// Where the inverse of the variance stands.
  static var sharpness: Int { 4 }
  /// Where the index of the range in the input stands.
  static var index: Int { 5 }
  /// Where the residual is put.
  static var residual: Int { 6 }
  /// Where the weight of the residual is put.
  static var weight: Int { 7 }

  /// Lays out the ranges that are distances; nil where the epoch is not plain, or the input not
  /// valid.
  ///
  /// A range of zero is no plain one: whether it is a distance is for ``MeasuredDistance`` to say.
  ///
  /// `rows` is room for as many rows as there are ranges, and `absent` becomes the number of ranges
  /// that are no distances.
  init?<let D: Int>(
    _ ranges: [Double], _ anchors: [Vector<D>], _ sigmas: [Double]?,
    _ options: Trilateration.Options, rows: UnsafeMutablePointer<Double>, absent: inout Int
  ) {
    let height = D == 3 ? options.height : nil
    self.rows = rows
    free = height == nil ? D : 2
    guard anchors.count == ranges.count, (sigmas?.count ?? ranges.count) == ranges.count else {
      return nil
    }
    let usual = 1 / options.rangeSigma
    // A constant here: reading the static one takes a look whether it has been set.
    let sentinel = Double(Float.greatestFiniteMagnitude)
    var sum = SIMD3<Double>.zero
    var first = SIMD3<Double>.zero
    var (least, greatest, precise) = (Double.infinity, 0.0, 0.0)
    var coarse = Double.infinity
    var row = rows
    for index in 0..<ranges.count {
      let range = ranges[index]
      let anchor = SIMD3(anchors[index][0], anchors[index][1], D == 3 ? anchors[index][2] : 0)
      let precision = sigmas.map { 1 / $0[index] } ?? usual
      // Also where there is no range: the input is then not valid. Zero times infinity is NaN.
      guard precision > 0, 0 * anchor.x + 0 * anchor.y + 0 * anchor.z == 0 else { return nil }
      guard range > 0, range < sentinel else {
        if range == 0, options.zeroIsDistance { return nil }
        absent += 1
        continue
      }
      if count == 0 { first = anchor }
      let offset = anchor - first
      sum += offset
      (row[0], row[1], row[2]) = (offset.x, offset.y, offset.z)
      row[Self.range] = range
      row[Self.sharpness] = precision * precision
      row[Self.index] = Double(index)
      (least, greatest) = (min(least, range), max(greatest, range))
      (coarse, precise) = (min(coarse, precision), max(precise, precision))
      count += 1
      row += Self.rowLength
    }
    guard count > free, least > 1e-3 * greatest, coarse > 1e-6 * precise, coarse > 1e-9,
      precise < 1e9
    else { return nil }

    let mean = (1 / Double(count)) * sum
    centre = first + mean
    if let height { given = height - centre.z }
    var (xx, xy, yy, xz, yz, zz) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    row = rows
    for _ in 0..<count {
      let (x, y, z) = (row[0] - mean.x, row[1] - mean.y, row[2] - mean.z)
      (row[0], row[1], row[2]) = (x, y, z)
      xx += x * x
      xy += x * y
      yy += y * y
      xz += x * z
      yz += y * z
      zz += z * z
      row += Self.rowLength
    }
    let planar = xx * yy - xy * xy
    let trace = free == 3 ? xx + yy + zz : xx + yy
    spread = (trace / Double(count)).squareRoot()
    scale = max(spread, greatest)
    // The determinant against what it would be of anchors spread evenly: beyond, AnchorFlat
    // decides.
    if free == 3 {
      let determinant =
        planar * zz - xx * yz * yz - yy * xz * xz + 2 * xy * xz * yz
      guard determinant > 1e-9 * trace * trace * trace else { return nil }
    } else {
      guard planar > 1e-6 * trace * trace else { return nil }
    }
    let offCentre = centre.x.magnitude + centre.y.magnitude + centre.z.magnitude
    guard spread > 1e-6 * greatest, scale > 1e-6, scale < 1e9, offCentre < 1e8 * spread,
      given.magnitude <= 1e3 * scale
    else { return nil }
  }
}

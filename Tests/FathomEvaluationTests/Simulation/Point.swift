import Fathom

/// A point or direction by its components.
func point(_ x: Double, _ y: Double, _ z: Double) -> Vector<3> { Vector([x, y, z]) }

infix operator <-

/// Reads a member from JSON or writes it to JSON, depending on the direction of the map.
///
/// It supports numbers, strings, booleans, `Mappable` values, values with a raw value, and optionals, arrays
/// and string-keyed dictionaries of these. 0 and 1 can also be read as booleans, as with Foundation's
/// numbers.
///
/// A missing key changes nothing. A value that does not match sets an optional to `nil`, and leaves any other
/// member unchanged. An array skips objects that its `Mappable` element type refuses.
///
/// - Parameters:
///   - member: the member.
///   - map: the position in the JSON.
public func <- <Value>(member: inout Value, map: Map) {
  switch map.mappingType {
  case .fromJSON:
    if let raw = map.currentValue, let value = MapReader.read(Value.self, from: raw) { member = value }
  case .toJSON:
    map.write(MapWriter.json(member))
  }
}

/// Reads a member from JSON or writes it through a transform.
///
/// A missing key changes nothing, and neither does a value that the transform refuses.
///
/// - Parameters:
///   - member: the member.
///   - place: the position in the JSON, and the transform.
public func <- <Transform: TransformType>(member: inout Transform.Object, place: (Map, Transform)) {
  let (map, transform) = place
  switch map.mappingType {
  case .fromJSON:
    if let raw = map.currentValue, let value = transform.transformFromJSON(raw) { member = value }
  case .toJSON:
    map.write(transform.transformToJSON(member).flatMap { MapWriter.json($0) })
  }
}

/// Reads an optional member from JSON or writes it through a transform.
///
/// A missing key changes nothing. A value that the transform refuses sets the member to `nil`.
///
/// - Parameters:
///   - member: the member.
///   - place: the position in the JSON, and the transform.
public func <- <Transform: TransformType>(member: inout Transform.Object?, place: (Map, Transform)) {
  let (map, transform) = place
  switch map.mappingType {
  case .fromJSON:
    if let raw = map.currentValue { member = transform.transformFromJSON(raw) }
  case .toJSON:
    map.write(transform.transformToJSON(member).flatMap { MapWriter.json($0) })
  }
}

/// Reads an array from JSON or writes it through a transform of its elements.
///
/// A missing key changes nothing, and neither does a value that is not an array. Elements that the transform
/// refuses are skipped.
///
/// - Parameters:
///   - member: the member.
///   - place: the position in the JSON, and the transform.
public func <- <Transform: TransformType>(member: inout [Transform.Object], place: (Map, Transform)) {
  let (map, transform) = place
  switch map.mappingType {
  case .fromJSON:
    if let raw = map.currentValue as? [Any] { member = raw.compactMap { transform.transformFromJSON($0) } }
  case .toJSON:
    map.write(member.compactMap { transform.transformToJSON($0).flatMap { MapWriter.json($0) } })
  }
}

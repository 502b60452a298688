infix operator <-

/// Reads a member from JSON or writes it, whichever way the map goes.
///
/// Numbers, texts, booleans, `Mappable` values, values with a raw value, and optionals, arrays and string-keyed
/// dictionaries of them are understood. 0 and 1 are read as booleans too, as Foundation's numbers are.
///
/// A missing key changes nothing. What does not fit makes an optional `nil` and leaves any other member as it is; an
/// array leaves out the objects that a `Mappable` element refuses.
///
/// - Parameters:
///   - member: the member.
///   - map: the place in the JSON.
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
/// A missing key changes nothing, and neither does what the transform refuses.
///
/// - Parameters:
///   - member: the member.
///   - place: the place in the JSON and the transform.
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
/// A missing key changes nothing; what the transform refuses is `nil`.
///
/// - Parameters:
///   - member: the member.
///   - place: the place in the JSON and the transform.
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
/// A missing key changes nothing, and neither does what is not an array; elements that the transform refuses are left
/// out.
///
/// - Parameters:
///   - member: the member.
///   - place: the place in the JSON and the transform.
public func <- <Transform: TransformType>(member: inout [Transform.Object], place: (Map, Transform)) {
  let (map, transform) = place
  switch map.mappingType {
  case .fromJSON:
    if let raw = map.currentValue as? [Any] { member = raw.compactMap { transform.transformFromJSON($0) } }
  case .toJSON:
    map.write(member.compactMap { transform.transformToJSON($0).flatMap { MapWriter.json($0) } })
  }
}

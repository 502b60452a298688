/// An ordered list of header fields, whose names are case-insensitive (RFC 9110, section 5.1).
///
/// ```swift
/// var headers: HTTPHeaders = ["Accept": "application/json"]
/// headers.update(name: "accept", value: "text/plain")
/// headers["ACCEPT"]  // "text/plain"
/// ```
public struct HTTPHeaders: Sendable, Hashable {
  // Inlinable, like the collection below, so that other modules iterate without unspecialized generic code.
  @usableFromInline var fields: [HTTPHeader] = []

  /// Creates an empty list.
  public init() {}

  /// Creates a list of `fields`; if a name appears several times, the last field takes the place of the
  /// first.
  public init(_ fields: [HTTPHeader]) {
    // A linear search is faster for few fields, but a server may send tens of thousands.
    guard fields.count > 32 else {
      for field in fields { update(field) }
      return
    }
    var places: [[UInt8]: Int] = [:]
    for field in fields {
      let key = field.foldedName
      if let place = places[key] {
        self.fields[place] = field
      } else {
        places[key] = self.fields.count
        self.fields.append(field)
      }
    }
  }

  /// Creates a list from a dictionary, sorted by name so that the order is always the same.
  public init(_ dictionary: [String: String]) {
    self.init(dictionary.sorted { $0.key < $1.key }.map(HTTPHeader.init(name:value:)))
  }

  /// Creates a list of received fields, in which a name may appear several times.
  ///
  /// - Parameter fields: the fields, in the order in which they were received.
  public init(received fields: [HTTPHeader]) {
    self.fields = fields
  }

  /// Sets a field: replaces the field of that name in its place, or appends it.
  ///
  /// - Parameter field: the field; its spelling of the name is kept.
  public mutating func update(_ field: HTTPHeader) {
    guard let index = index(of: field.name) else { return fields.append(field) }
    fields[index] = field
    // A list of received fields may contain the name several times.
    for other in fields.indices.reversed() where other > index {
      if fields[other].name.equalsIgnoringASCIICase(field.name) { fields.remove(at: other) }
    }
  }

  /// Sets a field: replaces the field of that name in its place, or appends it.
  ///
  /// - Parameters:
  ///   - name: the name; its spelling is kept.
  ///   - value: the value.
  public mutating func update(name: String, value: String) {
    update(HTTPHeader(name: name, value: value))
  }

  /// Sets a field; the same as `update(_:)`.
  public mutating func add(_ field: HTTPHeader) {
    update(field)
  }

  /// Sets a field; the same as `update(name:value:)`.
  public mutating func add(name: String, value: String) {
    update(name: name, value: value)
  }

  /// Adds the fields of a list whose names are not set.
  ///
  /// A default `Accept-Encoding` is not added to a request for a range, which would be one of the encoded bytes.
  package mutating func addMissing(_ others: HTTPHeaders) {
    for field in others where self[field.name] == nil {
      if field.isNamed("accept-encoding"), self["Range"] != nil { continue }
      add(field)
    }
  }

  /// Removes every field of this name.
  public mutating func remove(name: String) {
    fields.removeAll { $0.name.equalsIgnoringASCIICase(name) }
  }

  /// Returns the value of a field; `nil` if there is none.
  ///
  /// If a received name appears several times, its values are joined by `", "` (RFC 9110, section 5.3).
  public func value(for name: String) -> String? {
    let values = fields.filter { $0.name.equalsIgnoringASCIICase(name) }.map(\.value)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  /// The value of a field; setting `nil` removes it.
  public subscript(_ name: String) -> String? {
    get { value(for: name) }
    set {
      if let newValue { update(name: name, value: newValue) } else { remove(name: name) }
    }
  }

  /// The fields as a dictionary, with names in the spelling of their first appearance.
  public var dictionary: [String: String] {
    var names: [[UInt8]: String] = [:]
    var values: [String: [String]] = [:]
    for field in fields {
      let key = field.foldedName
      let name = names[key] ?? field.name
      names[key] = name
      values[name, default: []].append(field.value)
    }
    return values.mapValues { $0.joined(separator: ", ") }
  }

  /// Sorts the fields by name.
  public mutating func sort() {
    fields.sort { $0.name.lowercased() < $1.name.lowercased() }
  }

  /// Returns the fields sorted by name.
  public func sorted() -> HTTPHeaders {
    var copy = self
    copy.sort()
    return copy
  }

  private func index(of name: String) -> Int? {
    fields.firstIndex { $0.name.equalsIgnoringASCIICase(name) }
  }
}

extension HTTPHeaders: RandomAccessCollection {
  /// The position of the first field.
  @inlinable public var startIndex: Int { fields.startIndex }
  /// The position past the last field.
  @inlinable public var endIndex: Int { fields.endIndex }
  /// The field at a position.
  @inlinable public subscript(position: Int) -> HTTPHeader { fields[position] }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
  /// Creates a list from a literal, in its order.
  public init(dictionaryLiteral elements: (String, String)...) {
    self.init(elements.map { HTTPHeader(name: $0.0, value: $0.1) })
  }

  /// Creates a list from a literal, in its order.
  public init(arrayLiteral elements: HTTPHeader...) {
    self.init(elements)
  }
}

extension HTTPHeaders: CustomStringConvertible {
  /// One field per line, with the values of secret fields hidden.
  public var description: String { fields.map(\.description).joined(separator: "\n") }
}

extension HTTPHeader {
  /// The name in lower case, as a key.
  fileprivate var foldedName: [UInt8] { name.utf8.map { $0 &- UInt8(ascii: "A") < 26 ? $0 | 0x20 : $0 } }
}

extension String {
  /// Compares bytes, which allocates nothing and is correct because field names are ASCII tokens.
  package func equalsIgnoringASCIICase(_ other: String) -> Bool {
    utf8.elementsEqual(other.utf8) { left, right in
      left == right || (left | 0x20 == right | 0x20 && UInt8(ascii: "a")...UInt8(ascii: "z") ~= left | 0x20)
    }
  }
}

public import Foundation

/// A conversion between a value and its JSON representation.
public protocol TransformType {
  /// The type of the value.
  associatedtype Object
  /// The type of its JSON representation.
  associatedtype JSON

  /// Returns the value for a JSON value.
  ///
  /// - Parameter value: the JSON value.
  /// - Returns: the value; `nil` to refuse the JSON value.
  func transformFromJSON(_ value: Any?) -> Object?

  /// Returns the JSON representation of a value.
  ///
  /// - Parameter value: the value.
  /// - Returns: the JSON value; `nil` to omit the member.
  func transformToJSON(_ value: Object?) -> JSON?
}

/// A transform that consists of two closures.
public struct TransformOf<Object, JSON>: TransformType {
  private let fromJSON: (JSON?) -> Object?
  private let toJSON: (Object?) -> JSON?

  /// Creates a transform.
  ///
  /// - Parameters:
  ///   - fromJSON: returns the value for a JSON value; receives `nil` if the JSON value has another type.
  ///   - toJSON: returns the JSON representation of a value.
  public init(fromJSON: @escaping (JSON?) -> Object?, toJSON: @escaping (Object?) -> JSON?) {
    self.fromJSON = fromJSON
    self.toJSON = toJSON
  }

  /// Returns the value for a JSON value.
  public func transformFromJSON(_ value: Any?) -> Object? {
    fromJSON(value.flatMap { MapReader.read(JSON.self, from: $0) })
  }

  /// Returns the JSON representation of a value.
  public func transformToJSON(_ value: Object?) -> JSON? { toJSON(value) }
}

/// A transform of dates to seconds or milliseconds since 1970-01-01.
public struct DateTransform: TransformType {
  /// The unit of the number.
  public enum Unit: Double, Sendable {
    /// Seconds.
    case seconds = 1
    /// Milliseconds.
    case milliseconds = 1000
  }

  private let unit: Unit

  /// Creates a transform.
  ///
  /// - Parameter unit: the unit of the number.
  public init(unit: Unit = .seconds) {
    self.unit = unit
  }

  /// Returns the date for a number, or for a string that contains a number.
  public func transformFromJSON(_ value: Any?) -> Date? {
    guard let value else { return nil }
    let count = MapReader.read(Double.self, from: value) ?? (value as? String).flatMap { Double($0) }
    guard let count, count.isFinite else { return nil }
    return Date(timeIntervalSince1970: count / unit.rawValue)
  }

  /// Returns the number for a date.
  public func transformToJSON(_ value: Date?) -> Double? {
    value.map { $0.timeIntervalSince1970 * unit.rawValue }
  }
}

/// A transform of dates to text such as `2001-01-01T00:02:03Z`; also reads other offsets and fractions of a
/// second.
public struct ISO8601DateTransform: TransformType {
  /// Creates a transform.
  public init() {}

  /// Returns the date for a string.
  public func transformFromJSON(_ value: Any?) -> Date? {
    guard let text = value as? String else { return nil }
    return (try? Date.ISO8601FormatStyle().parse(text))
      ?? (try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text))
  }

  /// Returns the text of a date.
  public func transformToJSON(_ value: Date?) -> String? { value?.formatted(.iso8601) }
}

/// A transform of URLs to text.
public struct URLTransform: TransformType {
  /// Creates a transform.
  public init() {}

  /// Returns the URL for a string.
  public func transformFromJSON(_ value: Any?) -> URL? {
    (value as? String).flatMap { URL(string: $0) }
  }

  /// Returns the text of a URL.
  public func transformToJSON(_ value: URL?) -> String? { value?.absoluteString }
}

public import Foundation

/// A way between a value and its form in JSON.
public protocol TransformType {
  /// The value.
  associatedtype Object
  /// Its form in JSON.
  associatedtype JSON

  /// Makes the value.
  ///
  /// - Parameter value: what stands in the JSON.
  /// - Returns: the value; `nil` refuses.
  func transformFromJSON(_ value: Any?) -> Object?

  /// Makes the form in JSON.
  ///
  /// - Parameter value: the value.
  /// - Returns: the form; `nil` leaves it out.
  func transformToJSON(_ value: Object?) -> JSON?
}

/// A transform of two closures.
public struct TransformOf<Object, JSON>: TransformType {
  private let fromJSON: (JSON?) -> Object?
  private let toJSON: (Object?) -> JSON?

  /// Makes a transform.
  ///
  /// - Parameters:
  ///   - fromJSON: makes the value; gets `nil` where the JSON is of another type.
  ///   - toJSON: makes the form in JSON.
  public init(fromJSON: @escaping (JSON?) -> Object?, toJSON: @escaping (Object?) -> JSON?) {
    self.fromJSON = fromJSON
    self.toJSON = toJSON
  }

  /// Makes the value.
  public func transformFromJSON(_ value: Any?) -> Object? {
    fromJSON(value.flatMap { MapReader.read(JSON.self, from: $0) })
  }

  /// Makes the form in JSON.
  public func transformToJSON(_ value: Object?) -> JSON? { toJSON(value) }
}

/// Dates as seconds or milliseconds since 1970-01-01.
public struct DateTransform: TransformType {
  /// What a date is counted in.
  public enum Unit: Double, Sendable {
    /// Seconds.
    case seconds = 1
    /// Milliseconds.
    case milliseconds = 1000
  }

  private let unit: Unit

  /// Makes a transform.
  ///
  /// - Parameter unit: what a date is counted in.
  public init(unit: Unit = .seconds) {
    self.unit = unit
  }

  /// Makes the date of a number, or of a text that is one.
  public func transformFromJSON(_ value: Any?) -> Date? {
    guard let value else { return nil }
    let count = MapReader.read(Double.self, from: value) ?? (value as? String).flatMap { Double($0) }
    guard let count, count.isFinite else { return nil }
    return Date(timeIntervalSince1970: count / unit.rawValue)
  }

  /// Makes the number.
  public func transformToJSON(_ value: Date?) -> Double? {
    value.map { $0.timeIntervalSince1970 * unit.rawValue }
  }
}

/// Dates as `2001-01-01T00:02:03Z`, with any offset, and with fractions of a second when read.
public struct ISO8601DateTransform: TransformType {
  /// Makes a transform.
  public init() {}

  /// Makes the date.
  public func transformFromJSON(_ value: Any?) -> Date? {
    guard let text = value as? String else { return nil }
    return (try? Date.ISO8601FormatStyle().parse(text))
      ?? (try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text))
  }

  /// Makes the text.
  public func transformToJSON(_ value: Date?) -> String? { value?.formatted(.iso8601) }
}

/// URLs as their text.
public struct URLTransform: TransformType {
  /// Makes a transform.
  public init() {}

  /// Makes the URL.
  public func transformFromJSON(_ value: Any?) -> URL? {
    (value as? String).flatMap { URL(string: $0) }
  }

  /// Makes the text.
  public func transformToJSON(_ value: URL?) -> String? { value?.absoluteString }
}

/// The position of a request in a distributed trace, in the form of W3C Trace Context.
///
/// ```swift
/// let context = try TraceContext(traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
/// ```
///
/// Source: W3C Recommendation "Trace Context", 23 November 2021.
public struct TraceContext: Sendable, Hashable {
  /// The identifier of the trace: 32 lower-case hexadecimal digits, not all zero.
  public let traceID: String
  /// The identifier of the caller's span: 16 lower-case hexadecimal digits, not all zero.
  public let parentID: String
  /// Whether the caller may have recorded the trace.
  public let isSampled: Bool
  /// The data of tracing systems, newest first; may be empty.
  public let state: TraceState

  /// Creates a position.
  ///
  /// - Parameters:
  ///   - traceID: 32 lower-case hexadecimal digits, not all zero.
  ///   - parentID: 16 lower-case hexadecimal digits, not all zero.
  ///   - isSampled: whether the caller may have recorded the trace.
  ///   - state: the data of tracing systems.
  /// - Throws: `TraceContextError` if an identifier is invalid.
  public init(
    traceID: String, parentID: String, isSampled: Bool = true, state: TraceState = TraceState()
  ) throws(TraceContextError) {
    guard Self.isIdentifier(traceID, length: 32) else { throw .invalidTraceID(traceID) }
    guard Self.isIdentifier(parentID, length: 16) else { throw .invalidParentID(parentID) }
    self.traceID = traceID
    self.parentID = parentID
    self.isSampled = isSampled
    self.state = state
  }

  /// Creates the position that the fields of a received request describe.
  ///
  /// Of a version after `00`, only the parts that `00` defines are read, as the recommendation demands. An
  /// invalid `tracestate` is dropped, and is not an error.
  ///
  /// - Parameters:
  ///   - traceparent: the value of the field `traceparent`.
  ///   - tracestate: the value of the field `tracestate`; join several fields with commas.
  /// - Throws: `TraceContextError` if `traceparent` is invalid.
  public init(traceparent: String, tracestate: String? = nil) throws(TraceContextError) {
    let bytes = Array(traceparent.utf8)
    let parts = traceparent.split(separator: "-", omittingEmptySubsequences: false)
    guard bytes.count >= 55, parts.count >= 4, Self.isHex(parts[0], length: 2), parts[0] != "ff",
      parts[0] != "00" || bytes.count == 55 && parts.count == 4, Self.isHex(parts[3], length: 2),
      let flags = UInt8(parts[3], radix: 16)
    else { throw .invalidTraceparent(traceparent) }
    try self.init(
      traceID: String(parts[1]), parentID: String(parts[2]), isSampled: flags & 1 == 1,
      state: tracestate.flatMap { try? TraceState($0) } ?? TraceState())
  }

  /// Returns the beginning of a new trace, with random identifiers.
  ///
  /// - Parameter isSampled: whether the caller may have recorded the trace.
  /// - Returns: the position.
  public static func random(isSampled: Bool = true) -> TraceContext {
    TraceContext(
      unchecked: UInt64.random(in: 0 ... .max).hexDigits + UInt64.random(in: 1 ... .max).hexDigits,
      UInt64.random(in: 1 ... .max).hexDigits, isSampled, TraceState())
  }

  /// Returns the position of another span of the same trace, with a random `parentID`.
  public func child() -> TraceContext {
    TraceContext(unchecked: traceID, UInt64.random(in: 1 ... .max).hexDigits, isSampled, state)
  }

  /// The value of the field `traceparent`, in version `00`.
  public var traceparent: String { "00-\(traceID)-\(parentID)-\(isSampled ? "01" : "00")" }

  private init(unchecked traceID: String, _ parentID: String, _ isSampled: Bool, _ state: TraceState) {
    self.traceID = traceID
    self.parentID = parentID
    self.isSampled = isSampled
    self.state = state
  }

  private static func isHex(_ text: some StringProtocol, length: Int) -> Bool {
    text.utf8.count == length
      && text.utf8.allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
      }
  }

  private static func isIdentifier(_ text: String, length: Int) -> Bool {
    isHex(text, length: length) && text.utf8.contains { $0 != UInt8(ascii: "0") }
  }
}

/// An invalid part of a trace context.
public enum TraceContextError: Error, Sendable, Hashable {
  /// The identifier of the trace is not 32 lower-case hexadecimal digits, or is all zero.
  case invalidTraceID(String)
  /// The identifier of the caller's span is not 16 lower-case hexadecimal digits, or is all zero.
  case invalidParentID(String)
  /// The value of `traceparent` does not have the form of the recommendation.
  case invalidTraceparent(String)
  /// A member of `tracestate` has an invalid key or value, a key occurs twice, or there are more than 32
  /// members.
  case invalidTracestate(String)
}

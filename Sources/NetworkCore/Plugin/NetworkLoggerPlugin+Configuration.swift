public import Foundation

extension NetworkLoggerPlugin {
  /// The settings of a logger: the parts that are logged, their format and their destination.
  public struct Configuration: Sendable {
    /// Receives the log entries of a request or a response, one item per entry.
    public typealias OutputType = @Sendable (_ target: any TargetType, _ items: [String]) -> Void

    /// The fields whose values are hidden by default.
    public static let defaultRedactedHeaderFields = Redactor.secretFields

    /// Formats the entries.
    public var formatter: Formatter
    /// Receives the entries.
    public var output: OutputType
    /// The parts that are logged.
    public var logOptions: LogOptions
    /// The names, in any case, of the fields whose values are hidden; an empty array hides nothing.
    ///
    /// An empty array also shows tokens in URLs. Texts of errors always hide secrets.
    public var redactedHeaderFields: [String]

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - formatter: formats the entries.
    ///   - output: receives the entries, on the thread of `willSend` or `didReceive`.
    ///   - logOptions: the parts that are logged.
    ///   - redactedHeaderFields: the names of the fields whose values are hidden.
    @preconcurrency public init(
      formatter: Formatter = Formatter(), output: @escaping OutputType = defaultOutput,
      logOptions: LogOptions = .default, redactedHeaderFields: [String] = defaultRedactedHeaderFields
    ) {
      self.formatter = formatter
      self.output = output
      self.logOptions = logOptions
      self.redactedHeaderFields = redactedHeaderFields
    }

    /// Prints each item on its own line.
    ///
    /// - Parameters:
    ///   - target: the requested target.
    ///   - items: the items.
    @Sendable public static func defaultOutput(target: any TargetType, items: [String]) {
      for item in items { print(item) }
    }
  }
}

extension NetworkLoggerPlugin.Configuration {
  /// The parts of a request and its response that are logged.
  public struct LogOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Creates options from their bits.
    public init(rawValue: Int) {
      self.rawValue = rawValue
    }

    /// The request's method.
    public static let requestMethod = LogOptions(rawValue: 1 << 0)
    /// The request's body.
    public static let requestBody = LogOptions(rawValue: 1 << 1)
    /// The request's header fields, including those that the transport adds.
    public static let requestHeaders = LogOptions(rawValue: 1 << 2)
    /// The request as a command to paste into a shell, instead of all its other parts; with its body only together
    /// with `requestBody`.
    public static let formatRequestAscURL = LogOptions(rawValue: 1 << 3)
    /// The body of a successful response.
    public static let successResponseBody = LogOptions(rawValue: 1 << 4)
    /// The body of a failed response, such as a response that `validationType` refuses.
    public static let errorResponseBody = LogOptions(rawValue: 1 << 5)
    /// Method and header fields.
    public static let `default`: LogOptions = [requestMethod, requestHeaders]
    /// All parts except the shell command, which would replace the other parts of the request.
    public static let verbose: LogOptions = [
      requestMethod, requestHeaders, requestBody, successResponseBody, errorResponseBody,
    ]
  }

  /// Formats log entries and bodies as text.
  public struct Formatter: Sendable {
    /// Returns a body as text.
    public typealias DataFormatterType = @Sendable (Data) -> String
    /// Returns an entry as text, from its kind, such as `Request Headers`, and its content.
    public typealias EntryFormatterType =
      @Sendable (_ identifier: String, _ message: String, _ target: any TargetType) -> String

    /// Formats each entry.
    public var entry: EntryFormatterType
    /// Formats a request's body.
    public var requestData: DataFormatterType
    /// Formats a response's body.
    public var responseData: DataFormatterType

    /// Creates a formatter.
    ///
    /// - Parameters:
    ///   - entry: formats each entry.
    ///   - requestData: formats a request's body.
    ///   - responseData: formats a response's body.
    @preconcurrency public init(
      entry: @escaping EntryFormatterType = defaultEntryFormatter,
      requestData: @escaping DataFormatterType = defaultDataFormatter,
      responseData: @escaping DataFormatterType = defaultDataFormatter
    ) {
      self.entry = entry
      self.requestData = requestData
      self.responseData = responseData
    }

    /// Returns a body as UTF-8 text, or its length if it is not text.
    ///
    /// - Parameter data: the body.
    /// - Returns: the text.
    @Sendable public static func defaultDataFormatter(_ data: Data) -> String {
      String(validating: data, as: UTF8.self) ?? "(\(data.count) bytes that are not text)"
    }

    /// Returns an entry as text: the time, the kind of entry and the content.
    ///
    /// - Parameters:
    ///   - identifier: the kind of entry.
    ///   - message: the content.
    ///   - target: the requested target.
    /// - Returns: the text.
    @Sendable public static func defaultEntryFormatter(
      identifier: String, message: String, target: any TargetType
    )
      -> String
    {
      "NetworkLogger: [\(Date().formatted(.iso8601))] \(identifier): \(message)"
    }
  }
}

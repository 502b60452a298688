public import Foundation

extension NetworkLoggerPlugin {
  /// What is logged, and how.
  public struct Configuration: Sendable {
    /// Gets what there is to log of a request or an answer: one item for each entry.
    public typealias OutputType = @Sendable (_ target: any TargetType, _ items: [String]) -> Void

    /// The fields whose values are hidden unless others are named.
    public static let defaultRedactedHeaderFields = [
      "Authorization", "Cookie", "Proxy-Authorization", "Set-Cookie", "X-Api-Key", "X-Auth-Token",
    ]

    /// Makes texts of what is logged.
    public var formatter: Formatter
    /// Gets the texts.
    public var output: OutputType
    /// What is logged.
    public var logOptions: LogOptions
    /// The names, in any case, of the fields whose values are hidden; empty to hide nothing, tokens in URLs included.
    ///
    /// The texts of errors hide them all the same.
    public var redactedHeaderFields: [String]

    /// Makes a configuration.
    ///
    /// - Parameters:
    ///   - formatter: makes texts of what is logged.
    ///   - output: gets the texts, on the thread of `willSend` or `didReceive`.
    ///   - logOptions: what is logged.
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

    /// Prints each item on a line of its own.
    ///
    /// - Parameters:
    ///   - target: what is asked for.
    ///   - items: the items.
    @Sendable public static func defaultOutput(target: any TargetType, items: [String]) {
      for item in items { print(item) }
    }
  }
}

extension NetworkLoggerPlugin.Configuration {
  /// Which parts are logged.
  public struct LogOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Makes options of bits.
    public init(rawValue: Int) {
      self.rawValue = rawValue
    }

    /// The request's method.
    public static let requestMethod = LogOptions(rawValue: 1 << 0)
    /// The request's body.
    public static let requestBody = LogOptions(rawValue: 1 << 1)
    /// The request's header fields, those of the transport among them.
    public static let requestHeaders = LogOptions(rawValue: 1 << 2)
    /// The request as a command that can be pasted into a shell, and nothing else of it.
    public static let formatRequestAscURL = LogOptions(rawValue: 1 << 3)
    /// The body of an answer that is a success.
    public static let successResponseBody = LogOptions(rawValue: 1 << 4)
    /// The body of an answer that is a failure, such as one that `validationType` refuses.
    public static let errorResponseBody = LogOptions(rawValue: 1 << 5)
    /// Method and header fields.
    public static let `default`: LogOptions = [requestMethod, requestHeaders]
    /// Everything but the command for a shell, which would stand for all the rest.
    public static let verbose: LogOptions = [
      requestMethod, requestHeaders, requestBody, successResponseBody, errorResponseBody,
    ]
  }

  /// Makes texts of what is logged.
  public struct Formatter: Sendable {
    /// Makes a text of a body.
    public typealias DataFormatterType = @Sendable (Data) -> String
    /// Makes an item of what it is, such as `Request Headers`, and its content.
    public typealias EntryFormatterType =
      @Sendable (_ identifier: String, _ message: String, _ target: any TargetType) -> String

    /// Makes an item of each entry.
    public var entry: EntryFormatterType
    /// Makes a text of a request's body.
    public var requestData: DataFormatterType
    /// Makes a text of an answer's body.
    public var responseData: DataFormatterType

    /// Makes a formatter.
    ///
    /// - Parameters:
    ///   - entry: makes an item of each entry.
    ///   - requestData: makes a text of a request's body.
    ///   - responseData: makes a text of an answer's body.
    @preconcurrency public init(
      entry: @escaping EntryFormatterType = defaultEntryFormatter,
      requestData: @escaping DataFormatterType = defaultDataFormatter,
      responseData: @escaping DataFormatterType = defaultDataFormatter
    ) {
      self.entry = entry
      self.requestData = requestData
      self.responseData = responseData
    }

    /// The body as UTF-8 text, or how long it is where it is not text.
    ///
    /// - Parameter data: the body.
    /// - Returns: the text.
    @Sendable public static func defaultDataFormatter(_ data: Data) -> String {
      String(validating: data, as: UTF8.self) ?? "(\(data.count) bytes that are not text)"
    }

    /// The time, what it is, and the content.
    ///
    /// - Parameters:
    ///   - identifier: what it is.
    ///   - message: the content.
    ///   - target: what is asked for.
    /// - Returns: the item.
    @Sendable public static func defaultEntryFormatter(
      identifier: String, message: String, target: any TargetType
    )
      -> String
    {
      "NetworkLogger: [\(Date().formatted(.iso8601))] \(identifier): \(message)"
    }
  }
}

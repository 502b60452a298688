/// The default fields for requests that do not have them, ready to be sent.
///
/// libcurl could add them, but would write them again for each request, character by character and twice.
struct DefaultHeaderFields: Sendable {
  /// A set of the default fields.
  struct FieldSet: OptionSet {
    let rawValue: Int
    static let userAgent = FieldSet(rawValue: 1)
    static let languages = FieldSet(rawValue: 2)
    static let encodings = FieldSet(rawValue: 4)
  }

  /// The lists to append to the fields of a request, by the raw value of the fields that it has.
  private let lists: [CurlStringList?]

  /// Creates the lists.
  ///
  /// - Parameters:
  ///   - configuration: contains the values of `User-Agent` and `Accept-Language`.
  ///   - encodings: the names of the content codings that can be decoded.
  init(_ configuration: CurlConfiguration, encodings: [String]) {
    let fields: [(FieldSet, String?)] = [
      (.userAgent, configuration.userAgent.flatMap { $0.isEmpty ? nil : "User-Agent: \($0)" }),
      (.languages, configuration.acceptLanguage.flatMap { $0.isEmpty ? nil : "Accept-Language: \($0)" }),
      (.encodings, encodings.isEmpty ? nil : "Accept-Encoding: " + encodings.joined(separator: ", ")),
    ]
    lists = (0..<8).map { named in
      let lines = fields.filter { !FieldSet(rawValue: named).contains($0.0) }.compactMap(\.1)
      return lines.isEmpty ? nil : CurlStringList(lines)
    }
  }

  /// Returns the list to append to the fields of a request; `nil` if it has all of them.
  func list(excluding named: FieldSet) -> CurlStringList? { lists[named.rawValue] }
}

extension CurlConfiguration {
  /// The default fields for requests that do not have them, without `Accept` and `Accept-Encoding`.
  ///
  /// - Throws: `CurlConfigurationError.invalid` for a value that a field cannot have.
  var defaultHeaders: HTTPHeaders {
    get throws(CurlConfigurationError) {
      let named = [
        ("userAgent", userAgent.map(HTTPHeader.userAgent)),
        ("acceptLanguage", acceptLanguage.map(HTTPHeader.acceptLanguage)),
      ]
      var headers: HTTPHeaders = [:]
      for case (let name, let field?) in named where !field.value.isEmpty {
        guard field.canBeSent else {
          throw .invalid(name: name, value: field.value, reason: "a field cannot have this value")
        }
        headers.add(field)
      }
      return headers
    }
  }
}

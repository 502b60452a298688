import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A request as a shell command in Alamofire's form: a prompt, then one option per line.
///
/// Each value is in single quotes, inside which a POSIX shell or fish interprets nothing, not even the `!` of an
/// interactive one. A value chosen by a server or a user therefore has no effect when the command is pasted.
struct CurlCommand {
  /// The command, after a prompt.
  let text: String

  /// Creates the command.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - sessionHeaders: the fields that are sent if the request does not set them.
  ///   - redactor: hides the secrets.
  ///   - showsBody: whether the command contains the body; otherwise curl reads it from its standard input.
  init(
    _ request: URLRequest, sessionHeaders: [String: String], using redactor: Redactor = .none,
    showsBody: Bool = true
  ) {
    var request = request
    var command = "curl -v"
    let method = request.httpMethod ?? "GET"
    // A transport does not send the body of a HEAD, and curl refuses `--head` with a body.
    if method == "HEAD" { (request.httpBody, request.httpBodyStream) = (nil, nil) }
    // With -X, curl would wait for the body of a response to HEAD.
    var options = [method == "HEAD" ? "--head" : "-X \(method.isPlain ? method : method.shellQuoted)"]
    let fields = request.fields(addedTo: sessionHeaders)
    for field in fields {
      // libcurl omits a field that is given as "Name:", and sends an empty field for "Name;".
      let line = field.value.isEmpty ? "\(field.name);" : "\(field.name): \(redactor.redacted(field))"
      options.append("-H \(line.shellQuoted)")
    }
    if let body = request.httpBody, showsBody {
      if let text = String(validating: body, as: UTF8.self), !text.utf8.contains(0) {
        // With -d, curl reads a text that begins with @ as a file name, and drops line breaks of that file.
        options.append("\(text.utf8.first == UInt8(ascii: "@") ? "--data-raw" : "-d") \(text.shellQuoted)")
      } else {
        // An argument of a program cannot contain a NUL.
        command = "printf %s \(body.base64EncodedString().shellQuoted) | base64 -d | " + command
        options.append("--data-binary @-")
      }
    } else if request.httpBody != nil || request.httpBodyStream != nil {
      options.append("--data-binary @-")
    }
    let hasBody = request.httpBody != nil || request.httpBodyStream != nil
    if hasBody, request.form == nil, !fields.contains(where: { $0.isNamed("content-type") }) {
      // Otherwise curl would label the body as a form.
      options.append("-H 'Content-Type:'")
    }
    options.append(redactor.redacted(url: request.url?.absoluteString ?? "").shellQuoted)
    text = (["$ " + command] + options).joined(separator: " \\\n\t")
  }
}

extension URLRequest {
  /// Returns all fields that are sent, sorted by name; the request's own fields take precedence.
  func fields(addedTo sessionHeaders: [String: String]) -> [HTTPHeader] {
    var fields = HTTPHeaders(allHTTPHeaderFields ?? [:])
    fields.addMissing(HTTPHeaders(sessionHeaders))
    return Array(fields.sorted())
  }
}

extension String {
  /// Whether a POSIX shell reads the text as one word without quotes.
  fileprivate var isPlain: Bool {
    !isEmpty
      && utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
          true
        default: false
        }
      }
  }

  /// The text, quoted as one word of a POSIX shell (Shell Command Language, section 2.2.3).
  fileprivate var shellQuoted: String {
    // By scalars, because a quote and a combining mark after it are one character. A backslash stands outside the
    // quotes, because fish interprets it inside them.
    let quoted = unicodeScalars.map { scalar in
      switch scalar {
      case "'": #"'\''"#
      case "\\": #"'\\'"#
      default: String(scalar)
      }
    }
    return "'" + quoted.joined() + "'"
  }
}

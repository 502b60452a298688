import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A request as a command for a shell, in Alamofire's form: behind a prompt, an option a line.
///
/// Within the double quotes, every sign that a POSIX shell would act on is escaped, so a value that a server or user has made up does
/// nothing when the command is pasted.
struct CurlCommand {
  /// The command behind a prompt.
  let text: String

  /// Makes the command.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - sessionHeaders: fields that are sent where the request does not set them.
  ///   - secrets: what must not be shown.
  init(_ request: URLRequest, sessionHeaders: [String: String], hiding secrets: Secrets = .none) {
    var command = "curl -v"
    let method = request.httpMethod ?? "GET"
    // With -X, curl would wait for the body of an answer to HEAD.
    var options = [method == "HEAD" ? "--head" : "-X \(method.isPlain ? method : method.shellQuoted)"]
    for field in request.fields(addedTo: sessionHeaders) {
      // libcurl takes "Name:" for the wish to send no such field, and "Name;" for an empty one.
      let line = field.value.isEmpty ? "\(field.name);" : "\(field.name): \(secrets.shown(field))"
      options.append("-H \(line.shellQuoted)")
    }
    if let body = request.httpBody {
      if let text = String(validating: body, as: UTF8.self), !text.utf8.contains(0) {
        // curl takes what follows an @ for a file, and without --data-raw drops line ends of one.
        options.append("\(text.hasPrefix("@") ? "--data-raw" : "-d") \(text.shellQuoted)")
      } else {
        // No argument of a program can have a NUL.
        command = "printf %s \(body.base64EncodedString().shellQuoted) | base64 -d | " + command
        options.append("--data-binary @-")
      }
    } else if request.httpBodyStream != nil {
      options.append("--data-binary @-")
    }
    options.append(secrets.shown(url: request.url?.absoluteString ?? "").shellQuoted)
    text = (["$ " + command] + options).joined(separator: " \\\n\t")
  }
}

extension URLRequest {
  /// All fields that are sent, by name; the request's own win.
  func fields(addedTo sessionHeaders: [String: String]) -> [HTTPHeader] {
    var fields = HTTPHeaders(sessionHeaders)
    for field in HTTPHeaders(allHTTPHeaderFields ?? [:]) { fields.update(field) }
    return Array(fields.sorted())
  }
}

extension String {
  /// Whether a POSIX shell takes the text for one word without quotes.
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

  /// The text as one word of a POSIX shell (Shell Command Language, section 2.2.3).
  fileprivate var shellQuoted: String {
    "\""
      + reduce(into: "") { quoted, sign in
        for scalar in sign.unicodeScalars {
          if "\\\"$`".unicodeScalars.contains(scalar) { quoted.append("\\") }
          quoted.unicodeScalars.append(scalar)
        }
      } + "\""
  }
}

import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A request as a command for a shell.
///
/// Every word that is not plain stands in single quotes, within which a POSIX shell takes everything as it is, so a
/// value that a server or user has made up does nothing when the command is pasted.
struct CurlCommand {
  let text: String

  /// Makes the command.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - sessionHeaders: fields that are sent where the request does not set them.
  ///   - secrets: what must not be shown.
  init(_ request: URLRequest, sessionHeaders: [String: String], hiding secrets: Secrets = .none) {
    var words = ["curl"]
    let method = request.httpMethod ?? "GET"
    if method == "HEAD" {
      words.append("--head")
    } else if method != "GET" || request.httpBody != nil {
      words += ["--request", method.shellQuoted]
    }
    for field in request.fields(addedTo: sessionHeaders) {
      // libcurl takes "Name:" for the wish to send no such field, and "Name;" for an empty one.
      let line = field.value.isEmpty ? "\(field.name);" : "\(field.name): \(secrets.shown(field))"
      words += ["--header", line.shellQuoted]
    }
    if let body = request.httpBody {
      if let text = String(validating: body, as: UTF8.self), !text.utf8.contains(0) {
        words += ["--data-raw", text.shellQuoted]
      } else {
        words.insert(
          contentsOf: ["printf", "%s", body.base64EncodedString().shellQuoted, "|", "base64", "-d", "|"],
          at: 0)
        words += ["--data-binary", "@-"]
      }
    } else if request.httpBodyStream != nil {
      words += ["--data-binary", "@-"]
    }
    words.append(secrets.shown(url: request.url?.absoluteString ?? "").shellQuoted)
    text = words.joined(separator: " ")
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
  /// The text as one word of a POSIX shell.
  fileprivate var shellQuoted: String {
    let isPlain =
      !isEmpty
      && utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
          true
        default: false
        }
      }
    return isPlain ? self : "'" + replacingOccurrences(of: "'", with: #"'\''"#) + "'"
  }
}

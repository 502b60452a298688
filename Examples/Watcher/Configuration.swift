import ReactiveNetworkExamples
import Foundation

/// What to watch, and how often.
struct Configuration: Equatable {
  var services: [URL]
  /// The seconds from a result to the next request.
  var interval: TimeInterval

  /// The shortest interval in a file, so that a misplaced zero does not flood a service.
  static let shortestInterval = 0.01
}

extension Configuration {
  /// Reads a file such as `{"services": ["https://example.com/health"], "interval": 30}`; without `interval`, it
  /// is 10.
  ///
  /// - Throws: `ProgramError`, whose text names the file and the value that is wrong.
  init(file: String) throws(ProgramError) {
    func failure(_ reason: String) -> ProgramError { ProgramError("\(file): \(reason)") }
    let content: Content
    let keys: Set<String>
    do {
      let data = try Data(contentsOf: URL(filePath: file))
      content = try JSONDecoder().decode(Content.self, from: data)
      keys = Set(try JSONDecoder().decode([String: AnyValue].self, from: data).keys)
    } catch let error as DecodingError {
      throw failure(error.reason)
    } catch {
      throw failure(error.localizedDescription)
    }
    if let key = keys.subtracting(["services", "interval"]).min() { throw failure("unknown key \"\(key)\"") }

    services = []
    for (index, text) in content.services.enumerated() {
      do {
        services.append(try ArgumentReader.url(text))
      } catch {
        throw failure("services[\(index)]: \"\(text)\" is not an http or https URL")
      }
    }
    guard !services.isEmpty else { throw failure("services: the list is empty") }
    guard Set(services).count == services.count else { throw failure("services: the same URL occurs twice") }
    interval = content.interval ?? 10
    guard (Self.shortestInterval...86_400).contains(interval) else {
      throw failure("interval: \(interval) is not a number from \(Self.shortestInterval) to 86400")
    }
  }

  private struct Content: Decodable {
    var services: [String]
    var interval: Double?
  }

  /// A value that is not inspected.
  private struct AnyValue: Decodable {
    init(from decoder: any Decoder) {}
  }
}

extension DecodingError {
  /// The value, such as `services[1]`, and what is wrong with it.
  fileprivate var reason: String {
    switch self {
    case .keyNotFound(let key, _): "\(key.stringValue) is missing"
    case .typeMismatch(_, let context), .valueNotFound(_, let context): Self.reason(in: context)
    case .dataCorrupted(let context): Self.reason(in: context)
    @unknown default: localizedDescription
    }
  }

  private static func reason(in context: Context) -> String {
    let path = context.codingPath.map { key in key.intValue.map { "[\($0)]" } ?? key.stringValue }.joined()
    return path.isEmpty ? "not a JSON object with \"services\"" : "\(path): \(context.debugDescription)"
  }
}

import Foundation
@testable import NetworkCoreTransport

/// The directives of `Cache-Control`, read by a machine of states.
struct PlainDirectives {
  private enum State { case name, argument, token, quoted, escape, closed }

  /// The names in lower case, and their arguments.
  private var all: [(name: String, argument: String?)] = []

  init(_ value: String) {
    let scalars = Array(value.unicodeScalars)
    var (state, name, index, opened) = (State.name, "", 0, 0)
    var argument: String?
    while index < scalars.count || state == .quoted || state == .escape {
      guard index < scalars.count else {
        // No quoted string: the argument is read again, as a token.
        (state, argument, index) = (.token, "\"", opened)
        continue
      }
      let scalar = scalars[index]
      index += 1
      switch (state, scalar) {
      case (.name, ","), (.argument, ","), (.token, ","), (.closed, ","):
        add(name, state == .token ? argument.map(Self.trimmed) : argument)
        (state, name, argument) = (.name, "", nil)
      case (.name, "="): (state, argument) = (.argument, "")
      case (.name, _): name.unicodeScalars.append(scalar)
      case (.argument, "\""): (state, opened) = (.quoted, index)
      case (.quoted, "\""): state = .closed
      case (.quoted, "\\"): state = .escape
      case (.closed, " "), (.closed, "\t"): break
      case (.closed, _): (state, argument, index) = (.token, "\"", opened)
      case (.argument, _), (.token, _):
        argument?.unicodeScalars.append(scalar)
        state = .token
      case (.quoted, _), (.escape, _):
        argument?.unicodeScalars.append(scalar)
        state = .quoted
      }
    }
    add(name, state == .token ? argument.map(Self.trimmed) : argument)
  }

  private mutating func add(_ name: String, _ argument: String?) {
    all.append((Self.trimmed(name).lowercased(), argument))
  }

  private static func trimmed(_ text: String) -> String {
    var scalars = text.unicodeScalars[...]
    while let first = scalars.first, first == " " || first == "\t" { scalars.removeFirst() }
    while let last = scalars.last, last == " " || last == "\t" { scalars.removeLast() }
    return String(scalars)
  }

  func contains(_ name: String) -> Bool { all.contains { $0.name == name } }

  private func numbers(_ name: String) -> [TimeInterval] {
    all.filter { $0.name == name }.compactMap { $0.argument.map(Self.seconds) }
  }

  /// The least of several numbers.
  func seconds(_ name: String) -> TimeInterval? { numbers(name).min() }

  /// The greatest of several numbers.
  var minFresh: TimeInterval? { numbers("min-fresh").max() }

  /// 0 for several values that differ.
  var maxAge: TimeInterval? {
    let ages = Set(all.filter { $0.name == "max-age" }.map { $0.argument.map(Self.seconds) ?? 0 })
    return ages.count > 1 ? 0 : ages.first
  }

  var maxStale: TimeInterval? { contains("max-stale") ? seconds("max-stale") ?? .infinity : nil }

  static func seconds(_ text: String) -> TimeInterval {
    guard text.unicodeScalars.allSatisfy({ ("0"..."9").contains($0) }) else { return 0 }
    let digits = text.drop { $0 == "0" }
    return digits.count > 10 ? 2_147_483_648 : TimeInterval(min(Int(digits) ?? 0, 1 << 31))
  }
}

/// The rules about a stored response with the status 200 (RFC 9111, sections 4.2 and 4.3.2; RFC 5861).
struct PlainCache {
  private let own: PlainDirectives
  private let asked: PlainDirectives
  private let headers: HTTPHeaders
  private let arrival: TimeInterval
  private let firstAge: TimeInterval
  private let lifetime: TimeInterval

  /// The request was sent one second before its response arrived.
  init(own: String, asked: String, headers: HTTPHeaders, arrival: TimeInterval) {
    let directives = PlainDirectives(own)
    (self.own, self.asked, self.headers, self.arrival) = (
      directives, PlainDirectives(asked), headers, arrival
    )
    func date(_ name: String) -> TimeInterval? {
      headers[name].flatMap { PlainDate.http(Array($0.utf8), now: arrival) }
    }
    let sent = date("Date") ?? arrival
    let first = (headers["Age"] ?? "").utf8.split(separator: UInt8(ascii: ",")).first ?? ""[...].utf8
    let age = PlainDirectives.seconds(String(Substring(first).trimmed))
    firstAge = max(arrival - sent, age + 1)
    if let maxAge = directives.maxAge {
      lifetime = maxAge
    } else if headers["Expires"] != nil {
      lifetime = max(0, (date("Expires") ?? 0) - sent)
    } else {
      lifetime = min(max(0, sent - (date("Last-Modified") ?? sent)) / 10, 86_400)
    }
  }

  /// Some times, and those at which a limit is reached or passed.
  var times: [TimeInterval] {
    let limits: [TimeInterval?] = [
      0, asked.minFresh.map { -$0 }, asked.maxStale, own.seconds("stale-while-revalidate"),
      own.seconds("stale-if-error"),
    ]
    let ages =
      limits.compactMap { $0.map { lifetime + $0 } }
      + [asked.maxAge, asked.seconds("stale-if-error")].compactMap(\.self)
    let turns = ages.filter(\.isFinite).flatMap { age in [-1, 0, 1].map { arrival + age - firstAge + $0 } }
    return [arrival, arrival + 60, arrival + 1e9] + turns.filter { $0 >= arrival }
  }

  private func age(_ now: TimeInterval) -> TimeInterval { firstAge + (now - arrival) }

  func isUsable(at now: TimeInterval) -> Bool {
    let age = age(now)
    if own.contains("no-cache") || asked.contains("no-cache") || age > asked.maxAge ?? .infinity {
      return false
    }
    let isFresh = age < lifetime && age + (asked.minFresh ?? 0) <= lifetime
    return isFresh || !own.contains("must-revalidate") && age - lifetime <= asked.maxStale ?? -.infinity
  }

  func isUsableWhileRevalidating(at now: TimeInterval) -> Bool {
    let age = age(now)
    let isForbidden =
      own.contains("must-revalidate") || own.contains("no-cache") || asked.contains("no-cache")
      || asked.minFresh != nil || age > asked.maxAge ?? .infinity
    return !isForbidden && age - lifetime <= own.seconds("stale-while-revalidate") ?? -.infinity
  }

  func isUsableOnError(at now: TimeInterval) -> Bool {
    if own.contains("must-revalidate") || own.contains("no-cache") { return false }
    let usual = asked.contains("no-cache") ? nil : own.seconds("stale-if-error")
    return age(now) - lifetime <= asked.seconds("stale-if-error") ?? usual ?? -.infinity
  }

  /// Whether a field has the entity tag of the response, weak or not.
  func matchesTag(_ field: String) -> Bool {
    if field.trimmed == "*" { return true }
    let tags = Self.tags(headers["ETag"] ?? "")
    return Self.tags(field).contains { tags.contains($0) }
  }

  private static func tags(_ text: String) -> [String] {
    var tags: [String] = []
    var tag: String?
    for scalar in text.unicodeScalars {
      if scalar != "\"" {
        tag?.unicodeScalars.append(scalar)
      } else if let open = tag {
        tags.append(open)
        tag = nil
      } else {
        tag = ""
      }
    }
    return tags
  }

  func isUnmodified(since field: String) -> Bool {
    guard let limit = PlainDate.http(Array(field.utf8), now: arrival) else { return false }
    guard let text = headers["Last-Modified"] ?? headers["Date"] else { return arrival <= limit }
    return (PlainDate.http(Array(text.utf8), now: arrival) ?? .infinity) <= limit
  }
}

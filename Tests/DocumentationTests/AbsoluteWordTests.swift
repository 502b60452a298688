import Foundation
import Testing

/// "Always", "never" and "only" make a sentence absolute, so each use needs a witness, or a reason why it
/// promises nothing.
@Suite("Absolute words in documents")
struct AbsoluteWordTests {
  private enum Reason {
    /// Tells the reader what to do.
    case advice
    /// States a limit of another library, a platform, the compiler or the package manager.
    case others
    /// Names a condition, an example or a value, or admits that something is missing.
    case description
  }

  /// Uses that are no promises of this package, by document.
  private static let exceptions: [String: [(text: String, reason: Reason)]] = [
    "Bridges/README.md": [("finds a package by URL only at the root", .others)],
    "LoopbackServer.md": [("be cut off, or never arrive", .description)],
    "RealServerProtocols.md": [("a handshake that never ends", .description)],
    "DesktopProgram.md": [("a queue that is never empty", .description)],
    "MainLoops.md": [("elsewhere it has only the error's type", .description)],
    "DifferencesFromMoya.md": [
      ("the sequence never ends", .others), ("and never completes", .others), ("only the response", .others),
    ],
    "PortingFromMoya.md": [
      ("A module can have only one alias", .others), ("accepts `unsafeFlags` only", .others),
    ],
    "PortingFromObjectMapper.md": [
      ("A module can have only one alias", .others), ("whose only file contains", .advice),
    ],
    "PortingFromReactiveMoya.md": [
      ("A module can have only one alias", .others), ("whose only file contains", .advice),
    ],
    "PortingFromRxSwift.md": [
      ("A module can have only one alias", .others), ("whose only file contains", .advice),
      ("accepts `unsafeFlags` only", .others), ("It warns only about main-actor state", .others),
    ],
    "HTTP2AndHTTP3.md": [
      ("on Apple's platforms only", .others), ("that supports only HTTP/1.1", .description),
      ("if it is the only stream", .description),
    ],
    "Proxies.md": [("libcurl 7.88 never sends it the body", .others)],
    "GettingStarted.md": [("runs its main queue only in `await`", .others)],
    "Performance.md": [
      ("work that always takes long", .advice), ("Use it only for callbacks", .advice),
    ],
    "PolicyTuning.md": [("only if the server recognises a repetition", .advice)],
    "RunAsAService.md": [("and only while results arrive", .advice)],
    "Comparison.md": [
      ("where it is only written to build", .description),
      ("only byte streams make a sender wait", .description),
      ("was never built for Windows", .description), ("the single never ends", .others),
      ("its handler is never called", .others), ("| always `nil` |", .others),
    ],
    "HowThreadsMeet.md": [("or never returns", .description)],
    "HowTransportsWork.md": [("libcurl repeats only refused requests", .others)],
    "VirtualTime.md": [
      ("a subscription that is never disposed", .description), ("from one thread only", .advice),
    ],
  ]

  private static func documents() throws -> [Document] {
    try Document.all().filter {
      ["README.md", "Bridges/README.md"].contains($0.path) || $0.path.hasPrefix("Sources/")
        || $0.path.hasPrefix("Documentation/")
    }
  }

  private static func exceptions(of document: Document) -> [String] {
    let file = document.path.components(separatedBy: "/").last ?? ""
    return (exceptions[document.path] ?? (file == "README.md" ? nil : exceptions[file]) ?? []).map(\.text)
  }

  @Test("each use is part of a claim with a witness, or an exception")
  func uses() throws {
    for document in try Self.documents() {
      let prose = document.prose
      let claims = Claim.all.filter { $0.document == document.path }.map(\.sentence)
      let covered =
        (claims + Self.exceptions(of: document)).flatMap { prose.ranges(of: $0) }
        + prose.ranges(of: /`[^`]*`/)
      for use in prose.ranges(of: #/\b(?i:always|never|only)\b/#)
      where !covered.contains(where: { $0.contains(use.lowerBound) }) {
        let start =
          prose.index(use.lowerBound, offsetBy: -60, limitedBy: prose.startIndex) ?? prose.startIndex
        let end = prose.index(use.upperBound, offsetBy: 60, limitedBy: prose.endIndex) ?? prose.endIndex
        Issue.record("add a claim, or weaken the sentence: \(document.path): …\(prose[start..<end])…")
      }
    }
  }

  @Test("each exception is still in its document")
  func exceptions() throws {
    let documents = try Self.documents()
    for document in documents {
      for text in Self.exceptions(of: document) {
        #expect(document.prose.contains(text), "\(document.path) no longer says: \(text)")
      }
    }
    #expect(documents.count { !Self.exceptions(of: $0).isEmpty } == Self.exceptions.count)
  }
}

import Foundation
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The suggested name of a download", .timeLimit(.minutes(5)))
struct SuggestedFilenameTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Downloads into the folder, and returns the name of the file.
  private func name(_ disposition: String?, path: String = "/folder/file") async throws -> String {
    let headers = disposition.map { ["Content-Disposition": $0] as HTTPHeaders } ?? []
    let transport = ScriptedTransport { $0.respond(headers: headers, "x") }
    let target = LoopbackTarget(URL(staticString: "http://h"), path).with {
      $0.task = .downloadDestination { [url = folder.url] _, response in
        (url.appendingPathComponent(response.safeSuggestedFilename), [])
      }
    }
    let response = try await NetworkProvider<LoopbackTarget>(transport: transport).result(target).get()
    let names = folder.names
    try #require(names.count == 1)
    #expect(response.fileURL?.lastPathComponent == names[0])
    return names[0]
  }

  @Test(
    "is read as RFC 6266 specifies",
    arguments: [
      (#"attachment; filename="a.txt"; filename*=UTF-8''na%C3%AFve%20%E2%82%AC.txt"#, "naïve €.txt"),
      (#"attachment; FileName*=iso-8859-1'en'%A3%20rates; filename=x"#, "£ rates"),
      (#"attachment; filename*="UTF-8''quoted%21"; filename=x"#, "quoted!"),
      (#"attachment; filename*=UTF-8''%zz; filename=fallback"#, "fallback"),
      (#"attachment; filename*=UTF-8''%FF; filename=fallback"#, "fallback"),
      (#"attachment; filename*=KOI8-R''%C1; filename=fallback"#, "fallback"),
      (#"attachment; filename*=UTF-8''%4; filename=fallback"#, "fallback"),
      (#"attachment; filename*=UTF-8''it's.txt; filename=fallback"#, "it's.txt"),
      (#"attachment; filename*=UTF-8''%zz; filename*=UTF-8''first; filename*=UTF-8''second"#, "first"),
      (#"attachment; filename="a;b \"c\".txt"; size=3"#, #"a;b "c".txt"#),
      (#"attachment; note="filename=no;"; filename=yes ; filename=again"#, "yes"),
      ("attachment;filename=my file.txt", "my file.txt"), (#"attachment; filename = "a;b""#, "a;b"),
      ("attachment; filename=naïve.txt", "naïve.txt"), ("inline", "file"), ("attachment; filename", "file"),
      (#"attachment; filename="""#, "Unknown"), (nil, "file"),
    ] as [(String?, String)])
  func reading(disposition: String?, expected: String) async throws {
    #expect(try await name(disposition) == expected)
  }

  @Test(
    "stays in the folder and is not hidden",
    arguments: [
      ("filename*=UTF-8''..%2F..%2Fetc%2Fpasswd", "passwd"), ("filename*=UTF-8''%2e%2e", "Unknown"),
      ("filename*=UTF-8''a%00b", "b"), ("filename*=UTF-8''a%0Ab%7F", "a_b_"),
      (#"filename="../../.bashrc""#, "bashrc"), (#"filename="C:\folder\file""#, "file"),
      (#"filename="/""#, "Unknown"), (#"filename="  .hidden""#, "hidden"),
      (#"filename="name\\"; size="3""#, "name"), ("filename*=UTF-8''%E2%80%AEgpj.exe", "_gpj.exe"),
      ("filename*=UTF-8''a%E2%81%A7b%D8%9Cc.txt", "a_b_c.txt"),
      ("filename=\u{1F469}\u{200D}\u{1F4BB}.txt", "\u{1F469}\u{200D}\u{1F4BB}.txt"),
    ])
  func safety(parameter: String, expected: String) async throws {
    #expect(try await name("attachment; \(parameter)") == expected)
  }

  private static func longEnding(_ count: Int) -> String { "." + String(repeating: "e", count: count - 1) }

  private static func longName(ending count: Int) -> String {
    String(repeating: "a", count: 300) + longEnding(count)
  }

  @Test(
    "has at most 255 bytes, consists of whole characters, and keeps its extension",
    arguments: [
      (String(repeating: "a", count: 300), String(repeating: "a", count: 255)),
      (String(repeating: "a", count: 300) + ".tar.gz", String(repeating: "a", count: 252) + ".gz"),
      (String(repeating: "漢", count: 100), String(repeating: "漢", count: 85)),
      (String(repeating: "漢", count: 100) + ".pdf", String(repeating: "漢", count: 83) + ".pdf"),
      ("a" + String(repeating: "👩‍👩‍👧", count: 20), "a" + String(repeating: "👩‍👩‍👧", count: 14)),
      ("v1." + String(repeating: "b", count: 300), "v1." + String(repeating: "b", count: 252)),
      (String(repeating: "a", count: 251) + ".iso", String(repeating: "a", count: 251) + ".iso"),
      // An extension has at most 32 bytes, including its dot.
      (longName(ending: 32), String(repeating: "a", count: 223) + longEnding(32)),
      (longName(ending: 33), String(repeating: "a", count: 255)),
    ])
  func length(suggestion: String, expected: String) async throws {
    #expect(try await name("attachment; filename=\"\(suggestion)\"") == expected)
    try FileManager.default.removeItem(at: folder.file(expected))
    #expect(try await name(nil, path: "/\(suggestion)") == expected)
  }
}

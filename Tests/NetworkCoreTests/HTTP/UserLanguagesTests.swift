import Foundation
import NetworkCore
import Testing

@Suite("The user's languages")
struct UserLanguagesTests {
  @Test(
    "come from the environment, the most specific variable first",
    arguments: [
      (["LANG": "de_DE.UTF-8"], ["de-DE"]), (["LANG": "sr_RS@latin"], ["sr-RS"]),
      (["LANG": "de_DE", "LC_MESSAGES": "fr_FR", "LC_ALL": "it"], ["it"]),
      (["LANG": "de_DE", "LC_MESSAGES": "fr_FR", "LC_ALL": ""], ["fr-FR"]),
      (["LANG": "de_DE.UTF-8", "LANGUAGE": "de:en_US:de_DE"], ["de", "en-US", "de-DE"]),
      (["LANG": "C.UTF-8"], ["standard"]), (["LANG": "POSIX"], ["standard"]), ([:], ["standard"]),
      (["LANG": "d\u{E9}"], ["standard"]), (["LANG": "de\r\nX"], ["standard"]),
    ] as [([String: String], [String])])
  func environment(variables: [String: String], expected: [String]) {
    #expect(UserLanguages.tags(in: variables, or: ["standard"]) == expected)
  }

  // In a process of its own, because the languages are determined once.
  @Test("the first six are sent by default")
  func firstSix() async {
    await #expect(processExitsWith: .success) {
      setenv("LANGUAGE", "a:b:c:d:e:f:g", 1)
      try #require(
        HTTPHeader.defaultAcceptLanguage.value == "a;q=1.0, b;q=0.9, c;q=0.8, d;q=0.7, e;q=0.6, f;q=0.5")
    }
  }
}

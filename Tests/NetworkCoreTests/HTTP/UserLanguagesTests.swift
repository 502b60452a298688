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
}

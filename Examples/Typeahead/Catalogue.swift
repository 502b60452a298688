import Foundation

/// The repositories that the built-in server offers, and its search.
struct Catalogue: Sendable {
  let repositories: [Repository]

  static let builtIn = Catalogue(text)

  /// Parses lines of the form `language | topics | owner/name thousands-of-stars, …`.
  init(_ text: String) {
    repositories = text.split(separator: "\n").flatMap { line -> [Repository] in
      let fields = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard fields.count == 3 else { return [] }
      return fields[2].split(separator: ",").compactMap { entry in
        let words = entry.split(separator: " ")
        guard words.count == 2, let thousands = Double(words[1]) else { return nil }
        return Repository(
          fullName: String(words[0]), stars: Int((thousands * 1000).rounded()), language: fields[0],
          topics: fields[1].split(separator: " ").map(String.init))
      }
    }
    .sorted { $0.stars > $1.stars }
  }

  /// Returns the repositories whose name, language or topics contain every word of the query, in descending
  /// order of stars.
  func search(_ query: String) -> [Repository] {
    let words = query.lowercased().split(separator: " ")
    guard !words.isEmpty else { return [] }
    return repositories.filter { repository in
      let text = ([repository.fullName, repository.language ?? ""] + (repository.topics ?? [])).joined(
        separator: " "
      ).lowercased()
      return words.allSatisfy { text.contains($0) }
    }
  }
}

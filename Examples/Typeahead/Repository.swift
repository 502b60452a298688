/// A repository as described by the search API of a code host.
struct Repository: Codable, Sendable {
  let fullName: String
  let stars: Int
  let language: String?
  let topics: [String]?

  enum CodingKeys: String, CodingKey {
    case fullName = "full_name"
    case stars = "stargazers_count"
    case language
    case topics
  }
}

/// A page of search results.
struct SearchPage: Codable, Sendable {
  let totalCount: Int
  let items: [Repository]

  enum CodingKeys: String, CodingKey {
    case totalCount = "total_count"
    case items
  }
}

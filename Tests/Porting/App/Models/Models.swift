import Foundation

struct Profile: Codable, Equatable {
  let login: String
  let id: Int
  let avatarUrl: URL?
}

struct Repository: Decodable, Equatable {
  let id: Int
  let fullName: String

  private enum CodingKeys: String, CodingKey {
    case id
    case fullName = "full_name"
  }
}

struct Tokens: Decodable, Equatable {
  let access: String
  let refresh: String
}

struct APIFailure: Decodable, Error, Equatable {
  let message: String
}

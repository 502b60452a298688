import ReactiveNetwork

/// The form of a model's requests and events.
enum ModelAPI: String, Sendable {
  /// OpenAI's chat completions, which many servers of open models have too.
  case openAI = "openai"
  /// Anthropic's messages.
  case anthropic

  var path: String {
    switch self {
    case .openAI: "chat/completions"
    case .anthropic: "messages"
    }
  }

  /// The environment variable with the key.
  var keyVariable: String {
    switch self {
    case .openAI: "OPENAI_API_KEY"
    case .anthropic: "ANTHROPIC_API_KEY"
    }
  }

  var defaultModel: String {
    switch self {
    case .openAI: "gpt-4o-mini"
    case .anthropic: "claude-haiku-4-5"
    }
  }

  /// The header fields of a request; the key is optional, because servers on one's own machine need none.
  func headers(key: String?) -> [String: String] {
    switch self {
    case .openAI: key.map { ["Authorization": "Bearer \($0)"] } ?? [:]
    case .anthropic: ["anthropic-version": "2023-06-01"].merging(key.map { ["x-api-key": $0] } ?? [:]) { $1 }
    }
  }
}

/// The body of a request, in both forms.
struct ModelRequest: Codable, Sendable {
  let model: String
  let messages: [Message]
  var stream = true
  /// The longest answer, which only Anthropic's form demands.
  let maxTokens: Int?

  enum CodingKeys: String, CodingKey {
    case model, messages, stream
    case maxTokens = "max_tokens"
  }
}

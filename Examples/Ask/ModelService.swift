import ReactiveNetwork

/// The requests to a language model.
enum ModelService: TargetType {
  /// A model, and how to reach it.
  struct Model: Sendable {
    let api: ModelAPI
    let baseURL: URL
    let name: String
    let key: String?
    let patience: Duration
  }

  /// Continues a conversation.
  case answer(to: [Message], by: Model)

  private var model: Model {
    switch self {
    case .answer(_, let model): model
    }
  }

  var baseURL: URL { model.baseURL }
  var path: String { model.api.path }
  var method: HTTPMethod { .post }
  var headers: [String: String]? { model.api.headers(key: model.key) }
  var timeout: Duration? { model.patience }

  var task: HTTPTask {
    switch self {
    case .answer(let conversation, let model):
      .requestJSONEncodable(
        ModelRequest(
          model: model.name, messages: conversation, maxTokens: model.api == .anthropic ? 4_096 : nil))
    }
  }
}

import Foundation
import LoopbackServer
import MicroyaCompatibility
import NetworkCore

/// The API that Microya's own article describes, in the same form.
enum Translator {
  enum Language: String { case english, german, japanese, turkish }

  case languages
  case translate(texts: [String], from: Language, to: [Language])
  case forget(String)
  case rename(String)
}

// `Endpoint` alone is Moya's class; with the module's name, it has the meaning that it has in Microya.
extension Translator: Microya.Endpoint {
  struct ClientErrorType: Decodable, Equatable {
    let code: Int
    let message: String
  }

  var decoder: JSONDecoder { return JSONDecoder() }
  var encoder: JSONEncoder { return JSONEncoder() }

  var baseUrl: URL {
    return URL(string: "https://translator.example")!
  }

  var subpath: String {
    switch self {
    case .languages: return "/languages"
    case .translate: return "/translate"
    case .forget(let text), .rename(let text): return "/texts/\(text)"
    }
  }

  var method: HttpMethod {
    switch self {
    case .languages:
      return .get
    case let .translate(texts, _, _):
      return .post(body: (try? encoder.encode(texts)) ?? Data())
    case .forget:
      return .delete
    case .rename:
      return .patch(body: Data("{}".utf8))
    }
  }

  var queryParameters: [String: QueryParameterValue] {
    switch self {
    case .languages, .forget, .rename:
      return ["api-version": "3.0"]
    case let .translate(_, sourceLanguage, targetLanguages):
      return [
        "api-version": "3.0", "from": .string(sourceLanguage.rawValue),
        "to": .array(targetLanguages.map { $0.rawValue }),
      ]
    }
  }

  var mockedResponse: MockedResponse? {
    switch self {
    case .translate:
      return MockedResponse(status: .ok, bodyJson: #"{"german": "Prüfung", "turkish": "sınav"}"#)
    case .forget:
      return MockedResponse(status: .conflict, bodyJson: #"{"code": 7, "message": "in use"}"#)
    case .languages, .rename:
      return nil
    }
  }

  static let test = Translator.translate(texts: ["Test"], from: .english, to: [.german, .japanese, .turkish])
}

extension LoopbackServer {
  /// Translates texts, and rejects some with a client error.
  static func translator() throws -> LoopbackServer {
    try LoopbackServer { request in
      switch request.method {
      case "POST": .json(#"{"german": "Prüfung"}"#)
      case "DELETE": .json(#"{"code": 7, "message": "in use"}"#, status: 409)
      default: .status(204)
      }
    }
  }
}

import Foundation
import MicroyaCompatibility
import MoyaCompatibility
import NetworkCore

private enum GitHub {
  case zen

  var baseURL: URL { URL(string: "https://api.github.com")! }
  var path: String { "/zen" }
}

extension GitHub: TargetType {
  var task: Task { .requestPlain }
}

private enum Translator {
  case languages
  case translate(Data)
}

extension Translator: Microya.Endpoint {
  typealias ClientErrorType = EmptyBodyResponse
  var baseUrl: URL { URL(string: "https://translator.example")! }
  var subpath: String { "/languages" }
  var method: HttpMethod {
    switch self {
    case .languages: .get
    case .translate(let texts): .post(body: texts)
    }
  }
}

private func multipartPartByPart(_ picture: URL) -> HTTPTask {
  let form = RequestMultipartFormData()
  form.append(Data("Lorem".utf8), withName: "title")
  form.append(picture, withName: "picture")
  let task = HTTPTask.uploadMultipartFormData(form.form)
  return task
}

import Foundation
import LoopbackServer
import MoyaCompatibility
import NetworkCore
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Targets in Moya's manual", .timeLimit(.minutes(5)))
struct MoyaManualTargetsTests {
  /// A POST request with any task, to a loopback server.
  private struct PostTarget: TargetType {
    let baseURL: URL
    let task: Task
    var path: String { return "/things" }
    var method: Moya.Method { return .post }
  }

  private func request(_ task: Task) throws -> URLRequest {
    let target = PostTarget(baseURL: ForgeAPI.zen.baseURL, task: task)
    return try MoyaProvider.defaultEndpointMapping(for: target).urlRequest()
  }

  @Test("every case has its path below the one base URL")
  func paths() {
    let targets: [ForgeAPI] = [.zen, .userProfile("ash"), .userRepositories("ash"), .branches("site", true)]
    #expect(
      targets.map { URL(target: $0).absoluteString } == [
        "https://api.forge.example/zen", "https://api.forge.example/users/ash",
        "https://api.forge.example/users/ash/repos", "https://api.forge.example/repos/site/branches",
      ])
  }

  @Test("a name with a space is escaped")
  func escaping() {
    #expect("like this".urlEscaped == "like%20this")
  }

  @Test("the method is GET")
  func method() throws {
    #expect(ForgeAPI.zen.method == .get)
    #expect(try MoyaProvider.defaultEndpointMapping(for: ForgeAPI.zen).urlRequest().httpMethod == "GET")
  }

  @Test("the parameters of a task are in the query, and a plain task has none")
  func task() throws {
    let queries = try [ForgeAPI.userRepositories("ash"), .branches("site", true), .zen].map {
      try MoyaProvider.defaultEndpointMapping(for: $0).urlRequest().url?.query
    }
    #expect(queries == ["sort=pushed", "protected=true", nil])
  }

  @Test("each kind of request task sends what its name says")
  func requestTasks() throws {
    let json = Data(#"{"a":1}"#.utf8)
    #expect(try request(.requestPlain).httpBody == nil)
    #expect(try request(.requestData(json)).httpBody == json)
    #expect(try request(.requestJSONEncodable(["a": 1])).httpBody == json)
    let parameters = try request(.requestParameters(parameters: ["a": 1], encoding: JSONEncoding.default))
    #expect(parameters.httpBody == json)
    let data = try request(.requestCompositeData(bodyData: json, urlParameters: ["b": 2]))
    #expect(data.httpBody == json)
    #expect(data.url?.query == "b=2")
    let composite = try request(
      .requestCompositeParameters(
        bodyParameters: ["a": 1], bodyEncoding: JSONEncoding.default, urlParameters: ["b": 2]))
    #expect(composite.httpBody == json)
    #expect(composite.url?.query == "b=2")
  }

  @Test("each kind of upload task sends what its name says")
  func uploadTasks() async throws {
    let server = try LoopbackServer { .text($0.text) }
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).txt")
    try Data("a file".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let form = MultipartFormData(provider: .data(Data("a part".utf8)), name: "part")
    let provider = MoyaProvider<PostTarget>()
    let tasks: [Task] = [
      .uploadFile(file), .uploadMultipart([form]),
      .uploadCompositeMultipart([form], urlParameters: ["b": 2]),
    ]
    for task in tasks {
      _ = try await provider.result(of: PostTarget(baseURL: server.baseURL, task: task)).get()
    }
    let requests = server.log.requests
    #expect(requests.map(\.target) == ["/things", "/things", "/things?b=2"])
    #expect(requests[0].text == "a file")
    for request in requests.dropFirst() {
      #expect(request.headers["Content-Type"]?.hasPrefix("multipart/form-data; boundary=") == true)
      #expect(request.text.contains("name=\"part\"\r\n\r\na part\r\n"))
    }
  }

  @Test("both kinds of download task write the file, and one also sends parameters")
  func downloadTasks() async throws {
    let server = try LoopbackServer { .text("content \($0.rawQuery ?? $0.text)") }
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).txt")
    defer { try? FileManager.default.removeItem(at: file) }
    let destination: DownloadDestination = { _, _ in (file, [.removePreviousFile]) }
    let provider = MoyaProvider<PostTarget>()
    let plain = PostTarget(baseURL: server.baseURL, task: .downloadDestination(destination))
    _ = try await provider.result(of: plain).get()
    #expect(try String(contentsOf: file, encoding: .utf8) == "content ")
    let query = PostTarget(
      baseURL: server.baseURL,
      task: .downloadParameters(
        parameters: ["b": 2], encoding: URLEncoding.queryString, destination: destination))
    _ = try await provider.result(of: query).get()
    #expect(try String(contentsOf: file, encoding: .utf8) == "content b=2")
  }

  @Test("the built-in encodings and a custom one encode parameters")
  func encodings() throws {
    struct XMLEncoding: ParameterEncoding {
      func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest
      {
        var request = try urlRequest.asURLRequest()
        let elements = (parameters ?? [:]).map { "<\($0)>\($1)</\($0)>" }
        request.httpBody = Data(elements.joined().utf8)
        return request
      }
    }
    let bodies = try [
      URLEncoding.httpBody, JSONEncoding.default, PropertyListEncoding.default, XMLEncoding(),
    ]
    .map { (encoding: any ParameterEncoding) in
      let body = try request(.requestParameters(parameters: ["a": 1], encoding: encoding)).httpBody
      return String(decoding: body ?? Data(), as: UTF8.self)
    }
    #expect(bodies[0] == "a=1")
    #expect(bodies[1] == #"{"a":1}"#)
    #expect(bodies[2].contains("<key>a</key>"))
    #expect(bodies[3] == "<a>1</a>")
  }

  @Test("the sample depends on the case, and is the response of a stub")
  func sampleData() async throws {
    let provider = MoyaProvider<ForgeAPI>(stubClosure: MoyaProvider.immediatelyStub)
    let response = try await provider.result(of: .userProfile("ash")).get()
    #expect(try response.mapString(atKeyPath: "login") == "ash")
    #expect(response.statusCode == 200)
  }

  @Test("header fields of a target are sent")
  func headers() async throws {
    let server = try LoopbackServer.forge()
    _ = try await MoyaProvider<ForgeAPI>(endpointClosure: server.endpoint).result(of: .zen).get()
    #expect(server.log.requests.first?.headers["Content-Type"] == "application/json")
  }

  @Test("a provider needs no argument")
  func provider() throws {
    let ForgeProvider = MoyaProvider<ForgeAPI>()
    #expect(try ForgeProvider.endpoint(.zen).urlRequest().url == URL(target: ForgeAPI.zen))
  }
}

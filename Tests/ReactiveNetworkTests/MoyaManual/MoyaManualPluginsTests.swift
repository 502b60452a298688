import Foundation
import LoopbackServer
import MoyaCompatibility
import NetworkCore
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Plugins in Moya's manual", .timeLimit(.minutes(5)))
struct MoyaManualPluginsTests {
  private let notes = Log()

  private func provider(_ plugins: any PluginType...) -> MoyaProvider<ForgeAPI> {
    MoyaProvider<ForgeAPI>(stubClosure: MoyaProvider.immediatelyStub, plugins: plugins)
  }

  // The hooks have other parameters since Moya 8, and closure types name no parameters since Swift 3.
  @Test("a custom plugin reports the beginning and the end of a request")
  func own() async throws {
    final class OwnActivityPlugin: PluginType {
      typealias NetworkActivityClosure = @Sendable (_ change: NetworkActivityChangeType) -> Void
      let networkActivityClosure: NetworkActivityClosure

      init(networkActivityClosure: @escaping NetworkActivityClosure) {
        self.networkActivityClosure = networkActivityClosure
      }

      func willSend(_ request: any RequestType, target: any TargetType) {
        networkActivityClosure(.began)
      }

      func didReceive(_ result: Result<Response, MoyaError>, target: any TargetType) {
        networkActivityClosure(.ended)
      }
    }
    _ = try await provider(OwnActivityPlugin { [notes] in notes.add("\($0)") }).result(of: .zen).get()
    #expect(notes.all == ["began", "ended"])
  }

  @Test("the activity plugin reports the beginning and the end, with or without the target")
  func activity() async throws {
    let change = NetworkActivityPlugin { [notes] change in
      switch change {
      case .began: notes.add("began")
      case .ended: notes.add("ended")
      }
    }
    let target = NetworkActivityPlugin(networkActivityClosure: { [notes] change, target in
      notes.add("\(change) \(target.path)")
    })
    _ = try await provider(change, target).result(of: .zen).get()
    #expect(notes.all == ["began", "began /zen", "ended", "ended /zen"])
  }

  @Test("the hooks are called in order, and two of them return values that take effect")
  func hooks() async throws {
    struct Hooks: PluginType {
      let notes: Log

      func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest {
        notes.add("prepare")
        var request = request
        request.addValue("yes", forHTTPHeaderField: "Prepared")
        return request
      }

      func willSend(_ request: any RequestType, target: any TargetType) {
        notes.add("willSend \(request.request?.value(forHTTPHeaderField: "Prepared") ?? "no")")
      }

      func didReceive(_ result: Result<Response, MoyaError>, target: any TargetType) {
        notes.add("didReceive \((try? result.get().statusCode) ?? 0)")
      }

      func process(
        _ result: Result<Response, MoyaError>, target: any TargetType
      ) -> Result<Response, MoyaError> {
        notes.add("process")
        return result.map { Response(statusCode: 299, data: $0.data) }
      }
    }
    let response = try await provider(Hooks(notes: notes)).result(of: .zen).get()
    #expect(response.statusCode == 299)
    #expect(notes.all == ["prepare", "willSend yes", "didReceive 200", "process"])
  }

  @Test("the logger writes more when it is verbose")
  func verbose() async throws {
    for verbose in [false, true] {
      let plugin = NetworkLoggerPlugin(
        verbose: verbose, output: { [notes] _, _, items in notes.add("\(items[0])") })
      _ = try await provider(plugin).result(of: .zen).get()
    }
    #expect(notes.all.count { $0.contains("Response Body") } == 1)
    #expect(notes.all.last?.contains("Well begun is half done.") == true)
    #expect(notes.all.allSatisfy { !$0.contains("curl") })
    _ = try await MoyaProvider<ForgeAPI>(
      stubClosure: MoyaProvider.immediatelyStub, plugins: [NetworkLoggerPlugin(verbose: true)]
    ).result(of: .zen).get()
  }

  @Test("the logger's output gets the separator and the terminator of print with each item")
  func classicOutput() async throws {
    let plugin = NetworkLoggerPlugin(
      output: { [notes] separator, terminator, items in
        notes.add(separator == " " && terminator == "\n" && items.count == 1 ? "as print" : "other")
      })
    _ = try await provider(plugin).result(of: .zen).get()
    #expect(Set(notes.all) == ["as print"])
  }

  @Test("the logger writes commands for a shell, and bodies as its formatters format them")
  func formatters() async throws {
    @Sendable func JSONResponseDataFormatter(_ data: Data) -> Data {
      do {
        let dataAsJSON = try JSONSerialization.jsonObject(with: data)
        return try JSONSerialization.data(withJSONObject: dataAsJSON, options: .prettyPrinted)
      } catch {
        return data
      }
    }
    let plugin = NetworkLoggerPlugin(
      verbose: true, cURL: true, output: { [notes] _, _, items in notes.add("\(items[0])") },
      responseDataFormatter: JSONResponseDataFormatter)
    _ = try await provider(plugin).result(of: .userRepositories("ash")).get()
    #expect(notes.all.first?.contains("curl") == true)
    let lines = notes.all.last?.split(separator: "\n") ?? []
    #expect(lines.contains { $0.hasPrefix("    \"name\"") })
    #expect(NetworkLoggerPlugin(cURL: true).configuration.logOptions == [.default, .formatRequestAscURL])
    #expect(NetworkLoggerPlugin().configuration.logOptions == .default)
    let counting = NetworkLoggerPlugin(verbose: true, requestDataFormatter: { "\($0.count) B" })
    #expect(counting.configuration.formatter.requestData(Data("abc".utf8)) == "3 B")
    #expect(counting.configuration.formatter.responseData(Data("abc".utf8)) == "abc")
  }
}

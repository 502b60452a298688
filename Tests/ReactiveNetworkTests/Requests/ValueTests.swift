import Foundation
import NetworkCore
import ReactiveNetwork
import RxLite
import Testing

@Suite("rx.value", .timeLimit(.minutes(5)))
struct ValueTests {
  private struct Song: Codable, Equatable {
    var title: String
  }

  private struct SongsTarget: TargetType {
    var status = 200
    var body = #"{"title": "Ceremony"}"#
    var baseURL: URL { URL(filePath: "/") }
    var path: String { "" }
    var sampleData: Data { Data(body.utf8) }
  }

  private struct DecodedResultRecorder: DecodedResultPlugin {
    let notes: Log
    func didDecode<Value, Failure: Error>(_ result: Result<Value, Failure>, target: any TargetType) {
      switch result {
      case .success(let value): notes.add("\(value) of \(type(of: target))")
      case .failure(let failure):
        let error = failure as? NetworkError
        notes.add("\(Failure.self) \(error?.isCancelled == true ? "cancelled" : "\(error?.errorCode ?? -1)")")
      }
    }
  }

  private let notes = Log()

  private func provider() -> NetworkProvider<MultiTarget> {
    NetworkProvider(
      endpointClosure: { target in
        let songs = target.target as? SongsTarget ?? SongsTarget()
        return Endpoint(
          url: "http://h", sampleResponseClosure: { .networkResponse(songs.status, songs.sampleData) },
          method: .get, task: .requestPlain)
      }, stubClosure: { _ in .immediate }, plugins: [DecodedResultRecorder(notes: notes)])
  }

  @Test(
    "reports the decoded value to the plugins once, with the target inside a MultiTarget",
    arguments: [false, true])
  func success(isObserved: Bool) throws {
    let (provider, target) = (provider(), MultiTarget(SongsTarget()))
    let single =
      isObserved
      ? provider.observed { _ in }.rx.value(target, as: Song.self) : provider.rx.value(target, as: Song.self)
    #expect(try single.toBlocking().single() == Song(title: "Ceremony"))
    #expect(notes.all == ["Song(title: \"Ceremony\") of SongsTarget"])
  }

  @Test("reports the error to the plugins", arguments: [(200, "[]", 3), (404, "{}", 5)])
  func failure(status: Int, body: String, code: Int) {
    #expect(throws: NetworkError.self) {
      try provider().rx.value(MultiTarget(SongsTarget(status: status, body: body)), as: Song.self)
        .toBlocking()
        .single()
    }
    #expect(notes.all == ["NetworkError \(code)"])
  }

  @Test("reports the request of a cancelled task as cancelled")
  func cancelledTask() async {
    let provider = provider()
    let result = await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try await provider.rx.value(MultiTarget(SongsTarget()), as: Song.self).value
    }.result
    #expect(throws: CancellationError.self) { try result.get() }
    #expect(notes.all == ["NetworkError cancelled"])
  }
}

import Dispatch
import Foundation
import ReactiveNetwork
import ReactiveSwiftCompatibility
import RxLite
import Testing

@Suite("The callback queue")
struct CallbackQueueTests {
  private let queue = DispatchQueue(label: "callbacks")
  private let target = ScriptedProvider.Target()

  /// Returns the labels of the callback queues that the provider receives.
  private func labels(_ subscribe: (ScriptedProvider) -> any Disposable) -> [String?] {
    let provider = ScriptedProvider()
    subscribe(provider).dispose()
    return provider.labels
  }

  @Test("reaches the provider with every kind of request")
  func requests() {
    let file = URL(filePath: "/")
    #expect(labels { $0.rx.request(target, callbackQueue: queue).subscribe() } == ["callbacks"])
    #expect(labels { $0.rx.requestWithProgress(target, callbackQueue: queue).subscribe() } == ["callbacks"])
    #expect(labels { $0.rx.download(target, callbackQueue: queue).subscribe() } == ["callbacks"])
    #expect(labels { $0.rx.upload(target, callbackQueue: queue).subscribe() } == ["callbacks"])
    #expect(labels { $0.rx.download(target, to: file, callbackQueue: queue).subscribe() } == ["callbacks"])
    #expect(labels { $0.reactive.request(target, callbackQueue: queue).start() } == ["callbacks"])
    #expect(labels { $0.reactive.requestWithProgress(target, callbackQueue: queue).start() } == ["callbacks"])
    #expect(labels { $0.rx.request(target).subscribe() } == [nil])
  }

  @Test("reaches the provider with every kind of stream")
  func streams() {
    #expect(labels { $0.rx.stream(target, callbackQueue: queue).subscribe() } == ["callbacks"])
    #expect(labels { $0.rx.lines(target, callbackQueue: queue).subscribe() } == ["callbacks"])
    #expect(
      labels { $0.rx.decodedLines(target, as: Int.self, callbackQueue: queue).subscribe() } == ["callbacks"])
    #expect(labels { $0.rx.events(target, callbackQueue: queue).subscribe() } == ["callbacks"])
  }

  @Test("is used for every page")
  func pages() {
    var count = 0
    let found = labels { provider in
      provider.rx.paginate(target, callbackQueue: queue) { _ in
        count += 1
        return count < 3 ? target : nil
      }
      .subscribe()
    }
    #expect(found == ["callbacks", "callbacks", "callbacks"])
  }
}

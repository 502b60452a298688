import Dispatch
import Foundation
import MoyaCompatibility
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
import ReactiveNetwork
import ReactiveSwiftCompatibility
import RxLite
import Testing

@Suite("Threads in Moya's manual", .timeLimit(.minutes(5)))
struct MoyaManualThreadsTests {
  // Without a queue, a response arrives on the transport's thread, whereas Moya uses the main thread: on
  // Linux, the main queue of a command-line program is not drained.

  @Test("a provider with a queue calls back on that queue")
  func callbackQueue() async {
    let queue = DispatchQueue(label: "callbacks", qos: .utility)
    let mark = DispatchSpecificKey<String>()
    queue.setSpecific(key: mark, value: "here")
    let provider = MoyaProvider<ForgeAPI>(stubClosure: MoyaProvider.immediatelyStub, callbackQueue: queue)
    let place = await withCheckedContinuation { done in
      provider.request(.userProfile("ash")) { _ in
        done.resume(returning: DispatchQueue.getSpecific(key: mark))
      }
    }
    #expect(place == "here")
  }

  @Test("a provider with a global queue calls back on that queue")
  func globalQueue() async throws {
    let provider = MoyaProvider<ForgeAPI>(
      stubClosure: MoyaProvider.immediatelyStub, callbackQueue: DispatchQueue.global(qos: .utility))
    #expect(try await provider.result(of: .userProfile("ash")).get().statusCode == 200)
  }

  /// Threads in the order in which they were recorded.
  private final class ThreadRecorder: Sendable {
    private let threads = Lock([ObjectIdentifier]())
    var all: [ObjectIdentifier] { threads.withLock { $0 } }
    func record() {
      let current = ObjectIdentifier(Thread.current)
      threads.withLock { $0.append(current) }
    }
  }

  // The calling thread is blocked until the end, so no queue can use it for its work.

  @Test("observeOn continues on another thread")
  func observeOn() throws {
    let threads = ThreadRecorder()
    let provider = MoyaProvider<ForgeAPI>(stubClosure: MoyaProvider.immediatelyStub)
    let request = provider.rx.request(.userProfile("ash"))
      .map { _ in threads.record() }
      .observeOn(ConcurrentDispatchQueueScheduler(qos: .utility))
      .map { threads.record() }
    _ = try request.toBlocking(timeout: 60).single()
    let current = ObjectIdentifier(Thread.current)
    #expect(threads.all.map { $0 == current } == [true, false])
  }

  @Test("observe(on:) of a producer continues on another thread")
  func observe() throws {
    let threads = ThreadRecorder()
    let provider = MoyaProvider<ForgeAPI>(stubClosure: MoyaProvider.immediatelyStub)
    let request = provider.reactive.request(.userProfile("ash"))
      .map { _ in threads.record() }
      .observe(on: QueueScheduler(qos: .utility))
      .map { threads.record() }
    _ = try request.asObservable().toBlocking(timeout: 60).single()
    let current = ObjectIdentifier(Thread.current)
    #expect(threads.all.map { $0 == current } == [true, false])
  }
}

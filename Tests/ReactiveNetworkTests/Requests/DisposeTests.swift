import Dispatch
import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
import ReactiveNetwork
import RxLite
import Testing

@Suite("Disposing a request", .timeLimit(.minutes(5)))
struct DisposeTests {
  private let notes = Log()

  private func provider() -> NetworkProvider<LoopbackTarget> {
    NetworkProvider(plugins: [LoggingPlugin(notes: notes)])
  }

  @Test("closes the connection; the plugins see one end, the observer receives nothing")
  func dispose() async throws {
    let server = try LoopbackServer { _ in .never }
    let notes = notes
    let subscription = provider().rx.request(LoopbackTarget(server, "/")).subscribe(
      onSuccess: { _ in notes.add("success") }, onFailure: { _ in notes.add("failure") },
      onDisposed: { notes.add("disposed") })
    try await server.log(until: { $0.pending == 1 })
    subscription.dispose()
    subscription.dispose()
    let log = try await server.log(until: { $0.openConnections == 0 })
    #expect(log.abandoned.map(\.phase) == [.waiting])
    #expect(notes.all.filter { $0 != "disposed" } == ["willSend", "didReceive cancelled"])
    #expect(notes.all.count { $0 == "disposed" } == 1)
  }

  @Test("drops a response that is queued on the callback queue")
  func queuedAnswer() async throws {
    let server = try LoopbackServer { _ in .text("too late") }
    let queue = DispatchQueue(label: "callbacks")
    queue.suspend()
    let notes = notes
    let subscription = provider().rx.request(LoopbackTarget(server, "/"), callbackQueue: queue).subscribe(
      onSuccess: { _ in notes.add("success") }, onFailure: { _ in notes.add("failure") })
    try await server.log(until: { $0.answered == 1 })
    subscription.dispose()
    queue.resume()
    await withCheckedContinuation { done in queue.async { done.resume() } }
    #expect(!notes.all.contains("success"))
    #expect(!notes.all.contains("failure"))
    #expect(notes.all.count { $0.hasPrefix("didReceive") } == 1)
  }

  @Test("has no effect during the delivery")
  func withinDelivery() async throws {
    let server = try LoopbackServer { _ in .text("once") }
    let subscription = SerialDisposable()
    let notes = notes
    let gate = LoopbackServer.Gate()
    server.route("/held") { _ in .text("once").held(until: gate) }
    let (events, continuation) = AsyncStream.makeStream(of: Void.self)
    subscription.disposable = provider().rx.request(LoopbackTarget(server, "/held")).subscribe(
      onSuccess: { _ in
        subscription.dispose()
        notes.add("success")
        continuation.yield()
      })
    gate.open()
    for await _ in events { break }
    #expect(notes.all == ["willSend", "didReceive 200", "success"])
    #expect(server.log.abandoned.isEmpty)
  }

  @Test("a deallocated bag closes all connections")
  func bag() async throws {
    let server = try LoopbackServer { _ in .never }
    let provider = provider()
    var bag: DisposeBag? = DisposeBag()
    if let bag {
      for number in 0..<5 {
        provider.rx.request(LoopbackTarget(server, "/\(number)")).subscribe().disposed(by: bag)
      }
    }
    try await server.log(until: { $0.pending == 5 })
    bag = nil
    try await server.log(until: { $0.abandoned.count == 5 && $0.openConnections == 0 })
    #expect(notes.all.count { $0 == "didReceive cancelled" } == 5)
  }

  @Test("a task that is already cancelled sends nothing behind a shared sequence, or of an infallible")
  func cancelledTaskOfSharedSequence() async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    let request = provider().rx.request(LoopbackTarget(server, "/"))
    let shared = request.asObservable().share()
    let refCounted = request.asObservable().publish().refCount()
    let cached = request.cached(for: .seconds(60))
    let errors = await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      var errors: [any Error] = []
      for sequence in [shared, refCounted, cached.asObservable()] {
        do { for try await _ in sequence.values {} } catch { errors.append(error) }
      }
      do { _ = try await cached.value } catch { errors.append(error) }
      for await _ in request.asInfallible(onErrorFallbackTo: .empty()).values {}
      for await _ in request.asInfallible(onErrorFallbackTo: .empty()).share().values {}
      return errors
    }.value
    #expect(errors.count == 4 && errors.allSatisfy { $0 is CancellationError })
    // The sequences still work.
    for sequence in [shared, refCounted, cached.asObservable()] {
      for try await response in sequence.values { #expect(response.statusCode == 200) }
    }
    #expect(server.log.requestCount == 3)
  }

  @Test("values of a cancelled task end with an error in another task")
  func valuesOfCancelledTask() async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    let request = provider().rx.request(LoopbackTarget(server, "/"))
    let values = await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return request.asObservable().values
    }.value
    await #expect(throws: CancellationError.self) { for try await _ in values {} }
    #expect(server.log.requestCount == 0)
  }

  @Test("a task that is already cancelled sends nothing, with value and with values")
  func cancelledTask() async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    let provider = provider()
    let (plain, other) = (LoopbackTarget(server, "/"), LoopbackTarget(server, "/other"))
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      var errors: [any Error] = []
      do { _ = try await provider.rx.request(plain).map(\.statusCode).value } catch { errors.append(error) }
      do {
        for try await _ in provider.rx.request(plain).retry(2).asObservable().values {}
      } catch {
        errors.append(error)
      }
      return errors
    }
    let errors = await task.value
    #expect(errors.count == 2 && errors.allSatisfy { $0 is CancellationError })
    // Nothing is left to be sent when another request has been answered.
    _ = try await provider.rx.request(other).value
    #expect(server.log.requests.map(\.path) == ["/other"])
    #expect(notes.all == ["willSend", "didReceive 200"])
  }

  @Test("a cancelled Swift task cancels its request")
  func task() async throws {
    let server = try LoopbackServer { _ in .never }
    let request = provider().rx.request(LoopbackTarget(server, "/"))
    let task = Task {
      let subscription = SerialDisposable()
      return await withTaskCancellationHandler {
        await withCheckedContinuation { done in
          subscription.disposable = request.subscribe(onDisposed: { done.resume() })
        }
      } onCancel: {
        subscription.dispose()
      }
    }
    try await server.log(until: { $0.pending == 1 })
    task.cancel()
    await task.value
    try await server.log(until: { $0.abandoned.count == 1 && $0.openConnections == 0 })
    #expect(notes.all == ["willSend", "didReceive cancelled"])
  }
}

import Foundation
import NetworkCore
import Processes
import ReactiveNetwork
import RxLite

private struct Echo: TargetType {
  let baseURL: URL
  let path: String
}

/// What the three ways to use the library have in common.
class LibraryClient {
  private let provider = NetworkProvider<Echo>()
  private let origin: URL
  /// Keeps the held WebSockets alive.
  var held: [Any] = []

  init(port: Int) throws {
    guard let origin = URL(string: "ws://127.0.0.1:\(port)") else { throw URLError(.badURL) }
    self.origin = origin
  }

  fileprivate func socket(_ path: String) -> (NetworkProvider<Echo>, Echo) {
    (provider, Echo(baseURL: origin, path: path))
  }

  fileprivate func options(compresses: Bool = false) -> WebSocketOptions {
    WebSocketOptions(offersCompression: compresses)
  }
}

/// `provider.webSocket(_:)`, which returns a sequence.
final class AsyncClient: LibraryClient, Client {
  func echo(_ load: EchoLoad) throws -> Int {
    let (provider, target) = socket(load.path)
    let options = options(compresses: load.compresses)
    let message = WebSocketMessage.binary(load.payload)
    return try runBlocking {
      let socket = try await provider.webSocket(target, options: options)
      let end = seconds() + load.seconds
      for _ in 0..<load.inFlight { try await socket.send(message) }
      var count = 0
      for try await _ in socket {
        guard seconds() < end else { break }
        count += 1
        try await socket.send(message)
      }
      return count
    }
  }

  func hold(_ count: Int) throws {
    let (provider, target) = socket("/echo")
    let options = options()
    openAll(count) { opened in
      held.append(
        Task {
          let socket = try await provider.webSocket(target, options: options)
          opened()
          for try await _ in socket {}
        })
    }
  }

  func open(sending size: Int) throws -> () -> Void {
    let (provider, target) = socket(size > 0 ? "/sink" : "/echo")
    let options = options()
    let socket = try runBlocking { try await provider.webSocket(target, options: options) }
    let task = Task {
      if size > 0 { Task { try await socket.send(.binary(Data(count: size))) } }
      for try await _ in socket {}
    }
    return { task.cancel() }
  }
}

/// `provider.webSocket(_:receive:)`, which calls a closure.
final class ClosureClient: LibraryClient, Client {
  private let callbackQueue: DispatchQueue?

  /// Creates a client whose closures run on a queue; `nil` for a queue of each socket.
  init(port: Int, callbackQueue: DispatchQueue? = nil) throws {
    self.callbackQueue = callbackQueue
    try super.init(port: port)
  }

  func echo(_ load: EchoLoad) throws -> Int {
    let (provider, target) = socket(load.path)
    let message = WebSocketMessage.binary(load.payload)
    let done = DispatchSemaphore(value: 0)
    let end = seconds() + load.seconds
    nonisolated(unsafe) var connection: WebSocketConnection?
    nonisolated(unsafe) var count = 0
    let options = options(compresses: load.compresses)
    provider.webSocket(target, options: options, callbackQueue: callbackQueue) { event in
      switch event {
      case .opened(let opened, _):
        connection = opened
        for _ in 0..<load.inFlight { opened.send(message) }
      case .message:
        guard seconds() < end else {
          connection?.cancel()
          return
        }
        count += 1
        connection?.send(message)
      case .finished: done.signal()
      }
    }
    done.wait()
    return count
  }

  func hold(_ count: Int) throws {
    let (provider, target) = socket("/echo")
    openAll(count) { opened in
      provider.webSocket(target, options: options(), callbackQueue: callbackQueue) { event in
        if case .opened = event { opened() }
      }
    }
  }

  func open(sending size: Int) throws -> () -> Void {
    let (provider, target) = socket(size > 0 ? "/sink" : "/echo")
    let opened = DispatchSemaphore(value: 0)
    let connection = provider.webSocket(target, options: options(), callbackQueue: callbackQueue) { event in
      if case .opened = event { opened.signal() }
    }
    opened.wait()
    if size > 0 { connection.send(.binary(Data(count: size))) }
    return { connection.cancel() }
  }
}

/// `provider.rx.webSocket(_:sending:)`.
final class RxClient: LibraryClient, Client {
  func echo(_ load: EchoLoad) throws -> Int {
    let (provider, target) = socket(load.path)
    let message = WebSocketMessage.binary(load.payload)
    let done = DispatchSemaphore(value: 0)
    let end = seconds() + load.seconds
    let replies = PublishSubject<WebSocketMessage>()
    let outgoing = Observable.concat([
      Observable.from(Array(repeating: message, count: load.inFlight)), replies.asObservable(),
    ])
    nonisolated(unsafe) var count = 0
    let subscription = provider.rx.webSocket(
      target, options: options(compresses: load.compresses), sending: outgoing
    )
    .subscribe(
      onNext: { _ in
        guard seconds() < end else {
          done.signal()
          return
        }
        count += 1
        replies.onNext(message)
      }, onError: { _ in done.signal() })
    done.wait()
    subscription.dispose()
    return count
  }

  func hold(_ count: Int) throws {
    let (provider, target) = socket("/echo")
    openAll(count) { opened in
      held.append(subscribe(provider, target, opened: opened))
    }
  }

  func open(sending size: Int) throws -> () -> Void {
    let (provider, target) = socket(size > 0 ? "/sink" : "/echo")
    let opened = DispatchSemaphore(value: 0)
    let message = size > 0 ? WebSocketMessage.binary(Data(count: size)) : nil
    let subscription = subscribe(provider, target, message) { opened.signal() }
    opened.wait()
    return { subscription.dispose() }
  }

  /// Subscribes to the messages of a socket; calls `opened` when it is open.
  private func subscribe(
    _ provider: NetworkProvider<Echo>, _ target: Echo, _ message: WebSocketMessage? = nil,
    opened: @escaping @Sendable () -> Void
  ) -> any Disposable {
    let outgoing = Observable<WebSocketMessage>.create { observer in
      if let message { observer.onNext(message) }
      opened()
      return Disposables.create()
    }
    return provider.rx.webSocket(target, options: options(), sending: outgoing).subscribe()
  }
}

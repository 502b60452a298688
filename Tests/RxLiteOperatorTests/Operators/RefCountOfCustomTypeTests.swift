import RxLite
@testable import RxLiteTestSupport
import Testing

@Suite("refCount of a connectable sequence of a custom type")
struct RefCountOfCustomTypeTests {
  /// A connectable sequence with one connection at a time, which `connect()` returns while it exists.
  private final class CustomConnectable: ConnectableObservableType {
    typealias Element = Int

    var subject = PublishSubject<Int>()
    var log: [String] = []
    /// Runs once, while the connection still exists.
    var whileConnecting: (() -> Void)?
    var whileDisconnecting: (() -> Void)?
    private var connection: (any Disposable)?

    func connect() -> any Disposable {
      if let connection { return connection }
      log.append("connect")
      let new = Disposables.create {
        if let action = self.whileDisconnecting {
          self.whileDisconnecting = nil
          action()
        }
        self.log.append("disconnect")
        self.connection = nil
      }
      connection = new
      if let action = whileConnecting {
        whileConnecting = nil
        action()
      }
      return new
    }

    func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Int {
      subject.subscribe(GatedObserver(observer) { self.connection != nil })
    }
  }

  /// Forwards events while there is a connection.
  private struct GatedObserver<Observer: ObserverType>: ObserverType {
    typealias Element = Observer.Element

    let observer: Observer
    let isOpen: () -> Bool

    init(_ observer: Observer, isOpen: @escaping () -> Bool) {
      self.observer = observer
      self.isOpen = isOpen
    }

    func on(_ event: Event<Observer.Element>) {
      if isOpen() { observer.on(event) }
    }
  }

  @Test("an observer that joins while the connection is disposed is connected afterwards")
  func joinsWhileDisconnecting() {
    let (own, recorder) = (CustomConnectable(), RecordingObserver<Int>())
    let shared = own.refCount()
    var second: (any Disposable)?
    own.whileDisconnecting = { second = shared.subscribe(recorder) }
    shared.subscribe().dispose()
    own.subject.onNext(1)
    second?.dispose()
    #expect(recorder.events == [.next(1)])
    #expect(own.log == ["connect", "disconnect", "connect", "disconnect"])
  }

  @Test("an observer that joins when another one ends during its connection is connected afterwards")
  func joinsWhileConnecting() {
    let (own, recorder) = (CustomConnectable(), RecordingObserver<Int>())
    let shared = own.refCount()
    var second: (any Disposable)?
    own.whileConnecting = {
      own.subject.onCompleted()
      own.subject = PublishSubject()
      second = shared.subscribe(recorder)
    }
    _ = shared.subscribe()
    own.subject.onNext(1)
    second?.dispose()
    #expect(recorder.events == [.next(1)])
    #expect(own.log == ["connect", "disconnect", "connect", "disconnect"])
  }

  @Test("an observer that is disposed before it is connected is not connected")
  func leavesWhileDisconnecting() {
    let own = CustomConnectable()
    let shared = own.refCount()
    own.whileDisconnecting = { shared.subscribe().dispose() }
    shared.subscribe().dispose()
    #expect(own.log == ["connect", "disconnect"])
  }
}

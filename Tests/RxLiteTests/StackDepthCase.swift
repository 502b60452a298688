import RxLite
@testable import RxLiteTestSupport
import Testing

/// A sequence of the numbers from 0 up to a count, each made by a synchronous round, which must not grow the
/// stack.
struct StackDepthCase: Sendable, CustomTestStringConvertible {
  let testDescription: String
  private let make: @Sendable () -> Observable<Int>

  init(_ name: String, make: @escaping @Sendable () -> Observable<Int>) {
    testDescription = name
    self.make = make
  }

  /// Expects all numbers and completion.
  func expectAllElements(_ rounds: Int) {
    var (count, last, ended) = (0, -1, false)
    onSmallStack {
      _ = make().subscribe(
        onNext: { element in
          count += 1
          last = element
        }, onCompleted: { ended = true })
    }
    #expect(count == rounds)
    #expect(last == rounds - 1)
    #expect(ended)
  }

  /// A source that a retry subscribes to a number of times: each attempt has its number, and all but the last
  /// one fail.
  static func failing(
    _ rounds: Int, attempt: @escaping (_ number: Int, _ isLast: Bool) -> Observable<Int>
  ) -> Observable<Int> {
    var number = -1
    return Observable.deferred {
      number += 1
      return attempt(number, number == rounds - 1)
    }
  }

  /// Expects a subject to deliver a number of elements that are sent from inside its own delivery.
  static func expectReentrantDelivery(
    _ rounds: Int, of operators: @escaping (PublishSubject<Int>) -> Observable<Int> = { $0 }
  ) {
    var last = 0
    onSmallStack {
      let subject = PublishSubject<Int>()
      let subscription = operators(subject).subscribe(onNext: { element in
        last = element
        if element < rounds { subject.onNext(element + 1) }
      })
      subject.onNext(1)
      subscription.dispose()
    }
    #expect(last == rounds)
  }
}

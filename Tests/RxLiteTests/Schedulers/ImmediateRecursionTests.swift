import Dispatch
import Foundation
import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

private let rounds = manyRounds

@Suite("recursion on schedulers that run everything at once", .timeLimit(.minutes(5)))
struct ImmediateRecursionTests {
  private static let cases = [
    StackDepthCase("range") { .range(start: 0, count: rounds, scheduler: ImmediateScheduler()) },
    StackDepthCase("from an array") { .from(Array(0..<rounds), scheduler: ImmediateScheduler()) },
    StackDepthCase("from a collection") {
      .from((0..<rounds).lazy.map { $0 }, scheduler: ImmediateScheduler())
    },
    StackDepthCase("from a sequence") { .from(AnySequence(0..<rounds), scheduler: ImmediateScheduler()) },
    StackDepthCase("generate") {
      .generate(
        initialState: 0, condition: { $0 < rounds }, scheduler: ImmediateScheduler(), iterate: { $0 + 1 })
    },
    StackDepthCase("repeatElement") {
      Observable.repeatElement(0, scheduler: ImmediateScheduler()).take(rounds).enumerated().map(\.index)
    },
    StackDepthCase("interval") { .interval(.seconds(1), scheduler: ImmediateScheduler()).take(rounds) },
    StackDepthCase("observe(on:)") {
      Observable.range(start: 0, count: rounds).observe(on: ImmediateScheduler())
    },
    StackDepthCase("delay") {
      Observable.range(start: 0, count: rounds).delay(.seconds(1), scheduler: ImmediateScheduler())
    },
    StackDepthCase("concat") {
      .concat((0..<rounds).lazy.map { Observable.just($0, scheduler: ImmediateScheduler()) })
    },
    StackDepthCase("retry") {
      StackDepthCase.failing(rounds) { number, isLast in
        let attempt = Observable.from([number], scheduler: ImmediateScheduler())
        return isLast ? attempt : attempt.concat(Observable.error(TestError.one))
      }.retry()
    },
  ]

  @Test("does not grow the stack", arguments: cases)
  private func keepsStack(_ depthCase: StackDepthCase) { depthCase.expectAllElements(rounds) }

  @Test("does not grow the stack on the main queue")
  @MainActor func main() {
    var (sum, last) = (0, -1)
    _ = Observable.range(start: 0, count: rounds, scheduler: ConcurrentMainScheduler.instance)
      .subscribe(onNext: { last = $0 })
    let scheduled = ConcurrentMainScheduler.instance.scheduleRecursive(rounds) { left, recurse in
      sum += 1
      if left > 1 { recurse(left - 1) }
    }
    scheduled.dispose()
    #expect(last == rounds - 1)
    #expect(sum == rounds)
  }

  @Test(
    "does not grow the stack in a subject that is sent to from observe(on:) or delay",
    arguments: [false, true])
  func reentrant(isDelayed: Bool) {
    StackDepthCase.expectReentrantDelivery(rounds) { subject in
      isDelayed
        ? subject.delay(.seconds(1), scheduler: ImmediateScheduler())
        : subject.observe(on: ImmediateScheduler())
    }
  }

  @Test("a finite sequence is sent during the subscription, also inside another one")
  func duringSubscription() {
    var received: [[Int]] = []
    _ = Observable.of(1, 2).subscribe(onNext: { first in
      var elements: [Int] = []
      let numbers = Observable.of(first, first, scheduler: ImmediateScheduler())
      let others = Observable.from(Set([0]), scheduler: ImmediateScheduler())
      _ = Observable.merge(numbers, others).subscribe(onNext: { elements.append($0) })
      received.append(elements)
    })
    #expect(received == [[1, 1, 0], [2, 2, 0]])
  }

  @Test("an endless sequence is sent after the subscription, so that it can be disposed")
  func endless() {
    var sent: [Int] = []
    let numbers = Observable.generate(
      initialState: 0, condition: { _ in true }, scheduler: ImmediateScheduler(),
      iterate: {
        sent.append($0)
        return $0 + 1
      })
    var received: [Int] = []
    _ = Observable.of(1, 2).concatMap { _ in numbers.take(3) }.subscribe(onNext: { received.append($0) })
    #expect(received == [0, 1, 2, 0, 1, 2])
    #expect(sent == [0, 1, 0, 1])
  }

  @Test("the first run happens at once, and the runs it schedules follow in order when it returns")
  func order() {
    var runs: [Int] = []
    _ = ImmediateScheduler().scheduleRecursive(3) { count, recurse in
      runs.append(count)
      guard count > 1 else { return }
      recurse(count - 1)
      recurse(count - 2)
      runs.append(-count)
    }
    #expect(runs == [3, -3, 2, -2, 1, 1, 0])
  }

  @Test("a run that a blocked run waits for happens inside it")
  func nested() {
    let scheduler = ManualScheduler()
    var runs: [String] = []
    _ = scheduler.scheduleRecursive(2) { count, recurse in
      runs.append("begin \(count)")
      if count > 0 { recurse(count - 1) }
      scheduler.drain()
      runs.append("end \(count)")
    }
    scheduler.drain()
    #expect(runs == ["begin 2", "begin 1", "begin 0", "end 0", "end 1", "end 2"])
  }

  @Test("nested recursions are distinguished")
  func inside() {
    var runs: [String] = []
    _ = ImmediateScheduler().scheduleRecursive(2) { outer, recurse in
      _ = ImmediateScheduler().scheduleRecursive(2) { inner, recurse in
        runs.append("\(outer)\(inner)")
        if inner > 1 { recurse(inner - 1) }
      }
      if outer > 1 { recurse(outer - 1) }
    }
    #expect(runs == ["22", "21", "12", "11"])
  }

  @Test("disposal drops a waiting run")
  func disposed() {
    var runs = 0
    let subscription = SingleAssignmentDisposable()
    let scheduler = ManualScheduler()
    subscription.setDisposable(
      scheduler.scheduleRecursive(()) { _, recurse in
        runs += 1
        scheduler.runsAtOnce = true
        recurse(())
        subscription.dispose()
      })
    scheduler.drain()
    #expect(runs == 1)
  }
}

import NetworkCore
import ReactiveNetwork
import RxLite

/// A program whose `main()` belongs to the main actor.
@main struct Program {
  static func main() async {
    let bag = DisposeBag()
    words
      .map { $0.filter { $0 != "bob" } }
      .subscribe(onNext: { report("main type, subscribe", $0.map { $0 + "!" }) })
      .disposed(by: bag)
    let provider = NetworkProvider<Greeting>(stubClosure: NetworkProvider.delayedStub(0.001))
    await withCheckedContinuation { continuation in
      provider.rx.request(Greeting())
        .map { $0.data.filter { $0 != 0 }.count }
        .subscribe(
          onMain: { [$0].forEach { report("main type, onMain", $0) } }, onDisposed: { continuation.resume() }
        )
        .disposed(by: bag)
    }
    let count = try? await words.map { $0.map { $0.count }.reduce(0, +) }.asSingle().value
    report("main type, value", count ?? 0)
  }
}

import RxLite

/// A view model of the main actor.
@MainActor final class ViewModel {
  private let bag = DisposeBag()
  private var shown: [String: [String]] = [:]
  // Each used by one pipeline alone: the lines that the compiler warns about also run.
  private var names: [String] = []
  private var limit = 0
  private let title = "names"

  func load() {
    // Closures that use no state of the actor run on the threads of the events.
    words.map { $0.filter { $0 != "bob" } }
      .flatMapLatest { list in Observable.just(list.map { $0.uppercased() }) }
      .scan([String]()) { $0 + $1.map { $0 + "!" } }
      .do(onNext: { [title] in report("view model, do", $0.map { $0 + title }) })
      .subscribe(onNext: { report("view model, subscribe", $0.map { $0 + "?" }) })
      .disposed(by: bag)

    // Closures that run on the main actor may use its state.
    words.map { $0.filter { $0 != "bob" } }
      .subscribe(
        onMain: { [weak self] in self?.show("onMain", $0.map { $0 + "!" }) },
        onCompleted: { [weak self] in self?.shown["onMain"]?.forEach { report("view model, completed", $0) } }
      )
      .disposed(by: bag)
    words.subscribe(with: self, onMain: { model, list in model.show("with", list) }).disposed(by: bag)
    words.bind(onMain: { [weak self] in self?.show("bind", $0) }).disposed(by: bag)
    words.bind(to: Binder(self) { model, list in model.show("binder", list.map { $0 + "." }) }).disposed(
      by: bag)
    number.asSingle().map { [$0].map { $0 + 1 } }
      .subscribe(onMain: { [weak self] in self?.show("single", $0.map { "\($0)" }) })
      .disposed(by: bag)
    number.asMaybe().subscribe(onMain: { [weak self] in self?.show("maybe", ["\($0)"]) }).disposed(by: bag)
    number.ignoreElements().asCompletable()
      .subscribe(onMain: { [weak self] in self?.show("completable", []) })
      .disposed(by: bag)
    number.asInfallible(onErrorJustReturn: 0)
      .subscribe(onMain: { [weak self] in self?.show("infallible", ["\($0)"]) })
      .disposed(by: bag)

    // The compiler warns about uses of state that would race.
    words.map { [$0.count].filter { $0 > self.limit }.count }
      // ^56 main actor-isolated property 'limit' can not be referenced from a nonisolated context
      .subscribe(onNext: { report("view model, state in map", $0) })
      .disposed(by: bag)
    words.subscribe(onNext: { [weak self] in self?.names = $0 }).disposed(by: bag)
    // ^56 main actor-isolated property 'names' can not be mutated from a Sendable closure
    words.subscribe(onNext: { [weak self] in self?.hide($0) }).disposed(by: bag)
    // ^56 call to main actor-isolated instance method 'hide' in a synchronous nonisolated context
  }

  private func show(_ end: String, _ list: [String]) {
    shown[end] = list
    report("view model, \(end)", list)
  }

  private func hide(_ list: [String]) {}
}

// Pipelines at the top of main.swift, whose code belongs to the main actor.
import NetworkCore
import ReactiveNetwork
import RxLite

let bag = DisposeBag()
var total = 0

words
  .map { $0.filter { $0 != "bob" } }
  .flatMapLatest { list in Observable.from(list.map { $0.uppercased() }) }
  .subscribe(onNext: { report("top, subscribe", [$0].map { $0 + "!" }) })
  .disposed(by: bag)
words
  .do(onNext: { report("top, do", $0.map { $0 + "!" }) })
  .subscribe(
    onMain: { total += $0.map { $0.count }.reduce(0, +) }, onCompleted: { report("top, onMain", total) }
  )
  .disposed(by: bag)
Observable<Int>
  .create { observer in
    [1, 2].forEach { observer.onNext($0) }
    observer.onCompleted()
    return Disposables.create()
  }
  .subscribe(on: background)
  .buffer(timeSpan: .seconds(60), count: 2, scheduler: background)
  .bind { report("top, create", $0.map { $0 + 1 }) }
  .disposed(by: bag)
let observer = AnyObserver<[String]> { event in
  if let list = event.element { report("top, observer", list.map { $0 + "!" }) }
}
words.bind(to: observer).disposed(by: bag)

let provider = NetworkProvider<Greeting>(stubClosure: NetworkProvider.delayedStub(0.001))
provider.rx.request(Greeting())
  .map { $0.data.filter { $0 != 0 }.count }
  .subscribe(onSuccess: { report("top, request", [$0].map { $0 + 1 }) })
  .disposed(by: bag)

var counter = 0
number.subscribe(onNext: { counter += $0 }).disposed(by: bag)
// ^6 main actor-isolated var 'counter' can not be mutated from a nonisolated context

let plainClass = PlainClass()
plainClass.load()
captures()
// In Swift 5 mode, the top level does not belong to the main actor.
MainActor.assumeIsolated {
  let viewModel = ViewModel()
  viewModel.load()
  finish(lines: 25)
}

import ReactiveNetworkLock

/// Holds disposables and disposes them when it is released.
///
/// ```swift
/// final class Screen {
///   private let bag = DisposeBag()
///   init(clock: Observable<Int>) {
///     clock.subscribe(onNext: { print($0) }).disposed(by: bag)
///   }
/// }
/// ```
public final class DisposeBag: Sendable {
  #if TRACE_RESOURCES
    private let trace = ResourceTrace()
  #endif

  private let members = Lock<[any Disposable]>([])

  /// Creates an empty bag.
  public init() {}

  /// Creates a bag of disposables.
  public convenience init(disposing disposables: any Disposable...) {
    self.init(disposing: disposables)
  }

  /// Creates a bag of disposables.
  public convenience init(disposing disposables: [any Disposable]) {
    self.init()
    insert(disposables)
  }

  /// Creates a bag of the disposables that the builder lists.
  public convenience init(@DisposableBuilder builder: () -> [any Disposable]) {
    self.init(disposing: builder())
  }

  deinit {
    for member in members.withLock({ $0 }) { member.dispose() }
  }

  /// Adds a disposable to the bag.
  public func insert(_ disposable: any Disposable) {
    members.withLock { $0.append(disposable) }
  }

  /// Adds disposables to the bag.
  public func insert(_ disposables: any Disposable...) {
    insert(disposables)
  }

  /// Adds disposables to the bag.
  public func insert(_ disposables: [any Disposable]) {
    members.withLock { $0.append(contentsOf: disposables) }
  }

  /// Adds the disposables that the builder lists.
  public func insert(@DisposableBuilder builder: () -> [any Disposable]) {
    insert(builder())
  }

  /// A result builder that lists disposables, one per line.
  @resultBuilder public struct DisposableBuilder {
    /// Collects the lines.
    public static func buildBlock(_ disposables: any Disposable...) -> [any Disposable] {
      disposables
    }
  }
}

extension Disposable {
  /// Adds the disposable to a bag, which disposes it when the bag is released.
  public func disposed(by bag: DisposeBag) {
    bag.insert(self)
  }
}

import RxLite

extension SignalProducer {
  /// Creates a producer of one value.
  ///
  /// - Parameter value: the value.
  public init(value: Value) {
    self.init(source: .just(value))
  }

  /// Creates a producer of values.
  ///
  /// - Parameter values: the values, in order. Each start iterates them, no further than needed.
  public init(_ values: some Sequence<Value>) {
    self.init(source: .from(values))
  }

  /// Creates a producer that fails at once.
  ///
  /// - Parameter error: the error.
  public init(error: Failure) {
    self.init(source: .error(error))
  }

  /// Creates a producer of a value, or of an error.
  ///
  /// - Parameter result: the value or the error.
  public init(result: Result<Value, Failure>) {
    switch result {
    case .success(let value): self.init(value: value)
    case .failure(let error): self.init(error: error)
    }
  }

  /// A producer that completes without a value.
  public static var empty: SignalProducer<Value, Failure> {
    SignalProducer(source: .empty())
  }

  /// A producer that has no events.
  public static var never: SignalProducer<Value, Failure> {
    SignalProducer(source: .never())
  }
}

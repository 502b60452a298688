public import Synchronization

/// The output of an operator that subscribes to its source and to a second sequence or timer.
///
/// `Sendable` as the base class; the flags say which thread owns the second subscription.
@usableFromInline
final class TwoSourceOutput<Element>: SerializedOutput<Element>, MessageRecipient, @unchecked Sendable {
  // Owned as the content of a `SingleAssignmentBase` is; another object would take an allocation.
  @usableFromInline var second: any Disposable = NopDisposable()
  @usableFromInline let secondFlags = Atomic(Flags.RawValue())

  @inlinable override init(_ observer: AnyObserver<Element>) {
    super.init(observer)
  }

  @inlinable @inline(__always) func assignSecond(_ disposable: consuming any Disposable) {
    second = disposable
    if mark(.assigned) == .ended { takeSecond().dispose() }
  }

  @usableFromInline func disposeSecond() {
    if mark(.ended) == .assigned { takeSecond().dispose() }
  }

  /// Sets a flag of the second subscription, and returns those that were set before.
  @inlinable func mark(_ flag: Flags) -> Flags {
    Flags(rawValue: secondFlags.bitwiseOr(flag.rawValue, ordering: .acquiringAndReleasing).oldValue)
  }

  @usableFromInline func takeSecond() -> any Disposable {
    var second: any Disposable = NopDisposable()
    swap(&self.second, &second)
    return second
  }

  @usableFromInline override func dispose() {
    super.dispose()
    disposeSecond()
  }
}

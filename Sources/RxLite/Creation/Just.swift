extension ObservableType {
  /// Returns a sequence of one element.
  @inlinable public static func just(_ element: Element) -> Observable<Element> {
    Just(element)
  }

  /// Returns a sequence of one element, which is sent on a scheduler.
  ///
  /// - Parameters:
  ///   - element: the element.
  ///   - scheduler: sends the element, and then the completion in a separate step.
  /// - Returns: the sequence.
  public static func just(
    _ element: Element, scheduler: any ImmediateSchedulerType
  ) -> Observable<Element> {
    Observable { observer in
      let pending = SerialDisposable()
      let complete = uncheckedSendable {
        observer.on(.completed)
        return Disposables.create()
      }
      let send = uncheckedSendable {
        observer.on(.next(element))
        return scheduler.schedule((), action: complete)
      }
      pending.disposable = scheduler.schedule((), action: send)
      return pending
    }
  }
}

/// A sequence of one element.
///
/// Operators on inner sequences recognise it and read the element without subscribing.
///
/// Sendable as every sequence is.
@usableFromInline final class Just<Element>: Observable<Element>, @unchecked Sendable {
  @usableFromInline let element: Element

  @inlinable init(_ element: Element) {
    self.element = element
    super.init(needsTrampoline: false) { observer in
      observer.on(.next(element))
      observer.on(.completed)
      return Disposables.create()
    }
  }
}

extension Observable {
  /// The element of a sequence that `just` has created; `nil` for other sequences.
  @inlinable var soleElement: Element? {
    type(of: self) == Just<Element>.self ? unsafeDowncast(self, to: Just<Element>.self).element : nil
  }
}

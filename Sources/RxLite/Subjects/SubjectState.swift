/// The life cycle of a subject.
@usableFromInline enum SubjectState<Element> {
  case running
  case stopped(Event<Element>)
  case disposed(DisposedSubject)
  /// The subject was released; no further event can be sent.
  case abandoned
}

/// A weak reference to a disposed subject, which is needed only for the error message.
@usableFromInline struct DisposedSubject {
  private weak var subject: AnyObject?

  init(_ subject: AnyObject) {
    self.subject = subject
  }

  /// Returns the error for later observers, which may subscribe through an operator that has outlived the
  /// subject.
  @usableFromInline func error(elseOf broadcast: AnyObject) -> any Error {
    RxError.disposed(object: subject ?? broadcast)
  }
}

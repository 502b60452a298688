/// An observer of a subject.
@usableFromInline class SubjectObserver {
  #if TRACE_RESOURCES
    private let trace = ResourceTrace()
  #endif

  @usableFromInline init() {}
}

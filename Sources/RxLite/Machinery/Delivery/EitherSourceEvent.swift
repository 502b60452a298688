/// An event of one of two sequences.
@usableFromInline enum EitherSourceEvent<First, Second> {
  case first(Event<First>)
  case second(Event<Second>)
}

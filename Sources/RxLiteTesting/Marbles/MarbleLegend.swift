import RxLite

/// The error that `#` stands for where no table says otherwise.
public struct MarbleFailure: Error, Hashable {
  /// Makes the error.
  public init() {}
}

/// What the characters of a diagram stand for.
struct MarbleLegend<Element> {
  let values: [Character: Element]
  let errors: [Character: any Error]

  /// The event that a mark stands for; `nil` for a `^`.
  func event(of mark: MarbleText.Mark, in text: MarbleText) throws(MarbleError) -> Event<Element>? {
    let (value, error) = (values[mark.character], errors[mark.character])
    let isFixed = ["|", "^", "!"].contains(mark.character)
    if [value != nil, error != nil, isFixed].filter({ $0 }).count > 1 {
      throw text.error(.ambiguous, at: mark.offset)
    }
    if let value { return .next(value) }
    if let error { return .error(error) }
    switch mark.character {
    case "|": return .completed
    case "#": return .error(MarbleFailure())
    case "^": return nil
    case "!": throw text.error(.misplaced(expected: "an event: \"!\" ends subscriptions"), at: mark.offset)
    default:
      guard let element = element(named: mark.character) else {
        throw text.error(.unknown(elementType: "\(Element.self)"), at: mark.offset)
      }
      return .next(element)
    }
  }

  /// A character that is in no table stands for itself: as a string, a digit, or whatever can be made of text.
  private func element(named character: Character) -> Element? {
    if let element = String(character) as? Element { return element }
    guard let type = Element.self as? any LosslessStringConvertible.Type else { return nil }
    return type.init(String(character)) as? Element
  }
}

extension MarbleLegend where Element: Equatable {
  /// The character that stands for an event, one of `preferred` where several do; `nil` where none does.
  func character(for event: Event<Element>, preferring preferred: [Character]) -> Character? {
    switch event {
    case .completed:
      return "|"
    case .error(let error):
      let names = errors.keys.filter { errors[$0].map { areEqual($0, error) } ?? false }
      let standard: [Character] = errors["#"] == nil && error is MarbleFailure ? ["#"] : []
      return choose(names + standard, preferred)
    case .next(let element):
      let text = "\(element)"
      let isItself = text.count == 1 && !"-()|^!# ".contains(text) && values[Character(text)] == nil
      let own = isItself && errors[Character(text)] == nil && self.element(named: Character(text)) == element
      return choose(values.keys.filter { values[$0] == element } + (own ? [Character(text)] : []), preferred)
    }
  }

  func marks(
    for events: [Recorded<Event<Element>>], preferring preferred: [Character]
  ) -> [MarbleDrawing.Mark] {
    events.map { event in
      MarbleDrawing.Mark(
        time: event.time, character: character(for: event.value, preferring: preferred),
        label: "\(event.value)")
    }
  }

  private func choose(_ names: [Character], _ preferred: [Character]) -> Character? {
    preferred.first(where: names.contains) ?? names.min()
  }
}

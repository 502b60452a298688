import RxLite

/// The error that `#` represents unless a table says otherwise.
public struct MarbleFailure: Error, Hashable {
  /// Creates the error.
  public init() {}
}

/// The meanings of the characters of a diagram.
struct MarbleLegend<Element> {
  let values: [Character: Element]
  let errors: [Character: any Error]

  /// Returns the event that a mark represents; `nil` for a `^`.
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
    case "!": throw text.error(.misplaced(expected: "an event; \"!\" is for subscriptions"), at: mark.offset)
    default:
      guard let element = element(named: mark.character) else {
        throw text.error(.unknown(elementType: "\(Element.self)"), at: mark.offset)
      }
      return .next(element)
    }
  }

  /// Returns the element for a character that is in no table: the character as a string, or converted from
  /// text, such as a digit.
  private func element(named character: Character) -> Element? {
    if let element = String(character) as? Element { return element }
    guard let type = Element.self as? any LosslessStringConvertible.Type else { return nil }
    return type.init(String(character)) as? Element
  }
}

extension MarbleLegend where Element: Equatable {
  /// Returns the character for an event, preferably one of `preferred`; `nil` if there is none.
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

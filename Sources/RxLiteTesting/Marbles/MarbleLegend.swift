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

  /// Checks that no table gives a meaning to a mark of the diagram that stands for time, a group or nothing.
  func checkFixedMarks(of text: MarbleText) throws(MarbleError) {
    for (offset, character) in text.text.enumerated() {
      let isFixed = character.isWhitespace || ["-", "(", ")"].contains(character)
      let isInTable = values[character] != nil || errors[character] != nil
      if isFixed && isInTable { throw text.error(.ambiguous, at: offset) }
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
    var candidates: [Character] = ["|", "#"]
    candidates += values.keys
    candidates += errors.keys
    // The first character of an element's text, because a digit also stands for a number such as 7.0.
    if let element = event.element, let own = "\(element)".first { candidates.append(own) }
    let names = candidates.filter { isMark($0, of: event) }
    return preferred.first(where: names.contains) ?? names.min()
  }

  /// Returns whether a diagram of this one character represents the event.
  private func isMark(_ character: Character, of event: Event<Element>) -> Bool {
    guard let text = try? MarbleText(String(character)), let mark = text.marks.first else { return false }
    return (try? self.event(of: mark, in: text)) == event
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
}

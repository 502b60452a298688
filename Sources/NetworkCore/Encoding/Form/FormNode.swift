/// A value of a form, as far as it has been encoded.
final class FormNode {
  enum Content {
    case nothing
    case text(String)
    case array([FormNode])
    case object(FormMembers)
  }

  var content = Content.nothing

  /// Turns the node into an object, unless it is one: a class and its superclass may both request a
  /// container.
  func becomeObject() {
    if case .object = content { return }
    content = .object(FormMembers())
  }

  func becomeArray() {
    if case .array = content { return }
    content = .array([])
  }

  /// Adds and returns a new member; replaces a member with the same name.
  func addMember(_ name: String) -> FormNode {
    let node = FormNode()
    guard case .object(let members) = content else { return node }
    members[name] = node
    return node
  }

  /// Returns the member with a name; `nil` if there is none.
  func member(_ name: String) -> FormNode? {
    if case .object(let members) = content { members[name] } else { nil }
  }

  func addElement() -> FormNode {
    let node = FormNode()
    guard case .array(var elements) = content else { return node }
    content = .nothing
    elements.append(node)
    content = .array(elements)
    return node
  }

  var elementCount: Int {
    if case .array(let elements) = content { elements.count } else { 0 }
  }
}

/// The members of an object in the order in which they were encoded.
final class FormMembers {
  private(set) var all: [(name: String, node: FormNode)] = []
  private var indices: [String: Int] = [:]

  subscript(name: String) -> FormNode? {
    get { indices[name].map { all[$0].node } }
    set {
      guard let newValue else { return }
      if let index = indices[name] {
        all[index].node = newValue
      } else {
        indices[name] = all.count
        all.append((name, newValue))
      }
    }
  }
}

/// A pipeline as text: `name[number,…](child,…)`, for example `take[2](merge(timer[5],just[1]))`.
///
/// The children of an operator are its sources, in the order of its parameters. The outermost node is a `case`,
/// whose first child is the pipeline and whose other children are its observers.
struct PipelineNode {
  let name: String
  let numbers: [Int]
  let children: [PipelineNode]
}

extension PipelineNode {
  init(parsing text: String) throws {
    var parser = Parser(rest: text[...])
    self = try parser.node()
    guard parser.rest.isEmpty else { throw parser.failure("the end") }
  }

  private struct Parser {
    var rest: Substring

    mutating func node() throws -> PipelineNode {
      let name = word()
      if name.isEmpty { throw failure("a name") }
      let numbers = try list(from: "[", to: "]") { try $0.number() }
      let children = try list(from: "(", to: ")") { try $0.node() }
      return PipelineNode(name: String(name), numbers: numbers, children: children)
    }

    private mutating func number() throws -> Int {
      guard let number = Int(word()) else { throw failure("a number") }
      return number
    }

    /// Parses a list in brackets, or nothing if the list is missing.
    private mutating func list<Item>(
      from opening: Character, to closing: Character, item: (inout Parser) throws -> Item
    ) throws -> [Item] {
      guard skip(opening) else { return [] }
      var items: [Item] = []
      repeat { items.append(try item(&self)) } while skip(",")
      guard skip(closing) else { throw failure("'\(closing)'") }
      return items
    }

    private mutating func word() -> Substring {
      let word = rest.prefix { !"[](),".contains($0) }
      rest = rest[word.endIndex...]
      return word
    }

    private mutating func skip(_ character: Character) -> Bool {
      guard rest.first == character else { return false }
      rest.removeFirst()
      return true
    }

    func failure(_ expected: String) -> InvalidPipeline {
      InvalidPipeline(reason: "expected \(expected) before '\(rest.prefix(20))'")
    }
  }
}

/// The error of a text that does not describe a pipeline.
struct InvalidPipeline: Error {
  let reason: String
}

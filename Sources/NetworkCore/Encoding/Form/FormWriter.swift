import Foundation

/// Writes a tree of values as key-value pairs.
struct FormWriter {
  private let options: URLEncodedFormEncoder
  private let allowedCharacters: CharacterSet

  init(options: URLEncodedFormEncoder) {
    self.options = options
    allowedCharacters = options.allowedCharacters.union(CharacterSet(charactersIn: " "))
  }

  func text(of root: FormNode) -> String {
    guard case .object(let members) = root.content else { return "" }
    return joined(members.all.map { text(of: $0.node, key: $0.name) })
  }

  private func text(of node: FormNode, key: String) -> String? {
    switch node.content {
    case .nothing:
      return nil
    case .text(let text):
      return "\(escape(options.keyEncoding.encode(key)))=\(escape(text))"
    case .array(let elements):
      let present = elements.filter { if case .nothing = $0.content { false } else { true } }
      return joined(
        present.enumerated().map { index, element in
          text(of: element, key: options.arrayEncoding.encode(key: key, atIndex: index))
        })
    case .object(let members):
      return joined(
        members.all.map { text(of: $0.node, key: key + options.keyPathEncoding.encode($0.name)) })
    }
  }

  private func joined(_ segments: [String?]) -> String {
    let present = segments.compactMap(\.self).filter { !$0.isEmpty }
    return (options.alphabetizeKeyValuePairs ? present.sorted() : present).joined(separator: "&")
  }

  private func escape(_ text: String) -> String {
    let escaped = text.addingPercentEncoding(withAllowedCharacters: allowedCharacters) ?? ""
    return escaped.replacing(" ", with: options.spaceEncoding.text)
  }
}

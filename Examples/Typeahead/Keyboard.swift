import ReactiveNetwork

#if canImport(Glibc)
  import Glibc
#endif

/// Reads keys from standard input, on a separate thread.
enum Keyboard {
  /// Sends the typed keys to `keys`; completes it at the end of the input.
  static func start(into keys: PublishSubject<Key>, quit: PublishSubject<Void>) {
    Thread {
      var decoder = KeyDecoder()
      var bytes = [UInt8](repeating: 0, count: 256)
      while true {
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        for key in decoder.keys(in: bytes[..<count]) {
          if key == .quit { quit.onNext(()) } else { keys.onNext(key) }
        }
      }
      keys.onCompleted()
    }.start()
  }
}

/// Decodes the bytes that a terminal sends into keys.
struct KeyDecoder {
  /// The first bytes of a character whose remaining bytes have not arrived yet.
  private var rest: [UInt8] = []

  /// Returns the keys in the bytes of one read, which contains whole escape sequences, such as that of an
  /// arrow key, because a read ends when the user pauses.
  mutating func keys(in bytes: some Sequence<UInt8>) -> [Key] {
    var keys: [Key] = []
    var input = (rest + bytes)[...]
    rest = []
    while let byte = input.first {
      switch byte {
      case 0x1B:
        input.removeFirst()
        // A lone Esc quits; Esc followed by more bytes is an arrow or a function key.
        if input.isEmpty { keys.append(.quit) } else { Self.skipSequence(&input) }
      case 0x03, 0x04:
        input.removeFirst()
        keys.append(.quit)
      case 0x08, 0x7F:
        input.removeFirst()
        keys.append(.backspace)
      case 0x15:
        input.removeFirst()
        keys.append(.clear)
      case 0..<0x20:
        input.removeFirst()
      default:
        let length = byte < 0x80 ? 1 : byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
        // A byte that does not continue the character is a separate key; this matters most for Ctrl-C.
        let character = input.prefix(1) + input.dropFirst().prefix(length - 1).prefix { 0x80...0xBF ~= $0 }
        if character.count < length, character.count == input.count {
          rest = Array(input)
          return keys
        }
        let text = String(decoding: character, as: UTF8.self)
        keys += text.filter { $0 != "\u{FFFD}" }.map(Key.character)
        input.removeFirst(character.count)
      }
    }
    return keys
  }

  /// Drops the rest of an escape sequence (ECMA-48).
  private static func skipSequence(_ input: inout ArraySlice<UInt8>) {
    guard let kind = input.first, kind == UInt8(ascii: "[") || kind == UInt8(ascii: "O") else { return }
    input.removeFirst()
    while let byte = input.popFirst(), !(0x40...0x7E).contains(byte) {}
  }
}

import ExampleSupport
import Foundation

/// A file to download.
struct Item {
  let url: URL
  /// The expected SHA-256, in hexadecimal digits.
  var sum: String?
  let name: String

  /// Parses `URL#sha256=HEX`.
  init(_ word: String) throws(Rejection) {
    let url = try Words.url(word)
    if let fragment = url.fragment, fragment.hasPrefix("sha256=") {
      let digits = fragment.dropFirst("sha256=".count).lowercased()
      guard digits.count == 64, digits.allSatisfy(\.isHexDigit) else {
        throw .invalid("\"\(digits)\" is not a SHA-256 of 64 hexadecimal digits")
      }
      sum = digits
    }
    self.url = url
    let last = url.lastPathComponent
    name = last.isEmpty || last == "/" ? "index.html" : last
    guard !name.hasPrefix("."), !name.contains(where: { $0 == "/" || $0 == "\0" }) else {
      throw .invalid("\"\(word)\" has no name that a file could take")
    }
  }
}

/// The options on the command line.
struct Arguments {
  var items: [Item] = []
  var directory: URL?
  var concurrency = 3
  var timeout: TimeInterval = 30

  static let help = """
    Downloads files, some at a time, and goes on with what an earlier run has left.

    usage: swift run downloader [--directory DIR] [--concurrency N]
                                [--timeout SECONDS] [URL[#sha256=HEX] …]

      URL …              what to download; behind # the SHA-256 that the file must
                         have; without URLs, files of a server in this process,
                         one of which is cut off in the middle
      --directory DIR    where the files go (.), made if need be
      --concurrency N    how many at a time, 1 to 64 (3)
      --timeout SECONDS  give an attempt up in which nothing comes for so long (30)
      --help             show this text

    What has come of a file is in NAME.part until all of it has. The same command goes
    on there after a failure, Ctrl-C or worse, where the server tells versions apart
    (ETag, Last-Modified). It leaves alone what is there already, and checks its sum.

    Exit status: 0; 1 where a file could not be had or has another sum; 2 for wrong
    arguments; 128 and the number of the signal that ended it (Ctrl-C: 130).
    """

  init(_ words: inout Words) throws(Rejection) {
    while let word = try words.next() {
      switch word {
      case "--help", "-h": throw .help
      case "--directory": directory = URL(fileURLWithPath: try words.value(of: word, "a folder"))
      case "--concurrency": concurrency = try words.count(of: word, 1...64)
      case "--timeout": timeout = try words.seconds(of: word)
      case _ where word.hasPrefix("-"): throw .invalid("unknown argument \"\(word)\"")
      default: items.append(try Item(word))
      }
    }
    try Words.refuseTwins(items.map(\.name))
  }
}

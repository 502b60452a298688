import ExampleSupport
import Foundation

/// The options on the command line.
struct Arguments {
  var files: [URL] = []
  var place: URL?
  var token = ProcessInfo.processInfo.environment["UPLOAD_TOKEN"] ?? ""
  var tokenURL: URL?
  var field = "file"
  var concurrency = 2
  var rate: Int?
  var timeout: TimeInterval = 30

  static let help = """
    Uploads files as multipart forms, and goes on where an attempt broke off.

    usage: swift run uploader --to URL [--token-url URL] [--field NAME]
             [--concurrency N] [--limit-rate BYTES] [--timeout SECONDS] FILE …

      FILE …              what to upload; without files and --to, some that are made
                          up go to a server in this process, whose token runs out
                          and which loses one connection half-way
      --to URL            where to POST each file, in a form of one part
      --token-url URL     where to POST for {"token": "…"} when the server answers 401;
                          the first token is in the environment, UPLOAD_TOKEN
      --field NAME        what the form calls the part ("file")
      --concurrency N     how many at a time, 1 to 64 (2)
      --limit-rate BYTES  at most so many bytes a second for each file
      --timeout SECONDS   give an attempt up in which nothing moves for so long (30)
      --help              show this text

    Each attempt asks HEAD URL/NAME first. Where the answer has Upload-Offset: N and
    Upload-Length: the file's, it sends what follows byte N, and says Upload-Offset: N.

    Exit status: 0; 1 where a file could not be uploaded, or the server tells of
    another "sha256"; 2 for wrong arguments; 128 and the number of the signal that
    ended it (Ctrl-C: 130).
    """

  init(_ words: inout Words) throws(Rejection) {
    while let word = try words.next() {
      switch word {
      case "--help", "-h": throw .help
      case "--to": place = try Words.url(words.value(of: word, "a URL"))
      case "--token-url": tokenURL = try Words.url(words.value(of: word, "a URL"))
      case "--field": field = try words.value(of: word, "a name")
      case "--concurrency": concurrency = try words.count(of: word, 1...64)
      case "--limit-rate": rate = try words.count(of: word, 1...1_000_000_000)
      case "--timeout": timeout = try words.seconds(of: word)
      case _ where word.hasPrefix("-"): throw .invalid("unknown argument \"\(word)\"")
      default: files.append(URL(fileURLWithPath: word))
      }
    }
    if place == nil, !files.isEmpty { throw .invalid("--to says where the files go, and is missing") }
    if place != nil, files.isEmpty { throw .invalid("there is no file to upload") }
    try Words.refuseTwins(files.map(\.lastPathComponent))
  }
}

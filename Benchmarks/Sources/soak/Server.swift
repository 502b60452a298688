import Foundation
import LoopbackServer
import Processes

/// Runs the server until the standard input ends.
func serve() throws {
  var options = LoopbackServer.Options()
  options.keptRequests = 0
  let server = try LoopbackServer(options: options) { reply(to: $0) }
  ChildProcess.sendToParent("port", server.port)
  while readLine() != nil {}
}

/// The body of most responses.
let text = String(repeating: "a soak of many requests ", count: 20)
/// The size of a large response in bytes.
let largeCount = 1 << 20

private func reply(to request: LoopbackServer.Request) -> LoopbackServer.Reply {
  switch request.path {
  case "/echo": .bytes(request.body)
  case "/model": .json(#"{"id":7,"name":"a model"}"#)
  case "/chunked": .text(text).chunked(size: 50)
  case "/large": .repeating(0x61, count: largeCount)
  case "/slow": .text(text).delayed(by: .milliseconds(30))
  case "/trickle": .text(text).trickled(chunk: 60, every: .milliseconds(5))
  case "/missing": .text(text, status: 404)
  case "/redirect": .redirect(to: "/text")
  case "/loop": .redirect(to: "/loop")
  case "/elsewhere": .redirect(to: "file:///etc/passwd")
  case "/never": .never
  case "/close": .close
  case "/reset": .reset
  case "/close-in-head": .text(text).truncated(after: 20, of: .head)
  case "/close-in-body": .text(text).truncated(after: 100)
  case "/reset-in-body": .text(text).truncated(after: 100, by: .reset)
  case "/close-in-chunks": .text(text).chunked(size: 50).truncated(after: 100)
  case "/wrong-length": .text(text).contentLength(text.utf8.count + 10).closingConnection()
  case "/bad-chunk": .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nnone\r\n".utf8)
  case "/garbage": .raw("This is no HTTP at all.\r\n\r\n".utf8)
  default: .text(text)
  }
}

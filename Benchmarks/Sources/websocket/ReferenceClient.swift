import CurlWebSocketReference
import Foundation

/// libcurl in C.
struct ReferenceClient: Client {
  private static let opened = DispatchSemaphore(value: 0)

  let port: Int

  private var url: String { "http://127.0.0.1:\(port)" }

  func echo(_ load: EchoLoad) throws -> Int {
    Int(curl_websocket_reference_echo(url, load.size, Int32(load.inFlight), load.seconds))
  }

  func hold(_ count: Int) throws {
    let url = url
    Thread.detachNewThread {
      curl_websocket_reference_hold(url, Int32(count)) { ReferenceClient.opened.signal() }
      print("a connection has failed")
    }
    Self.opened.wait()
  }

  func open(sending size: Int) throws -> () -> Void {
    throw ClientError.connection("not measured")
  }
}

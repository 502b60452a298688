/// The handles that no transfer uses; used on the loop's thread only.
struct HandlePool {
  private let library: CurlLibrary
  private let sockets: SocketRegistry
  private var idle: [CurlEasy] = []

  init(library: CurlLibrary, sockets: SocketRegistry) {
    self.library = library
    self.sockets = sockets
  }

  /// Removes and returns a handle, or creates one; `nil` if libcurl has no memory.
  mutating func take() -> CurlEasy? { idle.popLast() ?? CurlEasy(library: library, sockets: sockets) }

  /// Keeps a handle for another transfer, unless it must not be reused or there are enough.
  mutating func add(_ easy: CurlEasy) {
    guard !easy.mustNotBeReused, !easy.hasProxyCertificateProblem else { return }
    if idle.count < CurlTransport.idleHandleLimit { idle.append(easy) }
  }

  mutating func removeAll() {
    idle = []
  }
}

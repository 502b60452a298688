import Foundation

/// The resources of this process as reported by the system; `nil` if it does not report them (other than
/// Linux).
enum ProcessFacts {
  /// The number of open sockets, pipes and files.
  static var descriptors: Int? { entries(of: "/proc/self/fd") }

  /// The memory in use, in bytes; `nil` under the address sanitizer, which keeps up to 256 MiB of freed memory.
  static var residentMemory: Int? {
    guard dlsym(nil, "__asan_init") == nil else { return nil }
    let words = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return words.flatMap { Int($0[1]) }.map { $0 * Int(getpagesize()) }
  }

  /// Returns the number of threads whose name begins with `name`.
  static func threads(named name: String) -> Int? {
    guard let ids = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task") else {
      return nil
    }
    return ids.count { id in
      (try? String(contentsOfFile: "/proc/self/task/\(id)/comm", encoding: .utf8))?.hasPrefix(name) ?? false
    }
  }

  /// The number of all threads; Swift's own pool can grow by one per core at any time.
  static var threads: Int? { entries(of: "/proc/self/task") }

  /// The largest number of sockets that the system watches in one event queue of this process (Linux: epoll).
  static var watchedSockets: Int? {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fdinfo") else {
      return nil
    }
    // A descriptor may be closed meanwhile, so one that cannot be read counts as zero.
    return names.map { name in
      let facts = try? String(contentsOfFile: "/proc/self/fdinfo/\(name)", encoding: .utf8)
      return facts?.split(separator: "\n").count { $0.hasPrefix("tfd:") } ?? 0
    }.max()
  }

  /// Returns this process's sockets that are connected to a port of 127.0.0.1.
  static func sockets(connectedTo port: UInt16) -> [CInt] {
    (0..<CInt(min(getdtablesize(), 65_536))).filter { socket in
      var address = sockaddr_in()
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isConnected = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(socket, $0, &size) == 0 }
      }
      return isConnected && address.sin_family == sa_family_t(AF_INET)
        && UInt16(bigEndian: address.sin_port) == port
    }
  }

  /// Returns `true` if a socket of this process has so many bytes from a port of 127.0.0.1 that it has not read.
  static func hasUnreadBytes(_ count: Int = 1, from port: UInt16) -> Bool {
    sockets(connectedTo: port).contains { socket in
      var bytes = [UInt8](repeating: 0, count: count)
      return recv(socket, &bytes, count, CInt(MSG_PEEK) | CInt(MSG_DONTWAIT)) >= count
    }
  }

  private static func entries(of directory: String) -> Int? {
    try? FileManager.default.contentsOfDirectory(atPath: directory).count
  }
}

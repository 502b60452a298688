import Foundation

#if os(Linux)
  /// A file whose opening blocks: a lease makes it wait (fcntl(2)) until `release()`, for 45 seconds at most.
  final class LeasedFile: Sendable {
    /// Whether the file system of temporary files has leases.
    static let isPossible = (try? LeasedFile(containing: Data()))?.isLeased == true

    let url: URL
    let isLeased: Bool
    private let descriptor: CInt
    private let folder: TemporaryFolder

    init(containing data: Data) throws {
      folder = try TemporaryFolder()
      url = try folder.file(containing: data)
      descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
      // F_SETSIG and F_SETLEASE: the signal that the lease is wanted back must be one that does nothing.
      let hasSignal = fcntl(descriptor, 10, SIGURG) == 0
      // EAGAIN as long as another process has the descriptor: one that a test has just started, until it runs its program.
      let descriptor = descriptor
      isLeased =
        hasSignal && waitUntil { fcntl(descriptor, 1_024, CInt(F_WRLCK)) == 0 || errno != EAGAIN }
        && fcntl(descriptor, 1_024, CInt(F_WRLCK)) == 0
    }

    deinit { close(descriptor) }

    func release() { _ = fcntl(descriptor, 1_024, CInt(F_UNLCK)) }
  }
#endif

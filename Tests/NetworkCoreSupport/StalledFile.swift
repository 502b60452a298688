import Foundation

#if os(Linux)
  /// A file whose opening blocks: a lease delays it (fcntl(2)) until `release()`, for at most 45 seconds.
  final class StalledFile: Sendable {
    /// `true` if the file system of temporary files supports leases.
    static let isPossible = (try? StalledFile(containing: Data()))?.isLeased == true

    let url: URL
    let isLeased: Bool
    private let descriptor: CInt
    private let folder: TemporaryFolder

    init(containing data: Data) throws {
      folder = try TemporaryFolder()
      url = try folder.file(containing: data)
      descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
      // F_SETSIG and F_SETLEASE: the signal for the end of the lease must be one that does nothing by
      // default.
      let hasSignal = fcntl(descriptor, 10, SIGURG) == 0
      // EAGAIN while another process has the descriptor: a child of another test, until it executes its
      // program.
      let descriptor = descriptor
      isLeased =
        hasSignal && waitUntil { fcntl(descriptor, 1_024, CInt(F_WRLCK)) == 0 || errno != EAGAIN }
        && fcntl(descriptor, 1_024, CInt(F_WRLCK)) == 0
    }

    deinit { close(descriptor) }

    func release() { _ = fcntl(descriptor, 1_024, CInt(F_UNLCK)) }
  }
#endif

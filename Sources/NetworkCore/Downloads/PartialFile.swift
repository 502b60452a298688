import Foundation
import ReactiveNetworkLock

/// A file that is written until it is complete.
///
/// One download uses it at a time.
final class PartialFile: Sendable {
  private struct State {
    var descriptor: CInt
    var count: Int64
    /// Whether the file stays when it is closed.
    var isKeptOnClose = false
  }

  let url: URL
  /// A folder that was created only for this file.
  private let folder: URL?
  /// The file with the data to resume the download, which is removed together with this one.
  private let metadataURL: URL?
  private let state: Lock<State>
  /// Whether to close the file; stops a move, which holds the lock of the state.
  private let isClosing = Lock(false)

  private init(_ url: URL, folder: URL? = nil, metadataURL: URL? = nil, descriptor: CInt, count: Int64) {
    self.url = url
    self.folder = folder
    self.metadataURL = metadataURL
    self.state = Lock(State(descriptor: descriptor, count: count))
  }

  deinit {
    close()
  }

  /// Creates a temporary file in a new folder that only this user can open.
  static func temporary() throws(DownloadError) -> PartialFile {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "NetworkCore-\(UUID().uuidString)", isDirectory: true)
    guard mkdir(folder.path, 0o700) == 0 else { throw .cannotWrite(errno, folder.path) }
    let url = folder.appendingPathComponent("download.tmp")
    let descriptor = open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      let code = errno
      rmdir(folder.path)
      throw .cannotWrite(code, url.path)
    }
    return PartialFile(url, folder: folder, descriptor: descriptor, count: 0)
  }

  /// Opens the file of an earlier attempt, or creates one; throws `.inUse` if another download uses it.
  ///
  /// Only this user can read it until it has been moved to its destination. The file of another user, who could read
  /// and change the download, is removed.
  static func resumable(_ url: URL, metadataURL: URL) throws(DownloadError) -> PartialFile {
    // O_NONBLOCK: opening a pipe must not wait for a reader.
    let flags = O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    while true {
      var descriptor = open(url.path, flags | O_CREAT | O_EXCL, 0o600)
      let isNew = descriptor >= 0
      if !isNew, errno == EEXIST {
        descriptor = open(url.path, flags)
        // The previous download may have moved it.
        if descriptor < 0, errno == ENOENT { continue }
        if descriptor < 0, errno == EACCES {
          try remove(url)
          continue
        }
      }
      guard descriptor >= 0 else { throw .cannotWrite(errno, url.path) }
      var facts = stat()
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &facts) == 0 else {
        let code = errno
        closeDescriptor(descriptor)
        throw code == EWOULDBLOCK ? .inUse(path: url.path) : .cannotWrite(code, url.path)
      }
      // The previous download may have moved the file to its destination between the two calls.
      if isOpen(url, as: descriptor) {
        // Some file systems give a new file another owner.
        guard isNew || facts.st_uid == geteuid() else {
          closeDescriptor(descriptor)
          try remove(url)
          continue
        }
        // An earlier version may have created it readable for others.
        fchmod(descriptor, 0o600)
        return PartialFile(url, metadataURL: metadataURL, descriptor: descriptor, count: Int64(facts.st_size))
      }
      closeDescriptor(descriptor)
    }
  }

  /// Removes the file of another user.
  private static func remove(_ url: URL) throws(DownloadError) {
    guard unlink(url.path) == 0 || errno == ENOENT else { throw .cannotWrite(errno, url.path) }
  }

  /// The size of the file in bytes.
  var count: Int64 { state.withLock { $0.count } }

  /// Whether the file stays when it is closed.
  var isKeptOnClose: Bool {
    get { state.withLock { $0.isKeptOnClose } }
    set { state.withLock { $0.isKeptOnClose = newValue } }
  }

  /// Truncates the file to `count` bytes, and continues to write after them.
  func truncate(to count: Int64) throws(DownloadError) {
    try withDescriptor { descriptor, state in
      guard ftruncate(descriptor, off_t(count)) == 0, lseek(descriptor, off_t(count), SEEK_SET) >= 0 else {
        return false
      }
      state.count = count
      return true
    }
  }

  /// Appends bytes.
  func append(_ data: Data) throws(DownloadError) {
    try withDescriptor { descriptor, state in
      guard data.withUnsafeBytes({ writeAll(descriptor, $0) }) else { return false }
      state.count += Int64(data.count)
      return true
    }
  }

  /// Moves the file, which must be complete, to its destination, unless it is closed meanwhile.
  func move(to place: FilePlacement) throws(DownloadError) {
    // The lock is held, so that `close()` waits for the move, because it removes or unlocks the file.
    try state.withLock { state throws(DownloadError) in
      guard state.descriptor >= 0 else { throw .cannotWrite(EBADF, url.path) }
      // If the file was removed, the file that now has this name may be an incomplete one of another download.
      guard Self.isOpen(url, as: state.descriptor) else {
        throw .cannotWrite(path: url.path, reason: "it has been removed or replaced")
      }
      let isKept = state.isKeptOnClose
      // Linux reports an error of writing once, so a later attempt would take the bytes for complete.
      state.isKeptOnClose = false
      try place.synchronize(state.descriptor)
      state.isKeptOnClose = isKept
      try place.move(url, unless: { isClosing.withLock { $0 } })
      state.isKeptOnClose = true
      if let metadataURL {
        applyDefaultPermissions(of: place.destination.deletingLastPathComponent(), to: state.descriptor)
        unlink(metadataURL.path)
      }
      // Closed after the move, because the file must stay locked while it has this name.
      close(&state)
    }
    removeFolder()
  }

  /// Closes the file, and removes it unless it is kept and has content.
  ///
  /// Nothing can be written afterwards. A move that is in progress stops first, unless its last step has begun.
  ///
  /// May be called on any thread, and more than once.
  func close() {
    isClosing.withLock { $0 = true }
    let isRemoved = state.withLock { state in
      guard state.descriptor >= 0 else { return false }
      let isKept = state.isKeptOnClose && state.count > 0
      // Removed before it is closed, because closing it releases its lock.
      if !isKept, Self.isOpen(url, as: state.descriptor) {
        unlink(url.path)
        if let metadataURL { unlink(metadataURL.path) }
      }
      close(&state)
      return !isKept
    }
    if isRemoved { removeFolder() }
  }

  private func close(_ state: inout State) {
    // Unlocked explicitly, because a starting child process shares the descriptor until it calls exec.
    flock(state.descriptor, LOCK_UN)
    closeDescriptor(state.descriptor)
    state.descriptor = -1
  }

  /// Whether the path still leads to the file that the descriptor was opened for.
  private static func isOpen(_ url: URL, as descriptor: CInt) -> Bool {
    var facts = stat()
    var current = stat()
    return fstat(descriptor, &facts) == 0 && lstat(url.path, &current) == 0 && current.st_ino == facts.st_ino
      && current.st_dev == facts.st_dev
  }

  /// Gives the file the permissions of a new file in the folder.
  ///
  /// It creates a file to find them, because the umask cannot be read safely, and a folder may have its own
  /// rules.
  private func applyDefaultPermissions(of folder: URL, to file: CInt) {
    let probe = folder.appendingPathComponent(".\(UUID().uuidString).download").path
    let descriptor = open(probe, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { return }
    defer { closeDescriptor(descriptor) }
    unlink(probe)
    var facts = stat()
    guard fstat(descriptor, &facts) == 0 else { return }
    fchmod(file, facts.st_mode & 0o777)
  }

  private func removeFolder() {
    if let folder { rmdir(folder.path) }
  }

  private func withDescriptor(_ body: (CInt, inout State) -> Bool) throws(DownloadError) {
    let code: CInt = state.withLock { state in
      guard state.descriptor >= 0 else { return EBADF }
      return body(state.descriptor, &state) ? 0 : errno
    }
    guard code == 0 else { throw .cannotWrite(code, url.path) }
  }
}

/// Calls `close`, which the file's method of that name hides.
private func closeDescriptor(_ descriptor: CInt) { close(descriptor) }

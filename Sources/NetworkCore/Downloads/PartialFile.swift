import Foundation
import Locking

/// A file that is written to until it is whole; used by one download at a time.
final class PartialFile: Sendable {
  private struct State {
    var descriptor: CInt
    var count: Int64
    /// Whether the file stays when it is closed.
    var isKept = false
  }

  let url: URL
  /// A folder that was made for the file alone.
  private let folder: URL?
  /// A file that says what this one is part of, and is removed together with it.
  private let notes: URL?
  private let state: Lock<State>

  private init(_ url: URL, folder: URL? = nil, notes: URL? = nil, descriptor: CInt, count: Int64) {
    self.url = url
    self.folder = folder
    self.notes = notes
    self.state = Lock(State(descriptor: descriptor, count: count))
  }

  deinit {
    close()
  }

  /// Makes a file in a folder of its own, which only this user can look into, among the temporary files.
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

  /// Opens a file that may have been begun before; nobody else may have it open.
  ///
  /// Only this user can read it until it has been moved to its place.
  static func resumable(_ url: URL, notes: URL) throws(DownloadError) -> PartialFile {
    while true {
      // NONBLOCK: opening a pipe must not wait for somebody to read from it.
      let descriptor = open(url.path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
      guard descriptor >= 0 else { throw .cannotWrite(errno, url.path) }
      var facts = stat()
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &facts) == 0 else {
        let code = errno
        closeDescriptor(descriptor)
        throw code == EWOULDBLOCK ? .inUse(path: url.path) : .cannotWrite(code, url.path)
      }
      // The one who had it may have moved it to its place between the two calls.
      if isOpen(url, as: descriptor) {
        // It may have been begun when others could read it. A file of another user keeps its rights.
        fchmod(descriptor, 0o600)
        return PartialFile(url, notes: notes, descriptor: descriptor, count: Int64(facts.st_size))
      }
      closeDescriptor(descriptor)
    }
  }

  /// The bytes that the file has.
  var count: Int64 { state.withLock { $0.count } }

  /// Whether the file stays when it is closed.
  var isKept: Bool {
    get { state.withLock { $0.isKept } }
    set { state.withLock { $0.isKept = newValue } }
  }

  /// Cuts the file down to so many bytes, and goes on behind them.
  func cut(to count: Int64) throws(DownloadError) {
    try withDescriptor { descriptor, state in
      guard ftruncate(descriptor, off_t(count)) == 0, lseek(descriptor, off_t(count), SEEK_SET) >= 0 else {
        return false
      }
      state.count = count
      return true
    }
  }

  /// Adds bytes at the end.
  func append(_ data: Data) throws(DownloadError) {
    try withDescriptor { descriptor, state in
      guard data.withUnsafeBytes({ writeAll(descriptor, $0) }) else { return false }
      state.count += Int64(data.count)
      return true
    }
  }

  /// Moves the file to its place; it must be whole.
  func move(to place: FilePlacement) throws(DownloadError) {
    // Closed afterwards: as long as the file has its name here, it is locked.
    let isThere = state.withLock { state in
      state.descriptor < 0 ? nil : Self.isOpen(url, as: state.descriptor)
    }
    guard let isThere else { throw .cannotWrite(EBADF, url.path) }
    // Somebody may have removed it, and another download may have begun one that is not whole.
    guard isThere else { throw .cannotWrite(path: url.path, reason: "it has been removed or replaced") }
    try place.move(url)
    isKept = true
    if let notes {
      publish(in: place.destination.deletingLastPathComponent())
      unlink(notes.path)
    }
    close()
    removeFolder()
  }

  /// Closes the file, and removes it unless it is kept; from then on nothing can be written.
  ///
  /// May be called on any thread, and more than once.
  func close() {
    let isRemoved = state.withLock { state in
      guard state.descriptor >= 0 else { return false }
      // Before it is closed, which gives the lock on it to others.
      if !state.isKept, Self.isOpen(url, as: state.descriptor) {
        unlink(url.path)
        if let notes { unlink(notes.path) }
      }
      // Said aloud: a process that is being started meanwhile has the descriptor, too, until it runs its program.
      flock(state.descriptor, LOCK_UN)
      closeDescriptor(state.descriptor)
      state.descriptor = -1
      return !state.isKept
    }
    if isRemoved { removeFolder() }
  }

  /// Whether what is at a path now is what a descriptor was opened for.
  private static func isOpen(_ url: URL, as descriptor: CInt) -> Bool {
    var facts = stat()
    var current = stat()
    return fstat(descriptor, &facts) == 0 && lstat(url.path, &current) == 0 && current.st_ino == facts.st_ino
      && current.st_dev == facts.st_dev
  }

  /// Gives the file the rights that a new one in a folder gets, which only a new one tells: the umask cannot be read safely, and a
  /// folder may have rules of its own.
  private func publish(in folder: URL) {
    let probe = folder.appendingPathComponent(".\(UUID().uuidString).download").path
    let descriptor = open(probe, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { return }
    defer { closeDescriptor(descriptor) }
    unlink(probe)
    var facts = stat()
    guard fstat(descriptor, &facts) == 0 else { return }
    state.withLock { state in _ = fchmod(state.descriptor, facts.st_mode & 0o777) }
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

/// A name that the file's own method does not hide.
private func closeDescriptor(_ descriptor: CInt) { close(descriptor) }

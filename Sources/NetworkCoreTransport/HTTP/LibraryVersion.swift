/// The version of this library, as in the change log.
enum LibraryVersion {
  static let current = "0.9.0"
}

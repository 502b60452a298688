/// The version of this library, as the change log has it.
enum LibraryVersion {
  static let current = "0.1.0"
}

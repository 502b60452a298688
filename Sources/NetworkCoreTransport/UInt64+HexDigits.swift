extension UInt64 {
  /// The number as sixteen lower-case hexadecimal digits.
  package var hexDigits: String {
    let digits = String(self, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

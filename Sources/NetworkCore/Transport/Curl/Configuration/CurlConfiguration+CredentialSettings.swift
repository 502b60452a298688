internal import CCurl

extension CurlConfiguration.Credential {
  /// Whether libcurl waits for a 401 to learn what to send.
  var answersChallenges: Bool {
    switch self {
    case .digest, .negotiate: true
    case .basic, .bearer: false
    }
  }

  func settings() throws(CurlConfigurationError) -> [CurlSetting] {
    switch self {
    case .basic(let user, let password): try Self.settings(CCURLAUTH_BASIC, user, password)
    case .digest(let user, let password): try Self.settings(CCURLAUTH_DIGEST, user, password)
    // No name: that of the ticket.
    case .negotiate: try Self.settings(CCURLAUTH_NEGOTIATE, "", "")
    case .bearer(let token): try Self.settings(token: token)
    }
  }

  private static func settings(
    _ kind: Int, _ user: String, _ password: String
  ) throws(CurlConfigurationError) -> [CurlSetting] {
    try checkForControls(user: user, password: password, "credentials")
    return [
      CurlSetting("CURLOPT_HTTPAUTH", CCURLOPT_HTTPAUTH, .long(kind)),
      CurlSetting("CURLOPT_USERNAME", CCURLOPT_USERNAME, .string(user)),
      CurlSetting("CURLOPT_PASSWORD", CCURLOPT_PASSWORD, .string(password)),
    ]
  }

  private static func settings(token: String) throws(CurlConfigurationError) -> [CurlSetting] {
    // libcurl puts it into a field as it is, where a line end would begin another one.
    guard !token.isEmpty, token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw .invalid(
        name: "credentials", value: token, reason: "a token has no blanks or control characters")
    }
    return [
      CurlSetting("CURLOPT_HTTPAUTH", CCURLOPT_HTTPAUTH, .long(CCURLAUTH_BEARER)),
      CurlSetting("CURLOPT_XOAUTH2_BEARER", CCURLOPT_XOAUTH2_BEARER, .string(token)),
    ]
  }
}

/// Refuses control characters in a name or a password, of which nothing is told.
///
/// Digest puts the name into a field as it is, where a line end would begin another one, and for libcurl a NUL ends either.
func checkForControls(
  user: String, password: String, _ name: String
) throws(CurlConfigurationError) {
  for (text, shown, part) in [(user, user, "user"), (password, "the password", "password")]
  where text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
    throw .invalid(name: name, value: shown, reason: "the \(part) has control characters")
  }
}

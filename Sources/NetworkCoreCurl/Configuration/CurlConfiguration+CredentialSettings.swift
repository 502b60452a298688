internal import CNetworkCoreCurl

extension CurlConfiguration.Credential {
  /// Whether libcurl needs the challenge of a 401 before it can send the credential.
  var respondsToChallenges: Bool {
    switch self {
    case .digest, .negotiate: true
    case .basic, .bearer: false
    }
  }

  func settings() throws(CurlConfigurationError) -> [CurlSetting] {
    switch self {
    case .basic(let user, let password): try Self.settings(CCURLAUTH_BASIC, user, password)
    case .digest(let user, let password): try Self.settings(CCURLAUTH_DIGEST, user, password)
    // No user name, so that the ticket's is used.
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
    // libcurl copies the token into a field unchanged, where a line break would start another field.
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

/// Throws if a user name or a password has control characters; the error does not show the password.
///
/// Digest copies the name into a field unchanged, where a line break would start another field, and libcurl
/// truncates both at a NUL.
func checkForControls(
  user: String, password: String, _ name: String
) throws(CurlConfigurationError) {
  for (text, shown, part) in [(user, user, "user"), (password, "the password", "password")]
  where text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
    throw .invalid(name: name, value: shown, reason: "the \(part) has control characters")
  }
}

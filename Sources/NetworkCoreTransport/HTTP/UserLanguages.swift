internal import Foundation

/// The languages that the user prefers, as tags for `Accept-Language`.
///
/// On Linux, environment variables name them: the list in `LANGUAGE`, then the first of `LC_ALL`,
/// `LC_MESSAGES` and `LANG` that is set. Foundation does not read these variables. If they name no language,
/// as in the locales `C` and `POSIX`, Foundation's languages are used.
package enum UserLanguages {
  /// The languages of this process, in order of preference.
  static let preferred = tags(in: ProcessInfo.processInfo.environment, or: Locale.preferredLanguages)

  /// Returns the languages that an environment names, or `standard` if it names none.
  package static func tags(
    in environment: [String: String], or standard: @autoclosure () -> [String]
  ) -> [String] {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    let list = environment["LANGUAGE"]?.split(separator: ":").map(String.init) ?? []
    let tags = (list + [locale ?? ""]).compactMap(tag)
    guard !tags.isEmpty else { return standard() }
    var seen: Set<String> = []
    return tags.filter { seen.insert($0).inserted }
  }

  /// Returns `de-DE` for `de_DE.UTF-8@euro`; `nil` for a locale without a language.
  private static func tag(of locale: String) -> String? {
    let name = String(locale.prefix { $0 != "." && $0 != "@" }.map { $0 == "_" ? "-" : $0 })
    let isTag = name.allSatisfy { $0 == "-" || $0.isASCII && ($0.isLetter || $0.isNumber) }
    return name.isEmpty || name == "C" || name == "POSIX" || !isTag ? nil : name
  }
}

import NetworkCore
import Testing

@Suite("Targets of redirects")
struct RedirectTargetTests {
  private func target(_ location: String, of url: String) throws(TransferError) -> String {
    try TransportRequest(url: url).redirected(status: 302, to: location).url
  }

  @Test(
    "the examples of RFC 3986, section 5.4, lead to their URLs",
    arguments: [
      ("g", "g"), ("./g", "g"), ("g/", "g/"), ("?y", "d;p?y"), ("g?y", "g?y"), ("#s", "d;p?q#s"),
      ("g#s", "g#s"), ("g?y#s", "g?y#s"), (";x", ";x"), ("g;x", "g;x"), ("g;x?y#s", "g;x?y#s"),
      ("", "d;p?q"), (".", ""), ("./", ""), ("..", "../"), ("../", "../"), ("../g", "../g"),
      ("../..", "../../"), ("../../g", "../../g"), ("../../../g", "../../g"), ("/./g", "../../g"),
      ("/../g", "../../g"), ("g.", "g."), (".g", ".g"), ("g..", "g.."), ("..g", "..g"), ("./../g", "../g"),
      ("./g/.", "g/"), ("g/./h", "g/h"), ("g/../h", "h"), ("g;x=1/./y", "g;x=1/y"), ("g;x=1/../y", "y"),
      ("g?y/./x", "g?y/./x"), ("g?y/../x", "g?y/../x"), ("g#s/./x", "g#s/./x"), ("g#s/../x", "g#s/../x"),
    ])
  func examples(reference: String, expected: String) throws {
    let folders = ["http://a/b/c/", "http://a/b/", "http://a/"]
    var name = expected[...]
    var depth = 0
    while name.hasPrefix("../") {
      name = name.dropFirst(3)
      depth += 1
    }
    #expect(try target(reference, of: "http://a/b/c/d;p?q") == folders[depth] + name)
  }

  @Test(
    "hosts, empty paths, ports, credentials and escapes are kept",
    arguments: [
      ("http://h", "x", "http://h/x"), ("http://h", "?q", "http://h?q"), ("http://h?q", "#f", "http://h?q#f"),
      ("http://h/a", "//other/b", "http://other/b"), ("https://h/a", "//h:8/b", "https://h:8/b"),
      ("http://u:p@h:8/a/b", "c", "http://u:p@h:8/a/c"),
      ("http://u:p@h/a", "http://H:80/c", "http://u:p@H:80/c"),
      ("http://u@h/a", "//h?q", "http://u@h?q"), ("http://u:p@h/a", "http://v@h/c", "http://v@h/c"),
      ("http://u:p@h/a", "http://other/c", "http://other/c"),
      ("http://u:p@h/a", "http://h:8/c", "http://h:8/c"),
      ("http://u:p@h/a", "https://h/c", "https://h/c"), ("http://h/a", "http://h/b/../c", "http://h/c"),
      ("http://h/a", "/a:b/c?d:e", "http://h/a:b/c?d:e"), ("http://h/a/b", "./x:y", "http://h/a/x:y"),
      ("http://h/a", "//[::1]:8/x", "http://[::1]:8/x"), ("http://h/a", "/b//c/", "http://h/b//c/"),
      // Foundation would encode the percent sign again.
      ("http://h/a", "/a%20b c", "http://h/a%20b%20c"), ("http://h/a", "/100%", "http://h/100%"),
      ("http://h/a", "HTTP://H/b", "HTTP://H/b"), ("http://h/a?x", "/\u{E9}", "http://h/%C3%A9"),
      ("http+unix://%2Fs/a/b", "c?d", "http+unix://%2Fs/a/c?d"),
      ("http+unix://%2Fs/a", "http://localhost/c", "http+unix://%2Fs/c"),
      ("http+unix://%2Fs/a", "//localhost/c", "http+unix://%2Fs/c"),
      ("http+unix://%2Fs/a", "http://other/c", "http://other/c"),
      ("http+unix://%2Fs/a", "http://localhost:81/c", "http://localhost:81/c"),
    ])
  func kept(url: String, location: String, expected: String) throws {
    #expect(try target(location, of: url) == expected)
  }

  @Test(
    "a redirect to another spelling of the same origin keeps the credentials",
    arguments: ["http://h:/b", "http://h:80/b", "http://H/b"])
  func sameOrigin(location: String) throws {
    let request = TransportRequest(url: "http://h/a", headers: ["Authorization": "mine"])
    #expect(try request.redirected(status: 302, to: location).headers["Authorization"] == "mine")
  }

  @Test(
    "a location that clients read differently is refused",
    arguments: [
      #"http:\\other/"#, #"http:/\other/"#, #"\\other/"#, #"/\other/"#, #"//other\@h/"#, #"http://h\.other/"#,
      #"/b\c"#,
      "http:/h/b", "http:b", "http://", "///b", "mailto:a", "http+unix://%2Fs/b",
      // Without its dots, the path would look like a host.
      "http:/.//h/b", "http:/b/..//h/b",
    ])
  func refused(location: String) {
    #expect {
      try target(location, of: "http://h/a")
    } throws: {
      if case .redirectRefused(location, _) = $0 as? TransferError { true } else { false }
    }
  }

  @Test(
    "a server on a Unix domain socket cannot redirect to another socket, however similar its path is",
    arguments: [
      "http+unix://%2Ft/b", "http+unix://%2FS/b", "http+unix://%2Ft@%2Fs/b", "http+unix://%2Fs:80/b",
    ])
  func otherSocket(location: String) {
    #expect {
      try target(location, of: "http+unix://%2Fs/a")
    } throws: {
      if case .redirectRefused(location, _) = $0 as? TransferError { true } else { false }
    }
  }

  @Test(
    "a negative limit allows no redirect",
    arguments: [RedirectPolicy.follow(max: -1), .modify(max: -1) { next, _ in next }])
  func negativeLimit(policy: RedirectPolicy) {
    #expect(throws: TransferError.tooManyRedirects(limit: 0)) {
      try TransportRequest(url: "http://h/a").redirected(status: 302, to: "b", policy: policy)
    }
  }

  @Test("the policy limits the number of redirects, and refuses to leave https unless it allows that")
  func policy() throws {
    let request = TransportRequest(url: "https://h/a")
    #expect(try request.redirected(status: 302, to: "b", after: 15).url == "https://h/b")
    #expect(throws: TransferError.tooManyRedirects(limit: 16)) {
      try request.redirected(status: 302, to: "b", after: 16)
    }
    #expect(throws: TransferError.tooManyRedirects(limit: 2)) {
      try request.redirected(status: 302, to: "b", after: 2, policy: .follow(max: 2))
    }
    #expect(throws: TransferError.redirectRefused(url: "http://h/", reason: "it leads from https to http")) {
      try request.redirected(status: 302, to: "http://h/")
    }
    let plain = try request.redirected(status: 302, to: "http://h/", policy: .follow(allowsDowngrade: true))
    #expect(plain.url == "http://h/")
  }
}

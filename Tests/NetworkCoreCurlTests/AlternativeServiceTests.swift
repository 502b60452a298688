import Foundation
import NetworkCore
import Testing

@Suite("Parsing of Alt-Svc")
struct AlternativeServiceFieldTests {
  private func read(_ value: String) -> String {
    switch AlternativeServiceField(value[...]) {
    case nil: "nothing"
    case .clear: "clear"
    case .service(let service, let lifetime): "\(service.destination) \(lifetime)"
    }
  }

  @Test(
    "the first HTTP/3 service and its lifetime are used",
    arguments: [
      (#"h3=":443""#, ":::443 86400"),
      (#" h3=":8443"; ma=60 "# + "\r\n", ":::8443 60"),
      (#"h2=":443", h3=":444"; ma=1; persist=1, h3=":445""#, ":::444 1"),
      (#"h3-29=":443", h3="alt.example.com:443" ; ma=0"#, "::alt.example.com:443 0"),
      (#"h3="[2001:db8::1]:443""#, "::[2001:db8::1]:443 86400"),
      (#"h2="a\",h3=\":1:1", h3=":443";x="a;b,c""#, ":::443 86400"),
      (#"h3=":443"; ma=99999999999"#, ":::443 2592000"),
      (#"h3=":65535"; MA="60""#, ":::65535 60"), (#"H3=":444", h3=":443""#, ":::443 86400"),
      ("h3=\":443\"\t;\tma=60", ":::443 60"), (#"h3=":443"; ma=99999999999999999999"#, ":::443 2592000"),
      ("clear", "clear"), (" Clear\r\n", "clear"), (#"clear=":1", h3=":443""#, ":::443 86400"),
      (#"h3=":443","#, ":::443 86400"), (#"h3=":443", h2"#, ":::443 86400"),
      // Two lines, as they are joined.
      ("h3=\":443\"; ma=60\r\n,  clear\r\n", "clear"), ("clear\r\n, h3=\":443\"\r\n", "clear"),
      ("h2=\":443\"\r\n, h3=\":444\"\r\n", ":::444 86400"), ("\r\n, h3=\":443\"\r\n", ":::443 86400"),
      ("h3=\":443\",\r\n, Clear\r\n", "clear"),
    ])
  func values(value: String, expected: String) {
    #expect(read(value) == expected)
  }

  @Test(
    "a malformed value, or one without an HTTP/3 service, yields no service",
    arguments: [
      "", ",", "h3", "h3=", #"h3="443""#, #"h3=":""#, #"h3=":0""#, #"h3=":65536""#, #"h3=":-1""#,
      #"h3=":443"; ma=x"#, #"h3=":443"; ma"#, #"h2=":443""#, #"h3="a b:443""#, #"h3="a,b:443""#,
      #"h3="[::1:443""#, #"h3="u@h:443""#, "\u{0}", #"h3=":443\"#,
      #"h3=":443"#, #"h3=":443"; ma="60"#, #"h3=":443"; ma=+60"#, #"h3=":443"; ma="""#, #"h3=":+443""#,
    ])
  func nonsense(value: String) {
    #expect(read(value) == "nothing")
  }
}

@Suite("Advertised services")
struct AlternativeServiceCacheTests {
  private let url = "https://example.com/a"
  private let second: UInt64 = 1_000_000_000

  @Test("a service is valid for its origin, only over TLS, until it expires")
  func lifetime() {
    var services = AlternativeServiceCache()
    services.store(#"h3=":444"; ma=10"#, from: url, now: 0)
    let expected = AlternativeService(host: "", port: 444)
    #expect(services.service(for: "https://EXAMPLE.com:443/b", now: 9 * second) == expected)
    for other in ["https://example.com:8443/", "http://example.com/", "https://a.example.com/", "nonsense"] {
      #expect(services.service(for: other, now: 0) == nil)
    }
    #expect(services.service(for: url, now: 10 * second) == nil)
    services.store(#"h3=":443""#, from: "http://example.org/", now: 0)
    #expect(services.service(for: "http://example.org/", now: 0) == nil)
    #expect(services.service(for: "https://example.org:80/", now: 0) == nil)
  }

  @Test("a later value replaces an earlier one, and clear removes it")
  func replacement() {
    var services = AlternativeServiceCache()
    services.store(#"h3=":444""#, from: url, now: 0)
    services.store(#"h2=":443""#, from: url, now: 0)
    #expect(services.service(for: url, now: 0) == nil)
    services.store(#"h3=":445""#, from: url, now: 0)
    #expect(services.service(for: url, now: 0)?.port == 445)
    services.store("clear", from: url, now: 0)
    #expect(services.service(for: url, now: 0) == nil)
  }

  @Test("a failed service is not used for five minutes, even if it is advertised again; another one is")
  func failure() {
    var services = AlternativeServiceCache()
    services.store(#"h3=":444""#, from: url, now: 0)
    services.noteFailure(of: AlternativeService(host: "", port: 444), for: url, now: 0)
    services.store(#"h3=":444""#, from: url, now: 1)
    #expect(services.service(for: url, now: 299 * second) == nil)
    #expect(services.service(for: url, now: 300 * second)?.port == 444)
    services.store(#"h3=":445""#, from: url, now: 1)
    #expect(services.service(for: url, now: 2)?.port == 445)
  }

  @Test("the number of remembered origins is limited")
  func limit() {
    var services = AlternativeServiceCache()
    for index in 0..<1_500 { services.store(#"h3=":443""#, from: "https://h\(index).example/", now: 0) }
    let count = (0..<1_500).count { services.service(for: "https://h\($0).example/", now: 0) != nil }
    #expect((1...1_024).contains(count))
    #expect(services.service(for: "https://h1499.example/", now: 0) != nil)
  }

  @Test("an advertisement that has expired makes room for another; one that is repeated needs no room")
  func room() {
    var services = AlternativeServiceCache()
    for index in 0..<1_024 {
      let value = "h3=\":443\"; ma=\(index == 0 ? 1 : 60)"
      services.store(value[...], from: "https://h\(index).example/", now: 0)
    }
    #expect(count(services, now: 0) == 1_024)
    services.store(#"h3=":443""#, from: "https://h1.example/", now: 0)
    #expect(count(services, now: 0) == 1_024)
    services.store(#"h3=":443""#, from: "https://h1024.example/", now: 2 * second)
    #expect(count(services, now: 2 * second) == 1_024)
  }

  private func count(_ services: AlternativeServiceCache, now: UInt64) -> Int {
    (0...1_024).count { services.service(for: "https://h\($0).example/", now: now) != nil }
  }

  @Test("the number of remembered failures is limited")
  func failureLimit() {
    let service = AlternativeService(host: "", port: 443)
    var services = AlternativeServiceCache()
    services.store(#"h3=":443""#, from: url, now: 0)
    services.noteFailure(of: service, for: url, now: 0)
    for index in 1..<1_024 { services.noteFailure(of: service, for: "https://h\(index).example/", now: 0) }
    #expect(services.service(for: url, now: 0) == nil)
    services.noteFailure(of: service, for: "https://h1024.example/", now: 0)
    #expect(services.service(for: url, now: 0) == service)
  }
}

import Foundation
import Testing

@Suite("The storm program", .timeLimit(.minutes(5)))
struct StormTests {
  private let storm = ExampleProgram("storm")

  /// The figures of a row, one for each group.
  private func row(_ title: String, _ lines: [String]) throws -> [Int] {
    let line = try #require(lines.last { $0.hasPrefix(title) }, "\(lines)")
    return line.dropFirst(title.count).split(separator: " ").compactMap { Int($0) }
  }

  @Test("the table comes from the servers' logs, and the budget bounds the storm")
  func figures() async throws {
    let result = try await storm.run(["--clients", "10", "--seconds", "6"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.lines.count { $0.contains("the services work") } == 4)
    #expect(result.lines.count { $0.contains("the services fail") } == 2)
    let outage = try row("requests a second in the outage", result.lines)
    try #require(outage.count == 5, "\(result.output)")
    // There are ten calls a second. With retries alone, each is repeated about four times in the outage.
    #expect(outage[0] > outage[1])
    #expect(outage[0] > outage[2])
    #expect(outage[0] > outage[3])
    // Requests may be on their way while the breaker is isolated.
    #expect(outage[4] < outage[2])
    let all = try row("requests in all", result.lines)
    #expect(all.count == 5 && all.allSatisfy { $0 > 20 })
    let refused = try row("calls refused by the breaker", result.lines)
    #expect(refused.prefix(2) == [0, 0] && refused[4] >= 10)
    #expect(try row("calls answered a second after it", result.lines)[4] >= 5)
    // Each client has had an answer before the outage.
    let answers = try row("calls answered a second in the outage", result.lines)
    #expect(answers[3] >= 5, "\(result.output)")
    for title in ["stale answers while revalidating", "stale answers in place of an error"] {
      let stale = try row(title, result.lines)
      #expect(stale[3] > 0 && stale.reduce(0, +) == stale[3], "\(title): \(stale)")
    }
    // Without a limit, the calls wait for a refresh that never ends.
    #expect(try row("refreshes of the token", result.lines)[0] == 2)
    let recovered = try row("calls answered after a refresh hung", result.lines)
    #expect(recovered[0] == 0 && recovered[1] > 0, "\(result.output)")
    let waiting = try row("calls that still wait for it", result.lines)
    #expect(waiting[0] > waiting[1], "\(result.output)")
    // The server has asked for a minute, which the bound shortens to a second, of which jitter takes a third.
    #expect(try row("event clients back, of 20", result.lines) == [0, 20])
    let waits = try row("their shortest and longest wait", result.lines)
    #expect(waits.count == 2 && waits.first ?? 0 >= 600, "\(result.output)")
    try expectTrials(result.lines)
  }

  /// Checks the figures of the trials, each without and with its policy.
  private func expectTrials(_ lines: [String]) throws {
    #expect(try row("requests beside a failing origin", lines) == [0, 10])
    // There would be 10 requests if the transport and the operator did not share the limit.
    #expect(try row("requests, of which a minute allows 5", lines) == [20, 5])
    #expect(try row("place of an urgent call among 11", lines) == [11, 2])
    let places = try row("places by the gradient, and by AIMD", lines)
    #expect(places.count == 2 && places[0] > 1 && places[1] == 1, "\(places)")
    // Only the refused POST is sent again.
    #expect(try row("requests of a refused and a lost POST", lines) == [1, 2])
    // Neither wait is shorter than the server asks, nor the second one than the back-off of 1.5 s.
    let retries = try row("wait for a server that asks for 1 s", lines)
    try #require(retries.count == 2)
    #expect(retries[0] >= 1_000 && retries[1] >= 1_500, "\(retries)")
    // Without jitter, no client repeats its request before the interval of 2 s is over.
    let polls = try row("first repetition of 20 polls", lines)
    try #require(polls.count == 2)
    #expect(polls[0] >= 2_000 && polls[1] < polls[0], "\(polls)")
    // HTTP/2 carries both copies over one connection, unless the second one asks for its own.
    #expect(try row("connections of a hedged call", lines) == [1, 2])
  }

  @Test("a signal ends the program, with a status that names it")
  func signal() async throws {
    let result = try await storm.run(["--clients", "2", "--seconds", "600"]) { process, output in
      output.read(until: "1 s ")
      kill(process, SIGINT)
    }
    #expect(result.status == 130, "\(result.errors)")
  }

  @Test(
    "invalid arguments are refused with status 2",
    arguments: [
      (["--clients", "0"], #""0" is not a number from 1 to 1000"#),
      (["--seconds", "1"], #""1" is not a number from 6 to 600"#), (["x"], #"unknown argument "x""#),
    ])
  func wrongArguments(arguments: [String], message: String) async throws {
    let result = try await storm.run(arguments)
    #expect(result.status == 2)
    #expect(result.output.isEmpty)
    #expect(result.errors.contains(message), "\(result.errors)")
  }
}

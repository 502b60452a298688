import ReactiveNetwork
import ReactiveNetworkLock
import LoopbackServer

/// Short trials of further policies, each without and with the policy, with servers of their own.
enum PolicyTrials {
  /// Runs the trials; returns their figures, as lines of text.
  static func text() throws -> String {
    let trials: [(title: String, figure: (_ hasPolicy: Bool) throws -> String)] = [
      ("requests beside a failing origin", requestsBesideFailingOrigin),
      ("requests, of which a minute allows 5", requestsInMinute),
      ("place of an urgent call among 11", placeOfUrgentCall),
      ("places by the gradient, and by AIMD", placesAtSlowServer),
      ("requests of a refused and a lost POST", requestsOfPosts),
      ("wait for a server that asks for 1 s", waitBeforeRetry),
      ("first repetition of 20 polls", firstRepetition),
      ("connections of a hedged call", connectionsOfHedgedCall),
    ]
    let rows = try trials.map { trial in
      StatisticsTable.line(trial.title, try [false, true].map(trial.figure))
    }
    return StatisticsTable.line("", ["without", "with"]) + rows.joined()
  }

  /// Returns the number of requests to a server that works, after another one has opened the breaker that both
  /// share, or its own.
  private static func requestsBesideFailingOrigin(_ isSeparate: Bool) throws -> String {
    let failing = try LoopbackServer { _ in .status(503) }
    defer { failing.stop() }
    let working = try LoopbackServer { _ in .text("12") }
    let breakers = PerOrigin { CircuitBreaker(opensAt: .consecutiveFailures(5), probeWait: .seconds(60)) }
    let common = breakers[failing.origin]
    let transport = try CurlTransport().perOrigin(breakers) { $0.circuitBreaker(isSeparate ? $1 : common) }
    send(request(failing, over: transport), times: 10)
    send(request(working, over: transport), times: 10)
    return "\(working.log.requestCount)"
  }

  /// Returns the number of requests of 20 calls, half of which are limited by their transport.
  private static func requestsInMinute(_ isLimited: Bool) throws -> String {
    let server = try LoopbackServer { _ in .text("12") }
    let limit = RateLimit(isLimited ? 5 : 100, per: .seconds(60), maxWaiting: 0)
    let transport = try CurlTransport()
    let calls = [
      request(server, over: transport.limitRate(limit)), request(server, over: transport).limitRate(limit),
    ]
    for _ in 0..<10 { for call in calls { send(call) } }
    return "\(server.log.requestCount)"
  }

  /// Returns the place of the last of 11 calls in the order of their requests.
  private static func placeOfUrgentCall(_ hasPriority: Bool) throws -> String {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { _ in .text("12").held(until: gate) }
    let limit = ConcurrencyLimit(1)
    let transport = try CurlTransport()
    let calls = (1...11).map { number in
      request(server, path: "/\(number)", over: transport)
        .limitConcurrency(limit, priority: hasPriority && number == 11 ? 1 : 0)
        .asObservable()
    }
    // All calls wait behind the first one before the server responds to it.
    _ = try Observable.merge(calls).do(onSubscribed: { gate.open() }).toBlocking().toArray()
    let index = server.log.requests.firstIndex { $0.path == "/11" }
    return index.map { "\($0 + 1)" } ?? "-"
  }

  /// Returns the places of a limit after calls that all take equally long, which only AIMD knows to be too long.
  private static func placesAtSlowServer(_ isAIMD: Bool) throws -> String {
    let server = try LoopbackServer { _ in .text("12").delayed(by: .milliseconds(20)) }
    defer { server.stop() }
    let adaptation: LimitAdaptation =
      isAIMD ? .aimd(slowest: .milliseconds(10), within: 1...8) : .gradient(within: 1...8)
    let limit = ConcurrencyLimit(2, adapting: adaptation)
    send(request(server, over: try CurlTransport()).limitConcurrency(limit), times: 10)
    return "\(limit.maxRunning)"
  }

  /// Returns the number of requests of two POSTs: to a server that starts only after the first attempt, and to one
  /// that breaks off after it has received the request.
  private static func requestsOfPosts(_ areRetried: Bool) throws -> String {
    let stopped = try LoopbackServer()
    stopped.stop()
    let started = Lock<LoopbackServer?>(nil)
    let breaking = try LoopbackServer { _ in .close }
    let refused = request(stopped, method: .post, over: try CurlTransport())
      .do(onError: { _ in
        let server = try LoopbackServer(port: stopped.port) { _ in .text("12") }
        started.withLock { $0 = server }
      })
    let lost = request(breaking, method: .post, over: try CurlTransport())
    for post in [refused, lost] {
      send(areRetried ? post.retry(backoff: .constant(.milliseconds(10))) : post)
    }
    let server = started.withLock { $0 }
    return "\((server?.log.requestCount ?? 0) + breaking.log.requestCount)"
  }

  /// Returns the time until a second attempt after a `Retry-After` that is shorter than the back-off, if there is
  /// one.
  private static func waitBeforeRetry(_ backsOff: Bool) throws -> String {
    let server = try LoopbackServer { _ in .status(503).header("Retry-After", "1") }
    defer { server.stop() }
    let call = request(server, over: try CurlTransport())
      .retry(backoff: .constant(.milliseconds(backsOff ? 1_500 : 0)), maxAttempts: 2)
    let begin = ContinuousClock.now
    send(call)
    return (ContinuousClock.now - begin).inMilliseconds
  }

  /// Returns the time until the first of 20 clients, which poll every 2 s, repeats its request.
  private static func firstRepetition(_ hasJitter: Bool) throws -> String {
    let server = try LoopbackServer { _ in .text("12") }
    defer { server.stop() }
    let poll = request(server, over: try CurlTransport())
      .poll(every: .seconds(2), jitter: hasJitter ? 1 : 0)
    let repetitions = (0..<20).map { _ in poll.skip(1) }
    let begin = ContinuousClock.now
    _ = try Observable.merge(repetitions).toBlocking().first()
    return (ContinuousClock.now - begin).inMilliseconds
  }

  /// Returns the number of connections of two copies of a call, over a transport that would send both over one.
  private static func connectionsOfHedgedCall(_ isApart: Bool) throws -> String {
    let gate = LoopbackServer.Gate()
    let count = Lock(0)
    var options = LoopbackServer.Options()
    options.http2 = .init()
    let server = try LoopbackServer(tls: .generated, options: options) { _ in
      let isFirst = count.withLock { count in
        count += 1
        return count == 1
      }
      return isFirst ? .text("late").held(until: gate) : .text("12")
    }
    defer { server.stop() }
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .data(server.authority)
    let policy = HedgePolicy(
      after: .fixed(.milliseconds(50)), budget: RetryBudget(ratio: 1), usesNewConnection: isApart)
    send(request(server, over: try CurlTransport(configuration: configuration).hedged(policy)))
    return "\(server.log.connectionsAccepted)"
  }

  private static func request(
    _ server: LoopbackServer, path: String = "/", method: HTTPMethod = .get, over transport: any Transport
  ) -> Single<Response> {
    NetworkProvider<ServiceRequest>(transport: transport).rx
      .request(ServiceRequest(baseURL: server.baseURL, path: path, method: method))
      .filterSuccessfulStatusCodes()
  }

  /// Makes calls one after the other; their failures are part of the trials.
  private static func send(_ call: Single<Response>, times count: Int = 1) {
    for _ in 0..<count { _ = try? call.toBlocking().first() }
  }
}

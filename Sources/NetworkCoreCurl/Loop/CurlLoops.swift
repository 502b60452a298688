internal import Foundation

/// The loops of one transport: a thread each, with its own connections.
///
/// They report redirects as responses.
struct CurlLoops: Transport {
  /// At least one loop.
  private let all: [CurlLoop]

  init(library: CurlLibrary, configuration: CurlConfiguration) throws(CurlConfigurationError) {
    let count = try configuration.loopCount
    var share = configuration
    share.connections = configuration.connections.divided(by: count)
    let places = RequestPlaces(limit: configuration.connections.requestLimit)
    var made: [CurlLoop] = []
    do throws(CurlConfigurationError) {
      for _ in 0..<count {
        let profiles = try CurlProfiles(share, library: library)
        made.append(
          try CurlLoop(library: library, profiles: profiles, configuration: share, places: places))
      }
      // Last, because a jar writes its file when it is released, also by a transport that cannot be created.
      if let jar = try configuration.cookies.jar() {
        for loop in made { loop.profiles.useCookies(of: jar) }
      }
    } catch {
      for loop in made { loop.post(.shutDown) }
      throw error
    }
    all = made
  }

  /// The loop for another transfer: the calling thread's loop, so that no other thread has to be woken, or
  /// else the one with the fewest transfers.
  var next: CurlLoop {
    guard all.count > 1 else { return all[0] }
    let leastBusy = all.dropFirst().reduce(all[0]) { $1.load < $0.load ? $1 : $0 }
    // One less, because the transfer whose handler starts this one still counts, but has usually ended.
    guard let current = all.first(where: \.isCurrent), current.load - 1 <= leastBusy.load else {
      return leastBusy
    }
    return current
  }

  var pausesTransfers: Bool { true }

  func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    let loop = next
    let transfer = CurlTransfer(request: request, loop: loop, handler: handler)
    loop.start(transfer, refusal: transfer.normalizeAndValidate())
    return transfer
  }

  /// What all loops do.
  func measure() -> TransportGauges {
    let isOnLoop = LoopActivity.isAnyCurrent
    let readers = all.map { $0.queryGauges(isOnLoop: isOnLoop) }
    return readers.reduce(into: TransportGauges()) { $0.add($1.wait()) }
  }

  func shutDown() {
    for loop in all { loop.post(.shutDown) }
  }
}

extension CurlConfiguration {
  /// The number of loops, such that each can have a connection.
  fileprivate var loopCount: Int {
    get throws(CurlConfigurationError) {
      guard (1...1_024).contains(threads) else {
        throw .invalid(name: "threads", value: "\(threads)", reason: "it must be 1 to 1,024")
      }
      return max(1, min(threads, connections.limit ?? threads, connections.limitPerHost ?? threads))
    }
  }
}

extension CurlConfiguration.Connections {
  /// Returns the share of one of several loops; they have the places for requests in common.
  fileprivate func divided(by count: Int) -> Self {
    guard count > 1 else { return self }
    var share = self
    share.limit = (limit ?? CurlTransport.connectionLimit) / count
    share.limitPerHost = limitPerHost.map { $0 / count }
    return share
  }
}

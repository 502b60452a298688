import Foundation
import NetworkCore

/// The layers of a program.
struct TransportStack {
  let record: ProgramRecord
  /// The origin whose requests a layer adds the token to.
  let origin: String
  let policies: ProgramPolicies
  let cache: HTTPCache
  let recordings: RecordingFolder?

  /// Returns the layers around a transport.
  func transport(over wire: any Transport) -> any Transport {
    let source = record.composition.tokenSource
    // Inside, nothing can see what the layer adds.
    let inner: any Transport =
      source == .innerLayer ? TokenLayer(wrapped: wire, record: record, origin: origin) : wire
    let layers = record.composition.layers.reduce(inner) { layer($1, around: $0) }
    return source == .outerLayer ? TokenLayer(wrapped: layers, record: record, origin: origin) : layers
  }

  private func layer(_ layer: Composition.Layer, around inner: any Transport) -> any Transport {
    switch layer {
    case .own: return TokenLayer(wrapped: inner, record: record, origin: nil)
    case .caching: return CachingTransport(inner, cache: cache)
    case .hedging, .hedgingApart:
      let policy = HedgePolicy(
        after: .fixed(policies.hedgeDelay), budget: policies.budget,
        usesNewConnection: layer == .hedgingApart,
        scheduler: policies.delays)
      return inner.hedged(policy)
    case .limiting: return inner.limitConcurrency(policies.layerLimit, longestWait: nil)
    case .rating: return inner.limitRate(policies.rate, longestWait: nil)
    case .breaking: return inner.circuitBreaker(policies.breaker)
    case .breakingPerOrigin: return inner.perOrigin(policies.breakers) { $0.circuitBreaker($1) }
    case .chaos: return ChaosTransport(inner, plan: plan, scheduler: policies.delays)
    case .recording:
      guard let recordings else { return inner }
      do {
        return try RecordingTransport(inner, folder: recordings.folderForLayer)
      } catch {
        record.note("the responses cannot be recorded: \(error)")
        return inner
      }
    }
  }

  private var plan: ChaosPlan {
    var plan = ChaosPlan(seed: record.composition.seed)
    plan.delayRate = 0.2
    plan.delays =
      policies.isVirtual
      ? Duration.seconds(10)...Duration.seconds(100) : Duration.milliseconds(1)...Duration.milliseconds(5)
    (plan.failureRate, plan.statusRate, plan.cutOffRate) = (0.1, 0.1, 0.1)
    return plan
  }
}

import Foundation

/// Delivers the body of a response while it arrives.
struct StreamDelivery: BodyDelivery {
  let buffer: BodyBuffer
  let validation: ResponseValidation

  /// `false` after the head, because delivered chunks cannot be taken back.
  var isRepeatable: Bool { !buffer.hasOpened }

  func receiver(of attempt: Attempt) -> BodyReceiver {
    BodyReceiver(of: attempt, buffer: buffer, decide: decide, onEnd: attempt.finish)
  }

  @Sendable private func decide(_ response: Response) -> HeadDecision {
    // A reader of chunks does not see the status, and must not mistake the body of an error for the requested
    // content.
    let isWelcome =
      validation.statusCodes == .none
      ? 200..<300 ~= response.statusCode : validation.statusCodes.accepts(response.statusCode)
    guard isWelcome else { return .reject { .failure(.statusCode($0)) } }
    guard let error = validation.contentTypeError(forHeadOf: response) else { return .accept }
    return .reject { .failure(.underlying(error, $0)) }
  }
}

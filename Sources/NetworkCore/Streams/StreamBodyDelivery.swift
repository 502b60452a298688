import Foundation

/// Delivers the body of a response while it arrives.
struct StreamBodyDelivery: BodyDelivery {
  let buffer: BodyBuffer
  let validation: ResponseValidation

  /// `false` after the head, because delivered chunks cannot be taken back.
  var isRepeatable: Bool { !buffer.hasResponse }

  func receiver(of attempt: RequestAttempt) -> BodyReceiver {
    BodyReceiver(of: attempt, buffer: buffer, decide: decide, onEnd: attempt.finish)
  }

  @Sendable private func decide(_ response: Response) -> HeadDecision {
    // A reader of chunks does not see the status, and must not mistake the body of an error for the requested
    // content.
    let isAccepted =
      validation.statusCodes == .none
      ? 200..<300 ~= response.statusCode : validation.statusCodes.accepts(response.statusCode)
    guard isAccepted else { return .reject { response, _ in .failure(.statusCode(response)) } }
    guard let error = validation.contentTypeError(forHeadOf: response) else { return .accept }
    return .reject { response, _ in .failure(.underlying(error, response)) }
  }
}

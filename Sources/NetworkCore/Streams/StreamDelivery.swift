import Foundation

/// Hands the body of an answer on as it arrives.
struct StreamDelivery: BodyDelivery {
  let buffer: BodyBuffer
  let validation: ResponseValidation

  /// What has been handed on cannot be taken back.
  var isRepeatable: Bool { !buffer.hasOpened }

  func reception(of attempt: Attempt) -> BodyReception {
    BodyReception(of: attempt, buffer: buffer, judge: judge, onEnd: attempt.settle)
  }

  @Sendable private func judge(_ response: Response) -> Verdict {
    // Who gets chunks does not see the status, so that an error's body must not pass for what was asked for.
    let isWelcome =
      validation.statusCodes == .none
      ? 200..<300 ~= response.statusCode : validation.statusCodes.accepts(response.statusCode)
    guard isWelcome else { return .unwanted { .failure(.statusCode($0)) } }
    guard let error = validation.contentTypeError(forHeadOf: response) else { return .wanted }
    return .unwanted { .failure(.underlying(error, $0)) }
  }
}

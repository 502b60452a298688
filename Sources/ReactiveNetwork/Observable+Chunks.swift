public import Foundation
public import NetworkCore
public import RxLite

extension ObservableType where Element == Data {
  /// Splits a text that arrives in chunks into lines, which may span chunks.
  ///
  /// The lines are delivered on the thread of the chunks. Only the beginning of one line is buffered.
  ///
  /// - Parameters:
  ///   - ending: the characters that end a line.
  ///   - limit: the maximum length of a line in bytes. A longer line fails with `NetworkError.underlying` and
  ///     `StreamError.lineTooLong`.
  /// - Returns: the sequence of lines without their endings; the last line does not need one.
  public func lines(ending: LineSplitter.Ending = .any, limit: Int = 1 << 20) -> Observable<String> {
    parsed { LineSplitter(ending: ending, limit: limit) }
  }

  /// Decodes each line of a body that arrives in chunks (newline-delimited JSON); empty lines are skipped.
  ///
  /// - Parameters:
  ///   - type: the type that each line decodes to.
  ///   - decoder: the decoder to use.
  ///   - limit: the maximum length of a line in bytes.
  /// - Returns: the sequence of values; it fails with `NetworkError.underlying` and
  ///   `StreamError.undecodableLine` or `.lineTooLong`.
  public func decodeLines<Value: Decodable & Sendable>(
    as type: Value.Type, decoder: JSONDecoder = .standard, limit: Int = 1 << 20
  ) -> Observable<Value> {
    parsed { JSONLinesDecoder(type, decoder: decoder, limit: limit) }
  }

  private func parsed<Parser: ChunkParser>(
    with makeParser: @escaping () -> Parser
  ) -> Observable<Parser.Element> {
    let chunks = asObservable()
    return Observable<Parser.Element>.creating { observer in
      var parser = makeParser()
      func deliver(_ parse: (inout [Parser.Element]) throws(StreamError) -> Void) -> Bool {
        var elements: [Parser.Element] = []
        var failure: StreamError?
        do throws(StreamError) { try parse(&elements) } catch { failure = error }
        // Elements before the failure are delivered first.
        for element in elements { observer.onNext(element) }
        if let failure { observer.onError(NetworkError.underlying(failure, nil)) }
        return failure == nil
      }
      let receiver = observer.calling { (event: Event<Data>) in
        switch event {
        case .next(let chunk):
          _ = deliver { elements throws(StreamError) in try parser.parse(chunk, into: &elements) }
        case .error(let error): observer.onError(error)
        case .completed:
          if deliver({ elements throws(StreamError) in try parser.finish(into: &elements) }) {
            observer.onCompleted()
          }
        }
      }
      return chunks.subscribe(receiver)
    }
  }
}

#if OPENCOMBINE
  import Dispatch
  import Foundation
  import LoopbackServer
  import NetworkCore
  import OpenCombine
  import OpenCombineDispatch
  import ReactiveNetworkOpenCombine
  import Testing

  private struct TranslationsResponse: Decodable, Equatable, Sendable {
    let german: String
  }

  @Suite("Requests with typed errors as publishers", .timeLimit(.minutes(5)))
  struct TypedPublisherTests {
    private typealias Failure = APIError<Page.ClientErrorType>

    private let server: LoopbackServer
    private let provider = NetworkProvider<Page>()

    init() throws {
      server = try LoopbackServer { request in
        switch request.path {
        case "/translate": .json(#"{"german": "Prüfung"}"#)
        case "/slow": .never
        default: .json(#"{"message": "gone"}"#, status: 404)
        }
      }
    }

    // Microya's own example debounces the request itself. Its completion then overtakes its only value, with
    // Combine too, so this test debounces the trigger. `sink` does not return a publisher, so this test
    // inspects the error in the completion.
    @Test("a value is requested when typing pauses, decoded, and delivered on a queue, as with Microya")
    func value() async throws {
      var cancellables: Set<AnyCancellable> = []
      let keys = CurrentValueSubject<String, Failure>("/translate")
      let text = await withCheckedContinuation { done in
        keys
          .debounce(for: .milliseconds(5), scheduler: DispatchQueue(label: "debounce").ocombine)
          .map { [provider, server] path in
            provider.publisher(on: Page(server, path), decodeBodyTo: TranslationsResponse.self)
          }
          .switchToLatest()
          .subscribe(on: DispatchQueue.global().ocombine)
          .receive(on: DispatchQueue(label: "here").ocombine)
          .sink(
            receiveCompletion: { completion in
              if case .failure(let apiError) = completion { done.resume(returning: "\(apiError)") }
            },
            receiveValue: { (translationsResponse: TranslationsResponse) in
              done.resume(returning: translationsResponse.german)
            }
          )
          .store(in: &cancellables)
      }
      #expect(text == "Prüfung")
    }

    @Test("a refusal fails with the status and the decoded client error, and can be caught")
    func clientError() async throws {
      let subscriber = TestSubscriber<TranslationsResponse, Failure>()
      let publisher = provider.publisher(on: Page(server, "/none"), decodeBodyTo: TranslationsResponse.self)
      publisher.subscribe(subscriber)
      subscriber.request(.max(1))
      await subscriber.wait(for: 1)
      guard case .failed(let error)? = subscriber.events.first, subscriber.events.count == 1 else {
        Issue.record("no error")
        return
      }
      #expect(error == .clientError(statusCode: 404, clientError: .init(message: "gone")))
      let caught = TestSubscriber<TranslationsResponse, Never>()
      publisher.catch { apiError in
        switch apiError {
        case let .clientError(statusCode, clientError):
          Just(TranslationsResponse(german: "\(statusCode) \(clientError?.message ?? "-")"))
        default:
          Just(TranslationsResponse(german: "other"))
        }
      }.subscribe(caught)
      caught.request(.unlimited)
      await caught.wait(for: 2)
      guard case .value(let value)? = caught.events.first else {
        Issue.record("no value")
        return
      }
      #expect(value.german == "404 gone")
    }

    @Test("a request without a body is sent on demand, and a cancellation closes its connection")
    func emptyBody() async throws {
      let subscriber = TestSubscriber<EmptyBodyResponse, Failure>()
      provider.publisher(on: Page(server, "/translate")).subscribe(subscriber)
      subscriber.request(.max(1))
      await subscriber.wait(for: 2)
      #expect(subscriber.events.count == 2)
      let slow = TestSubscriber<EmptyBodyResponse, Failure>()
      provider.publisher(on: Page(server, "/slow")).subscribe(slow)
      slow.request(.max(1))
      try await server.log(until: { $0.pending == 1 })
      slow.cancel()
      try await server.log(until: { $0.abandoned.count == 1 })
      #expect(slow.events.isEmpty)
    }
  }
#endif

/// When and how an observer subscribes, and what it does from inside a delivery:
/// `obs[subscribe time, dispose time, style, reaction, chosen element, target, value]`.
struct ObserverPlan {
  let subscribeTime: Int
  /// `nil` if the observer stays until the pipeline's end.
  let disposeTime: Int?
  let style: SubscriptionStyle
  let reaction: Reaction
  /// The number of the element that causes the reaction, from 1.
  let chosenElement: Int
  /// The number of the observer that the reaction disposes, or of the subject to which it sends.
  let target: Int
  /// The element that the reaction sends.
  let value: Int

  /// An observer that subscribes at once and does nothing from inside a delivery.
  init(style: SubscriptionStyle) {
    (subscribeTime, disposeTime, self.style) = (0, nil, style)
    (reaction, chosenElement, target, value) = (.none, 1, 0, 0)
  }

  init(_ node: PipelineNode) throws {
    let numbers = node.numbers
    guard node.name == "obs", numbers.count == 7,
      let style = SubscriptionStyle(rawValue: numbers[2]), let reaction = Reaction(rawValue: numbers[3])
    else {
      throw InvalidPipeline(reason: "expected 'obs' with 7 numbers, not \(node.name)\(numbers)")
    }
    (subscribeTime, disposeTime) = (numbers[0], numbers[1] == 0 ? nil : numbers[1])
    (self.style, self.reaction) = (style, reaction)
    (chosenElement, target, value) = (numbers[4], numbers[5], numbers[6])
  }
}

/// The overload of `subscribe` that an observer calls.
enum SubscriptionStyle: Int {
  case events, closures, observer
}

/// What an observer does from inside a delivery.
enum Reaction: Int {
  case none, dispose, disposeTarget, subscribe, subscribeAtEnd
  case send, sendCompletion, sendAtEnd, sendThreeTimes, sendError
}

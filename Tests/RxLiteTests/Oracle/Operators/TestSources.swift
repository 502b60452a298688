import RxLite
import RxLiteTesting

extension OperatorCall {
  /// Sources that send the given events at the given times.
  static let testSources: [String: Operator] = [
    "hot": { call in
      let source = call.scheduler.createHotObservable(try call.recordedEvents())
      call.run.testSources.append(("hot", source))
      return source.asObservable()
    },
    "cold": { call in
      let source = call.scheduler.createColdObservable(try call.recordedEvents())
      call.run.testSources.append(("cold", source))
      return source.asObservable()
    },
    "subj": { call in
      let kind: PipelineSubject = try call.parameter(0)
      let subject = kind.subject(number: call[1])
      call.run.subjectInputs.append(subject.send)
      for event in try call.recordedEvents(after: 2) {
        call.scheduler.scheduleAt(event.time) { subject.send(event.value) }
      }
      return subject.sequence
    },
  ]
}

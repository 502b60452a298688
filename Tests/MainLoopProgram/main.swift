// Runs one scenario of the main queue inside a main loop, and prints what happened. The tests run it as a child
// process, because the main thread of theirs belongs to the test runner.
//
// usage: PROGRAM glib|poll SCENARIO
#if os(Linux)
  import Foundation
  import MainLoops
  import RxLite

  // A loop that never ends fails its test.
  alarm(120)

  /// Prints whether work of each kind runs, and whether all of it is on the main thread.
  @MainActor func runEachKind(_ loop: any Loop) throws {
    let bag = DisposeBag()
    let note: @MainActor @Sendable (String) -> Void = { kind in
      Run.notes.append(Thread.isMainThread ? kind : "\(kind) elsewhere")
      Run.isOver = Run.notes.count == 7
    }
    DispatchQueue.main.async { note("before") }
    try loop.attach()
    // Two attachments of one queue run each block once.
    try loop.attach()
    DispatchQueue.main.async { note("async") }
    DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(20)) { note("asyncAfter") }
    _Concurrency.Task { note("task") }
    _Concurrency.Task.detached { await MainActor.run { note("MainActor.run") } }
    let elsewhere = SerialDispatchQueueScheduler(qos: .default)
    Observable.just("scheduler", scheduler: elsewhere).observe(on: MainScheduler.instance)
      .subscribe(onNext: { kind in MainActor.assumeIsolated { note(kind) } }).disposed(by: bag)
    Observable.just("onMain", scheduler: elsewhere).subscribe(onMain: { note($0) }).disposed(by: bag)
    Run.untilOver(loop)
    print(Run.notes.sorted().joined(separator: " "))
  }

  /// Prints the turns of the loop and the processor time of a second without work.
  @MainActor func beIdle(_ loop: any Loop) throws {
    try loop.attach()
    // The descriptor has been readable once.
    DispatchQueue.main.async { Run.isOver = true }
    Run.untilOver(loop)
    (Run.isOver, Run.turns) = (false, 0)
    let before = Run.processorTime
    DispatchQueue.main.asyncAfter(deadline: .now() + .seconds(1)) { Run.isOver = true }
    Run.untilOver(loop)
    print("turns \(Run.turns) milliseconds \(Int(Run.processorTime - before))")
  }

  /// Prints how many of 100,000 blocks from two threads have run.
  @MainActor func hop(_ loop: any Loop) throws {
    try loop.attach()
    for _ in 0..<2 {
      Thread.detachNewThread {
        for _ in 0..<50_000 {
          DispatchQueue.main.async {
            Run.blocks += 1
            Run.isOver = Run.blocks == 100_000
          }
        }
      }
    }
    Run.untilOver(loop)
    print("ran \(Run.blocks)")
  }

  /// Adds a block that adds the next one, until the run is over.
  @MainActor func addBlocks() {
    DispatchQueue.main.async {
      Run.blocks += 1
      if !Run.isOver { addBlocks() }
    }
  }

  /// Keeps the main queue busy until the other sources of the loop have had their turns; otherwise never ends.
  @MainActor func flood(_ loop: any Loop) throws {
    try loop.attach()
    var (ticks, redraws) = (0, 0)
    func check() { Run.isOver = ticks >= 10 && redraws >= 100 && Run.blocks >= 1_000 }
    loop.start(
      onTick: {
        ticks += 1
        check()
      },
      onIdle: {
        redraws += 1
        check()
      })
    addBlocks()
    Run.untilOver(loop)
    print("served")
  }

  /// Runs the loop inside a block, and prints the order in which blocks run.
  @MainActor func nest(_ loop: any Loop) throws {
    try loop.attach()
    var ticks = 0
    loop.start(onTick: { ticks += 1 }, onIdle: {})
    let run: @MainActor () -> Void = {
      Run.notes.append("outer begins")
      DispatchQueue.main.async {
        Run.notes.append("inner")
        Run.isOver = true
      }
      while ticks < 3 { loop.turn() }
      Run.notes.append("outer ends")
    }
    DispatchQueue.main.async(execute: run)
    Run.untilOver(loop)
    print(Run.notes.joined(separator: ", "))
  }

  /// Attaches the main queue behind another source, and prints how often that is called before a block runs.
  @MainActor func runBehind(_ loop: GLibLoop) throws {
    try GLibMainLoop.attachMainQueue(priority: 300)
    var calls = 0
    loop.start(priority: 200, calls: 100) { calls += 1 }
    let run: @MainActor () -> Void = {
      print("ran after \(calls) calls")
      Run.isOver = true
    }
    DispatchQueue.main.async(execute: run)
    Run.untilOver(loop)
  }

  /// Lets another thread run GLib's loop.
  @MainActor func runElsewhere(_ loop: GLibLoop) throws {
    try loop.attach()
    DispatchQueue.main.async { print("ran") }
    let isOver = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      for _ in 0..<10 { loop.turnElsewhere() }
      isOver.signal()
    }
    isOver.wait()
  }

  /// Attaches to GLib files that are missing, or are another library.
  func attachToOthers() {
    for library in ["libglib-missing.so", "libm.so.6"] {
      do throws(MainLoopError) {
        try GLibMainLoop.attachMainQueue(priority: 0, library: library)
      } catch {
        print(error.localizedDescription)
      }
    }
  }

  let loop: any Loop
  if CommandLine.arguments[1] == "poll" {
    loop = PollLoop()
  } else if let glib = GLibLoop() {
    loop = glib
  } else {
    print("no GLib")
    exit(1)
  }
  switch CommandLine.arguments[2] {
  case "kinds": try runEachKind(loop)
  case "idle": try beIdle(loop)
  case "hops": try hop(loop)
  case "flood": try flood(loop)
  case "nested": try nest(loop)
  case "behind": if let loop = loop as? GLibLoop { try runBehind(loop) }
  case "elsewhere": if let loop = loop as? GLibLoop { try runElsewhere(loop) }
  case "others": attachToOthers()
  default: exit(2)
  }
#endif

#if os(Linux)
  import Foundation
  import MainLoops

  private enum MainLoopExamples {
    static func wait(while isRunning: Bool) throws {
      var waiting = [pollfd(fd: MainQueue.descriptor, events: Int16(POLLIN), revents: 0)]
      while isRunning {
        poll(&waiting, nfds_t(waiting.count), -1)
        if waiting[0].revents != 0 { try MainQueue.drain() }
      }
    }

    static func attach() throws {
      try GLibMainLoop.attachMainQueue()
    }
  }
#endif

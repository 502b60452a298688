#if os(Linux)
  import Foundation

  /// A fault of the disk from which all of a process suffers, so only for a process of its own.
  enum SystemFault: String, Codable {
    /// A file cannot have more than `space` bytes.
    case fullDisk
    /// `fsync` fails with `EIO`.
    case fsync
    /// `close` fails with `EIO`, and closes nothing.
    case close

    static let space = 10_000

    /// Whether the kernel can let system calls fail.
    static let canFailCalls = (call?(prctl, 21, 0, 0, 0, 0) ?? -1) >= 0

    func begin() {
      if self == .fullDisk {
        signal(SIGXFSZ, SIG_IGN)
        Self.limitFiles(to: rlim_t(Self.space))
      } else if !failCall() {
        perror("seccomp")
        exit(1)
      }
    }

    /// Ends a fault that can end.
    static func endIfPossible() { limitFiles(to: .max) }

    private static func limitFiles(to count: rlim_t) {
      var limit = rlimit()
      getrlimit(CInt(RLIMIT_FSIZE.rawValue), &limit)
      limit.rlim_cur = min(count, limit.rlim_max)
      setrlimit(CInt(RLIMIT_FSIZE.rawValue), &limit)
    }

    /// Lets a system call fail on all threads of the process, by a filter of seccomp(2).
    private func failCall() -> Bool {
      func instruction(_ code: UInt64, _ operand: Int, skipUnlessTrue: UInt64 = 0) -> UInt64 {
        code | skipUnlessTrue << 24 | UInt64(operand) << 32
      }
      // Loads the number of the call, and returns EIO if it is the one to fail.
      let program = [
        instruction(0x20, 0), instruction(0x15, number, skipUnlessTrue: 1),
        instruction(0x06, 0x5_0000 | Int(EIO)), instruction(0x06, 0x7FFF_0000),
      ]
      return program.withUnsafeBufferPointer { program in
        withUnsafePointer(to: (program.count, program.baseAddress)) { header in
          // PR_SET_NO_NEW_PRIVS, which lets any user install a filter; then SECCOMP_SET_MODE_FILTER with
          // SECCOMP_FILTER_FLAG_TSYNC.
          Self.call?(Self.prctl, 38, 1, 0, 0, 0) == 0
            && Self.call?(Self.seccomp, 1, 1, Int(bitPattern: header), 0, 0) == 0
        }
      }
    }

    /// `syscall`, which Swift does not import because the number of its arguments varies.
    private static let call = dlsym(nil, "syscall").map {
      unsafeBitCast($0, to: (@convention(c) (Int, Int, Int, Int, Int, Int) -> Int).self)
    }

    // Numbers of system calls.
    #if arch(x86_64)
      private static let (prctl, seccomp) = (157, 317)
      private var number: Int { self == .fsync ? 74 : 3 }
    #else
      private static let (prctl, seccomp) = (167, 277)
      private var number: Int { self == .fsync ? 82 : 57 }
    #endif
  }
#endif

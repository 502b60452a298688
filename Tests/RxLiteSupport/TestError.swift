/// The error that sources and closures of tests fail with.
enum TestError: Error { case one, two }

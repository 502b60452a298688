import ReactiveNetworkExamples

launch("chat", help: Arguments.help) { reader throws(ArgumentError) in
  try Arguments(&reader)
} run: { arguments in
  if let url = arguments.url {
    try DirectChat(url: url).run()
  } else {
    try Program(arguments: arguments).run()
  }
}

internal import CNetworkCoreCurl
internal import Foundation

// libcurl calls these functions on the loop's thread, from inside its own functions. They only record events: the
// only user code that they call is `TransferObserver.note(_:at:)`, which must not block. All other user code may take
// long, and runs outside libcurl's functions.
//
// `context` is the `CurlEasy` that has set the option, the `SocketRegistry` when a socket is closed, or the
// `CurlMulti` in the last two functions. `CurlEasy.setConstantOptions` and `CurlMulti.init` explain why these
// references may be unretained.

private func transfer(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
  guard let context else { return nil }
  return Unmanaged<CurlEasy>.fromOpaque(context).takeUnretainedValue().transfer
}

let curlHeaderCallback: ccurl_write_callback = { bytes, size, count, context in
  guard let bytes, let transfer = transfer(context) else { return 0 }
  let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
  guard transfer.receivedHeaderLine(line) else { return 0 }
  transfer.easy?.noteAccepted(line, endsHead: transfer.hasHead)
  return line.count
}

let curlWriteCallback: ccurl_write_callback = { bytes, size, count, context in
  guard let bytes, let transfer = transfer(context) else { return 0 }
  let received = UnsafeRawBufferPointer(start: bytes, count: size * count)
  switch transfer.easy?.check(received) ?? .body {
  case .body: return transfer.receivedBody(received)
  case .headLine(let isAccepted): return isAccepted ? received.count : transfer.rejectHead()
  }
}

let curlReadCallback: ccurl_read_callback = { buffer, size, count, context in
  guard let buffer, let transfer = transfer(context) else { return CCURL_READFUNC_ABORT }
  return transfer.readBody(into: UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
}

let curlSeekCallback: ccurl_seek_callback = { context, offset, origin in
  guard let transfer = transfer(context), origin == SEEK_SET else { return 1 }
  return transfer.seekBody(to: offset) ? 0 : 1
}

let curlProgressCallback: ccurl_progress_callback = { context, _, _, _, uploaded in
  guard let transfer = transfer(context) else { return 0 }
  transfer.madeProgress(uploaded: uploaded)
  return 0
}

let curlPrerequestCallback: ccurl_prerequest_callback = { context, remote, local, remotePort, localPort in
  let connection = ConnectionEndpoints(
    local: local, port: Int(localPort), remote: remote, port: Int(remotePort))
  return transfer(context)?.beginAttempt(over: connection) ?? false ? 0 : 1
}

let curlDebugCallback: ccurl_debug_callback = { _, kind, text, length, context in
  guard kind == CInt(CCURLINFO_TEXT), let text, let context,
    let line = GoAwayLogLine(UnsafeRawBufferPointer(start: text, count: length))
  else { return 0 }
  Unmanaged<CurlEasy>.fromOpaque(context).takeUnretainedValue().noteLogLine(line)
  return 0
}

let curlOpenSocketCallback: ccurl_open_socket_callback = { context, purpose, address in
  if let address, let transfer = transfer(context), !transfer.admitSocket(address.pointee.family) {
    return -1
  }
  let socket = ccurl_open_socket(nil, purpose, address)
  if socket >= 0 { transfer(context)?.noteOpening(of: socket) }
  return socket
}

let curlCloseSocketCallback: ccurl_close_socket_callback = { context, socket in
  if let context { Unmanaged<SocketRegistry>.fromOpaque(context).takeUnretainedValue().remove(socket) }
  return close(socket)
}

let curlSocketCallback: ccurl_socket_callback = { handle, socket, what, context, _ in
  guard let context, let handle else { return 0 }
  let multi = Unmanaged<CurlMulti>.fromOpaque(context).takeUnretainedValue()
  // The event masks have the same values on both sides.
  multi.watch(socket, for: what == CInt(CCURL_POLL_REMOVE) ? 0 : what, of: handle)
  return 0
}

let curlTimerCallback: ccurl_timer_callback = { _, milliseconds, context in
  guard let context else { return 0 }
  Unmanaged<CurlMulti>.fromOpaque(context).takeUnretainedValue().setTimeout(milliseconds: milliseconds)
  return 0
}

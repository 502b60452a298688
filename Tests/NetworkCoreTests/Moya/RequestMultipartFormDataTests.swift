import Foundation
import class MoyaCompatibility.RequestMultipartFormData
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("A form that is assembled part by part")
struct RequestMultipartFormDataTests {
  @Test("has the added parts in their order, in memory and in a file")
  func encode() throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("note.txt", containing: Data("from a file".utf8))
    func filled() -> RequestMultipartFormData {
      let form = RequestMultipartFormData(fileManager: .default, boundary: "B")
      form.append(Data("1".utf8), withName: "a")
      form.append(Data("2".utf8), withName: "b", fileName: "b.bin", mimeType: "x/y")
      form.append(file, withName: "c")
      form.append(file, withName: "d", fileName: "d", mimeType: "z/z")
      form.append(
        InputStream(data: Data("abc".utf8)), withLength: 3, name: "e", fileName: "e", mimeType: "s/s")
      form.append(
        InputStream(data: Data("def".utf8)), withLength: 3,
        headers: ["Content-Disposition": "attachment", "Content-ID": "<f>"])
      return form
    }
    let parts: [String] = [
      "form-data; name=\"a\"\r\n\r\n1",
      "form-data; name=\"b\"; filename=\"b.bin\"\r\nContent-Type: x/y\r\n\r\n2",
      "form-data; name=\"c\"; filename=\"note.txt\"\r\nContent-Type: text/plain\r\n\r\nfrom a file",
      "form-data; name=\"d\"; filename=\"d\"\r\nContent-Type: z/z\r\n\r\nfrom a file",
      "form-data; name=\"e\"; filename=\"e\"\r\nContent-Type: s/s\r\n\r\nabc",
      "attachment\r\nContent-ID: <f>\r\n\r\ndef",
    ]
    let expected = parts.map { "--B\r\nContent-Disposition: \($0)\r\n" }.joined() + "--B--\r\n"
    let form = filled()
    #expect(form.boundary == "B")
    #expect(form.contentType == "multipart/form-data; boundary=B")
    #expect(form.contentLength == 30)
    #expect(form.form.parts.count == 6)
    #expect(String(decoding: try form.encode(), as: UTF8.self) == expected)
    try filled().writeEncodedData(to: folder.file("body"))
    #expect(try Data(contentsOf: folder.file("body")) == Data(expected.utf8))
    #expect(throws: CocoaError.self) { try filled().writeEncodedData(to: folder.file("body")) }
    #expect(try Data(contentsOf: folder.file("body")) == Data(expected.utf8))
  }

  @Test("reports why it cannot be sent, and leaves no file")
  func refusals() throws {
    let folder = try TemporaryFolder()
    let empty = RequestMultipartFormData()
    #expect(throws: MultipartError.noParts) { try empty.encode() }
    let forged = RequestMultipartFormData()
    let stream = InputStream(data: Data())
    forged.append(stream, withLength: 0, headers: ["Content-Disposition": "a\r\nX: y"])
    #expect(throws: MultipartError.invalidField("Content-Disposition", value: "a\r\nX: y")) {
      try forged.encode()
    }
    let short = RequestMultipartFormData()
    short.append(
      InputStream(data: Data("ab".utf8)), withLength: 3, name: "a", fileName: "a", mimeType: "a/b")
    #expect(throws: TransferError.wrongBodyLength(announced: 3, actual: 2)) {
      try short.writeEncodedData(to: folder.file())
    }
    let missing = RequestMultipartFormData()
    missing.append(folder.file("nothing"), withName: "a")
    #expect(throws: TransferError.self) { try missing.writeEncodedData(to: folder.file()) }
    #expect(missing.contentLength == 0)
    #expect(folder.names.isEmpty)
  }
}

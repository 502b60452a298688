import NetworkCore
import Testing

@Suite("The media type of a file")
struct MediaTypeOfFileTests {
  @Test("the usual extensions have their usual types, in any case")
  func common() {
    let usual = MediaType.types(
      inFile: """
        application/epub+zip epub
        application/geo+json geojson
        application/gzip gz
        application/java-archive jar
        application/json json
        application/ld+json jsonld
        application/msword doc
        application/octet-stream bin
        application/pdf pdf
        application/rtf rtf
        application/vnd.ms-excel xls
        application/vnd.ms-powerpoint ppt
        application/vnd.oasis.opendocument.presentation odp
        application/vnd.oasis.opendocument.spreadsheet ods
        application/vnd.oasis.opendocument.text odt
        application/vnd.openxmlformats-officedocument.presentationml.presentation pptx
        application/vnd.openxmlformats-officedocument.spreadsheetml.sheet xlsx
        application/vnd.openxmlformats-officedocument.wordprocessingml.document docx
        application/vnd.rar rar
        application/wasm wasm
        application/x-7z-compressed 7z
        application/x-bzip2 bz2
        application/x-tar tar
        application/xhtml+xml xhtml
        application/xml xml
        application/yaml yaml yml
        application/zip zip
        application/zstd zst
        audio/aac aac
        audio/flac flac
        audio/mp4 m4a
        audio/mpeg mp3
        audio/ogg ogg opus
        audio/wav wav
        audio/webm weba
        font/otf otf
        font/ttf ttf
        font/woff woff
        font/woff2 woff2
        image/apng apng
        image/avif avif
        image/bmp bmp
        image/gif gif
        image/heic heic
        image/heif heif
        image/jpeg jpeg jpg
        image/png png
        image/svg+xml svg
        image/tiff tif tiff
        image/vnd.microsoft.icon ico
        image/webp webp
        message/rfc822 eml
        text/calendar ics
        text/css css
        text/csv csv
        text/html htm html
        text/javascript js mjs
        text/markdown md
        text/plain log txt
        text/vcard vcf
        video/mp4 mp4
        video/mpeg mpeg mpg
        video/ogg ogv
        video/quicktime mov
        video/webm webm
        video/x-m4v m4v
        """)
    #expect(usual.count == 74)
    for (name, type) in usual {
      #expect(MediaType.ofFile(extension: name) == type)
      #expect(MediaType.ofFile(extension: name.uppercased()) == type)
    }
  }

  @Test("a line of a file of types that does not begin with a media type is ignored")
  func invalid() {
    #expect(MediaType.types(inFile: "type x\n\ntext/a x") == ["x": "text/a"])
  }

  @Test("if a file of types lists an extension twice, the first type counts")
  func first() {
    #expect(MediaType.types(inFile: "text/a x # y\ntext/b X y") == ["x": "text/a", "y": "text/b"])
  }
}

extension Catalogue {
  /// The built-in repositories.
  ///
  /// Each line has a language, its topics, and repositories with their stars in thousands.
  static let text = """
    Swift | rx reactive | ReactiveX/RxSwift 24.5, RxSwiftCommunity/RxDataSources 3.1, \
    RxSwiftCommunity/Action 0.9, RxSwiftCommunity/RxFlow 1.9, RxSwiftCommunity/RxGesture 1.4, Moya/Moya \
    15.1, RxSwiftCommunity/RxSwiftExt 1.3
    Swift | streams functional | ReactiveCocoa/ReactiveCocoa 20.0, ReactiveCocoa/ReactiveSwift 3.0, \
    CombineCommunity/CombineExt 1.8, OpenCombine/OpenCombine 2.6, pointfreeco/combine-schedulers 0.8
    Swift | networking http | Alamofire/Alamofire 41.9, swift-server/async-http-client 1.0, kean/Get 1.0, \
    AliSoftware/OHHTTPStubs 5.1, daltoniam/Starscream 8.5, apple/swift-nio 8.2, apple/swift-http-types 1.0
    Swift | compiler toolchain | swiftlang/swift 68.9, swiftlang/swift-package-manager 9.9, \
    apple/swift-syntax 3.4, swiftlang/swift-format 2.7, swiftlang/sourcekit-lsp 3.6, realm/SwiftLint 19.0, \
    nicklockwood/SwiftFormat 8.3
    Swift | server web | vapor/vapor 25.2, vapor/fluent 1.4, hummingbird-project/hummingbird 1.4, vapor/leaf \
    0.4, PerfectlySoft/Perfect 13.8, IBM-Swift/Kitura 7.6, apple/swift-log 3.7, apple/swift-metrics 0.7
    Swift | ui layout | SnapKit/SnapKit 20.3, SwiftUIX/SwiftUIX 7.4, onevcat/Kingfisher 23.8, kean/Nuke 8.3, \
    airbnb/lottie-ios 26.2, danielgindi/Charts 27.8, SwipeCellKit/SwipeCellKit 6.3, uber/RIBs 7.8
    Swift | collections algorithms | apple/swift-algorithms 6.1, apple/swift-collections 4.0, \
    apple/swift-numerics 1.8, apple/swift-async-algorithms 3.3, apple/swift-atomics 1.2, \
    apple/swift-argument-parser 3.5
    Swift | testing | Quick/Quick 9.8, Quick/Nimble 4.8, pointfreeco/swift-snapshot-testing 4.0, \
    swiftlang/swift-testing 2.0
    Swift | architecture state | pointfreeco/swift-composable-architecture 13.4, ReSwift/ReSwift 7.6, \
    Swinject/Swinject 6.5, pointfreeco/swift-dependencies 1.8
    Swift | storage | realm/realm-swift 16.5, groue/GRDB.swift 7.5, stephencelis/SQLite.swift 9.9, \
    SwiftyJSON/SwiftyJSON 22.9, evgenyneu/keychain-swift 2.9, krzyzanowskim/CryptoSwift 10.4
    Kotlin | rx reactive | ReactiveX/RxKotlin 7.0, JakeWharton/RxBinding 9.7, badoo/Reaktive 1.2
    Kotlin | android networking | square/okhttp 46.4, ktorio/ktor 13.5, coil-kt/coil 11.1, square/leakcanary \
    29.6, JetBrains/kotlin 50.4, Kotlin/kotlinx.coroutines 13.3, InsertKoinIO/koin 9.3, arrow-kt/arrow 6.3
    Java | rx reactive | ReactiveX/RxJava 48.2, ReactiveX/RxAndroid 19.9, reactor/reactor-core 5.1
    Java | backend | spring-projects/spring-boot 77.0, square/retrofit 43.6, google/guava 50.9, netty/netty \
    34.1, elastic/elasticsearch 72.8, apache/kafka 30.2, apache/hadoop 15.1, quarkusio/quarkus 14.4, \
    google/gson 23.8
    TypeScript | rx reactive | ReactiveX/rxjs 31.2, redux-observable/redux-observable 7.8, staltz/cycle 10.2
    TypeScript | web framework | angular/angular 98.3, microsoft/vscode 172.0, nestjs/nest 70.9, \
    microsoft/TypeScript 104.1, vuejs/core 50.3, solidjs/solid 33.6, sveltejs/kit 19.4, denoland/deno 103.0, \
    prisma/prisma 42.0, vitejs/vite 72.5
    JavaScript | web framework | facebook/react 235.4, vercel/next.js 131.6, expressjs/express 66.6, \
    axios/axios 106.7, mrdoob/three.js 105.8, webpack/webpack 65.3, lodash/lodash 60.4, moment/moment 48.0, \
    mochajs/mocha 22.7
    JavaScript | runtime tools | nodejs/node 111.0, prettier/prettier 50.3, eslint/eslint 25.8, \
    jquery/jquery 59.5, d3/d3 110.1, babel/babel 43.6, yarnpkg/yarn 41.4, gulpjs/gulp 33.0, \
    evanw/esbuild-wasm 1.2
    Python | data science | numpy/numpy 29.4, pandas-dev/pandas 45.4, scikit-learn/scikit-learn 61.9, \
    matplotlib/matplotlib 21.2, pytorch/pytorch 89.0, scipy/scipy 13.7, ipython/ipython 16.4, \
    jupyter/notebook 12.2
    Python | web networking | django/django 84.0, pallets/flask 69.5, psf/requests 52.8, tiangolo/fastapi \
    83.1, encode/httpx 14.1, aio-libs/aiohttp 15.7, scrapy/scrapy 55.0, tornadoweb/tornado 22.0, \
    ReactiveX/RxPY 4.9
    Go | cloud servers | golang/go 127.8, kubernetes/kubernetes 114.5, moby/moby 69.8, gin-gonic/gin 82.2, \
    prometheus/prometheus 58.4, grafana/grafana 67.7, etcd-io/etcd 49.0, traefik/traefik 54.5, \
    caddyserver/caddy 63.4
    Go | tools | junegunn/fzf 70.5, gohugoio/hugo 79.6, jesseduffield/lazygit 60.0, charmbracelet/bubbletea \
    31.7, cli/cli 39.2, syncthing/syncthing 71.3, FiloSottile/mkcert 53.1, ReactiveX/RxGo 5.0
    Rust | systems | rust-lang/rust 103.6, tokio-rs/tokio 28.9, hyperium/hyper 15.0, serde-rs/serde 9.8, \
    actix/actix-web 22.9, clap-rs/clap 15.3, seanmonstar/reqwest 10.6, rayon-rs/rayon 12.0, bevyengine/bevy \
    40.0
    Rust | tools | BurntSushi/ripgrep 52.3, sharkdp/bat 52.6, sharkdp/fd 37.0, alacritty/alacritty 59.2, \
    starship/starship 48.8, helix-editor/helix 37.9, rust-lang/rustlings 58.2, tauri-apps/tauri 92.1
    C | systems | torvalds/linux 194.0, git/git 54.7, redis/redis 69.1, curl/curl 37.6, nginx/nginx 26.6, \
    postgres/postgres 17.5, sqlite/sqlite 7.9, openssl/openssl 27.3, jqlang/jq 31.9, tmux/tmux 38.0, vim/vim \
    38.0
    C | media embedded | FFmpeg/FFmpeg 49.7, raspberrypi/linux 11.7, micropython/micropython 20.5, \
    raysan5/raylib 26.4, wg/wrk 39.0, libuv/libuv 25.3, systemd/systemd 14.1, ggerganov/ggml 12.6
    C++ | engines | godotengine/godot 97.3, electron/electron 117.0, opencv/opencv 82.0, \
    protocolbuffers/protobuf 67.9, google/googletest 36.4, fmtlib/fmt 21.9, nlohmann/json 45.6, \
    bitcoin/bitcoin 83.0, ReactiveX/RxCpp 3.1
    C# | rx reactive | dotnet/reactive 6.8, reactiveui/ReactiveUI 8.3, neuecc/UniRx 7.1, Cysharp/R3 3.0
    Ruby | web | rails/rails 57.0, jekyll/jekyll 50.0, Homebrew/brew 43.5, fastlane/fastlane 40.3, \
    sinatra/sinatra 12.3
    Dart | rx reactive | ReactiveX/rxdart 3.4, felangel/bloc 12.1, flutter/flutter 169.7
    """
}

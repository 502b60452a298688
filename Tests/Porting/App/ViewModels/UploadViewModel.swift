import Foundation
import Moya
import RxMoya
import RxSwift

final class UploadViewModel {
  let progress: Observable<Double>
  let finished: Observable<Int>

  init(data: Data, provider: MoyaProvider<GitHubAPI>) {
    let upload = provider.rx.requestWithProgress(.uploadAvatar(data)).share(replay: .max, scope: .forever)
    progress = upload.filterProgress()
    finished = upload.filterCompleted().filter(statusCodes: 200...299).map { $0.statusCode }
  }
}

import CGTK
import ReactiveNetwork

/// A row of the list: a picture, which loads while the row is visible, and two lines of text.
@MainActor final class ResultRow {
  let widget: Widget
  private let picture: Widget
  private let bag = DisposeBag()

  init?(_ repository: Repository, isVisible: Observable<Bool>, pipelines: Pipelines) {
    guard let row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12), let image = gtk_image_new(),
      let column = gtk_box_new(GTK_ORIENTATION_VERTICAL, 2), let title = gtk_label_new(repository.fullName),
      let text = gtk_label_new(repository.description ?? "")
    else { return nil }
    (widget, picture) = (row, image)
    gtk_widget_add_css_class(title, "heading")
    gtk_widget_add_css_class(text, "dim-label")
    gtk_image_set_pixel_size(image.opaque, 40)
    gtk_image_set_from_icon_name(image.opaque, "image-loading-symbolic")
    gtk_widget_set_valign(column, GTK_ALIGN_CENTER)
    for label in [title, text] {
      gtk_label_set_xalign(label.opaque, 0)
      gtk_label_set_ellipsize(label.opaque, PANGO_ELLIPSIZE_END)
      gtk_box_append(column.cast(), label)
    }
    for child in [image, column] { gtk_box_append(row.cast(), child) }
    gtk_widget_set_margin_top(row, 6)
    gtk_widget_set_margin_bottom(row, 6)
    gtk_widget_set_margin_start(row, 6)

    pipelines.picture(at: repository.owner.avatarURL, whileVisible: isVisible)
      .subscribe(onMain: { [weak self] data in self?.show(data) })
      .disposed(by: bag)
  }

  private func show(_ data: Data) {
    let bytes = data.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
    defer { g_bytes_unref(bytes) }
    // A picture that cannot be decoded leaves the row as it is.
    guard let texture = gdk_texture_new_from_bytes(bytes, nil) else { return }
    gtk_image_set_from_paintable(picture.opaque, texture)
    g_object_unref(UnsafeMutableRawPointer(texture))
  }
}

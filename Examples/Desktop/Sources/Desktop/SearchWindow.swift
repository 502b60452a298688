import CGTK
import ReactiveNetwork

/// The window: a search entry with a spinner, the results, and a status line.
@MainActor final class SearchWindow {
  private let window: Widget
  private let list: Widget
  private let status: Widget
  private let scrolling: OpaquePointer
  private let pipelines: Pipelines
  private var rows: [ResultRow] = []
  /// The indices of the rows that are visible.
  private let visible = BehaviorRelay(value: 0..<0)
  private let text = BehaviorRelay(value: "")
  private let bag = DisposeBag()

  init?(
    of application: UnsafeMutablePointer<GtkApplication>, _ pipelines: Pipelines, counts: Observable<Counts>,
    whenClosed: @escaping @MainActor () -> Void
  ) {
    guard let window = gtk_application_window_new(application), let entry = gtk_search_entry_new(),
      let spinner = gtk_spinner_new(), let list = gtk_list_box_new(),
      let status = gtk_label_new("Type to search."),
      let requests = gtk_label_new(""), let scroller = gtk_scrolled_window_new(),
      let scrolling = gtk_scrolled_window_get_vadjustment(scroller.opaque),
      let column = gtk_box_new(GTK_ORIENTATION_VERTICAL, 10),
      let top = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 10),
      let bottom = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 10)
    else { return nil }
    (self.window, self.list, self.status) = (window, list, status)
    (self.scrolling, self.pipelines) = (OpaquePointer(scrolling), pipelines)

    gtk_window_set_title(window.cast(), "Search repositories")
    gtk_window_set_default_size(window.cast(), 460, 480)
    gtk_widget_set_hexpand(entry, 1)
    gtk_widget_set_vexpand(scroller, 1)
    gtk_widget_set_hexpand(status, 1)
    gtk_label_set_xalign(status.opaque, 0)
    gtk_label_set_ellipsize(status.opaque, PANGO_ELLIPSIZE_END)
    gtk_widget_add_css_class(requests, "dim-label")
    gtk_list_box_set_selection_mode(list.opaque, GTK_SELECTION_NONE)
    gtk_widget_add_css_class(scroller, "frame")
    gtk_scrolled_window_set_child(scroller.opaque, list)
    for child in [entry, spinner] { gtk_box_append(top.cast(), child) }
    for child in [status, requests] { gtk_box_append(bottom.cast(), child) }
    for child in [top, scroller, bottom] { gtk_box_append(column.cast(), child) }
    for set in [
      gtk_widget_set_margin_top, gtk_widget_set_margin_bottom, gtk_widget_set_margin_start,
      gtk_widget_set_margin_end,
    ] { set(column, 12) }
    gtk_window_set_child(window.cast(), column)

    connect(entry, "changed") { [text] in
      if let typed = gtk_editable_get_text(entry.opaque) { text.accept(String(cString: typed)) }
    }
    for signal in ["value-changed", "changed"] {
      connect(UnsafeMutableRawPointer(scrolling), signal) { [weak self] in self?.updateVisibleRows() }
    }
    connect(window, "destroy", whenClosed)

    pipelines.outcomes(of: text.skip(1))
      .subscribe(onMain: { [weak self] outcome in self?.show(outcome) }).disposed(by: bag)
    pipelines.searching.asObservable()
      .subscribe(onMain: { isSearching in gtk_spinner_set_spinning(spinner.opaque, isSearching ? 1 : 0) })
      .disposed(by: bag)
    counts.subscribe(onMain: { counts in
      let (sent, cancelled) = (
        counts.searches.sent + counts.pictures.sent, counts.searches.cancelled + counts.pictures.cancelled
      )
      gtk_label_set_text(requests.opaque, "\(sent) requests, \(cancelled) cancelled")
    }).disposed(by: bag)
    gtk_window_present(window.cast())
  }

  func close() { gtk_window_close(window.cast()) }

  private func updateVisibleRows() {
    var height: CInt = 0
    if let row = gtk_list_box_get_row_at_index(list.opaque, 0) {
      let widget = UnsafeMutableRawPointer(row).assumingMemoryBound(to: GtkWidget.self)
      gtk_widget_measure(widget, GTK_ORIENTATION_VERTICAL, -1, nil, &height, nil, nil)
    }
    guard height > 0 else { return visible.accept(0..<0) }
    // All rows have the same height.
    let adjustment = UnsafeMutablePointer<GtkAdjustment>(scrolling)
    let top = gtk_adjustment_get_value(adjustment)
    let bottom = top + gtk_adjustment_get_page_size(adjustment)
    visible.accept(Int(top) / Int(height)..<Int(bottom) / Int(height) + 1)
  }

  private func show(_ outcome: SearchOutcome) {
    switch outcome {
    case .cleared: show([], "Type to search.")
    case .found(let found, let text):
      show(found, "\(found.count) result\(found.count == 1 ? "" : "s") for “\(text)”")
    case .failed(let error): show([], error.localizedDescription)
    }
  }

  private func show(_ repositories: [Repository], _ line: String) {
    gtk_label_set_text(status.opaque, line)
    // Releasing the rows cancels what they load.
    rows = []
    // GTK 4.8 has no function that removes all rows.
    while let row = gtk_list_box_get_row_at_index(list.opaque, 0) {
      gtk_list_box_remove(list.opaque, UnsafeMutableRawPointer(row).assumingMemoryBound(to: GtkWidget.self))
    }
    visible.accept(0..<0)
    rows = repositories.enumerated().compactMap { index, repository in
      ResultRow(repository, isVisible: visible.map { $0.contains(index) }, pipelines: pipelines)
    }
    for row in rows { gtk_list_box_append(list.opaque, row.widget) }
    gtk_adjustment_set_value(UnsafeMutablePointer(scrolling), 0)
    updateVisibleRows()
  }
}

package clickhouse

import (
	"context"

	"vitrine"
	"vitrine/report"
)

// Append implements [vitrine.ViewLog]. A few queries read what the batch refers
// to, regardless of its size. The decisions are made in this process.
func (l *ViewLog) Append(ctx context.Context, b vitrine.Batch) (o vitrine.Outcome, err error) {
	if b.Len() == 0 {
		return o, ctx.Err()
	}
	err = l.write(ctx, func(ctx context.Context, number uint64) ([]step, error) {
		var refused []error
		w, err := l.writing(ctx)
		if err == nil {
			err = w.loadBatch(&b)
		}
		if err != nil {
			return nil, err
		}
		for i := range b.Views {
			err := w.view(&b.Views[i])
			if err != nil && refused == nil {
				refused = make([]error, len(b.Views))
			}
			if err != nil {
				refused[i] = err
			}
		}
		if err := w.loadChanging(&b); err != nil {
			return nil, err
		}
		for i := range b.Snapshots {
			w.snapshot(&b.Snapshots[i])
		}
		for i := range b.Downloads {
			w.download(&b.Downloads[i])
		}
		for i := range b.Reclasses {
			w.reclass(&b.Reclasses[i])
		}
		o = vitrine.Outcome{Refused: refused, Early: w.early}
		return w.steps(number), nil
	})
	if err != nil {
		return vitrine.Outcome{}, err
	}
	return o, nil
}

// writing is a batch for which decisions are made. It holds the affected rows,
// first as they are stored, then as the batch leaves them.
type writing struct {
	c     *client
	ctx   context.Context
	state state

	links     map[vitrine.LinkID]*linkRow
	views     map[key]*viewRow // nil or missing: no such view
	viewers   map[viewerKey]*viewerRow
	downloads map[key]*downloadRow
	early     vitrine.Batch

	// The order of the first write, so that the same batch always produces the
	// same steps.
	newViews     []key
	newLinks     []vitrine.LinkID
	newViewers   []viewerKey
	newDownloads []key
}

// linkRow is a row of the table links.
type linkRow struct {
	account vitrine.AccountID
	vitrine.LinkCounts
	version uint64
	changed bool
}

// viewerKey identifies a viewer of a link.
type viewerKey struct {
	link   vitrine.LinkID
	viewer uint64
}

// viewerRow is a row of the table viewers: the number of counted views that a
// viewer ever made of a link.
type viewerRow struct {
	views   int64
	version uint64
	changed bool
}

// downloadRow is a row of the table downloads.
type downloadRow struct {
	view    vitrine.ViewID
	deleted bool
	version uint64
	changed bool
}

func (l *ViewLog) writing(ctx context.Context) (*writing, error) {
	s, err := l.stateNow(ctx)
	return &writing{c: l.c, ctx: ctx, state: s, links: map[vitrine.LinkID]*linkRow{}, views: map[key]*viewRow{},
		viewers: map[viewerKey]*viewerRow{}, downloads: map[key]*downloadRow{}}, err
}

// loadBatch reads the rows that a batch refers to, except viewers of views that
// a snapshot marks as a bot's.
func (w *writing) loadBatch(b *vitrine.Batch) error {
	links := map[vitrine.LinkID]bool{}
	for i := range b.Views {
		links[vitrine.LinkID(b.Views[i].Link)] = true
	}
	for i := range b.Snapshots {
		links[b.Snapshots[i].Link] = true
	}
	for i := range b.Downloads {
		links[b.Downloads[i].Link] = true
	}
	for i := range b.Reclasses {
		links[b.Reclasses[i].Link] = true
	}
	if err := w.loadLinks(links); err != nil {
		return err
	}
	var views, told, downloads []key
	var viewers []viewerKey
	for i := range b.Views {
		o := &b.Views[i]
		w.addLink(o)
		views = append(views, key{vitrine.LinkID(o.Link), vitrine.ViewID(o.ID)})
		if o.Counted() {
			viewers = append(viewers, viewerKey{vitrine.LinkID(o.Link), o.Viewer})
		}
	}
	for i := range b.Snapshots {
		told = append(told, key{b.Snapshots[i].Link, b.Snapshots[i].View})
	}
	for i := range b.Downloads {
		d := &b.Downloads[i]
		told = append(told, key{d.Link, d.View})
		downloads = append(downloads, key{d.Link, d.ID})
		if d.View == 0 && w.links[d.Link] == nil && d.Account != 0 {
			w.links[d.Link] = &linkRow{account: d.Account}
		}
	}
	for i := range b.Reclasses {
		told = append(told, key{b.Reclasses[i].Link, b.Reclasses[i].View})
	}
	return concurrently(
		func() error {
			stored, err := w.storedViews(views) // usually none
			if err != nil {
				return err
			}
			return w.loadViews(append(told, stored...))
		},
		func() error { return w.loadViewers(viewers) },
		func() error { return w.loadDownloads(downloads) },
	)
}

// addLink creates the row of a view's link if there is none. The row is written
// only if something is counted in it.
func (w *writing) addLink(o *vitrine.ViewRecord) *linkRow {
	link := vitrine.LinkID(o.Link)
	if w.links[link] == nil {
		w.links[link] = &linkRow{account: o.Account}
	}
	return w.links[link]
}

// view decides about a view. Errors: ErrExists if another view has its ID,
// ErrDayExpired if the views of its day have expired.
func (w *writing) view(o *vitrine.ViewRecord) error {
	k := key{vitrine.LinkID(o.Link), vitrine.ViewID(o.ID)}
	if !w.mayStillArrive(k) {
		return vitrine.ErrDayExpired
	}
	if there := w.views[k]; there != nil {
		if there.same(&o.View) {
			return nil
		}
		return vitrine.ErrExists
	}
	w.add(k, o, false).Returning = o.Counted() && w.countViewer(k.link, o.Viewer, 1)
	return nil
}

// add adds a view and counts it, but not for its viewer.
func (w *writing) add(k key, o *vitrine.ViewRecord, imported bool) *viewRow {
	link := w.addLink(o)
	row := &viewRow{View: o.View, account: link.account, imported: imported}
	row.ID, row.At = int64(k.id), k.id.Ms()
	if row.Version <= 1 {
		row.Version = 0
	}
	if o.Session != nil {
		s := *o.Session
		s.Pages = append([]report.PageTime(nil), s.Pages...)
		row.Session = &s
	}
	w.views[k] = row
	w.changedView(k, row)
	w.count(k.link, 0, 0)
	if row.Counted() {
		w.count(k.link, 1, 0)
	}
	return row
}

func (w *writing) changedView(k key, o *viewRow) {
	if !o.changed {
		o.changed = true
		w.newViews = append(w.newViews, k)
	}
}

// count adds to the counts of a link.
func (w *writing) count(link vitrine.LinkID, views, downloads int64) {
	r := w.links[link]
	r.Views += views
	r.Downloads += downloads
	if !r.changed {
		r.changed = true
		w.newLinks = append(w.newLinks, link)
	}
}

// countViewer adds to the views that a viewer made of a link. It reports
// whether there were any before.
func (w *writing) countViewer(link vitrine.LinkID, viewer uint64, views int64) (before bool) {
	k := viewerKey{link, viewer}
	r := w.viewers[k]
	if r == nil {
		r = new(viewerRow)
		w.viewers[k] = r
	}
	before = r.views > 0
	r.views += views
	if !r.changed {
		r.changed = true
		w.newViewers = append(w.newViewers, k)
	}
	return before
}

// loadChanging reads the viewers and downloads of views that may change between
// bot and person.
func (w *writing) loadChanging(b *vitrine.Batch) error {
	var changing []key
	var viewers []viewerKey
	add := func(k key) {
		o := w.views[k]
		changing = append(changing, k)
		if v := (viewerKey{k.link, o.Viewer}); w.viewers[v] == nil {
			viewers = append(viewers, v)
		}
	}
	for i := range b.Snapshots {
		s := &b.Snapshots[i]
		if o := w.views[key{s.Link, s.View}]; o != nil && (s.Bot != "" && o.Counted() || o.Bot == report.BotUndecided) {
			add(key{s.Link, s.View})
		}
	}
	for i := range b.Reclasses {
		d := &b.Reclasses[i]
		if o := w.views[key{d.Link, d.View}]; o != nil && (o.Own || d.Count || o.WasBot != "") {
			add(key{d.Link, d.View})
		}
	}
	return concurrently(func() error { return w.loadViewers(viewers) }, func() error {
		if err := w.loadDownloadsOf(changing); err != nil {
			return err
		}
		return w.loadDownloads(changing) // where a waiting download will be stored
	})
}

// snapshot applies a snapshot.
func (w *writing) snapshot(s *vitrine.Snapshot) {
	k := key{s.Link, s.View}
	o := w.views[k]
	if o == nil {
		if w.mayStillArrive(k) {
			w.early.Snapshots = append(w.early.Snapshots, *s)
		}
		return
	}
	e := vitrine.Engagement{StartMs: o.startMs}
	if o.Session != nil {
		e.Session = *o.Session
	}
	e.Apply(*s)
	o.Session, o.startMs = &e.Session, e.StartMs
	w.changedView(k, o)
	undecided := o.Bot == report.BotUndecided
	switch {
	case s.Bot != "" && (undecided || o.Counted()):
		w.exclude(k, o, s.Bot)
		o.selfReported = true
	case undecided && o.Session.EngagedMs >= report.DecidedMs:
		w.include(k, o)
	default:
		return
	}
	o.decided = o.decided || undecided
}

// exclude turns a view by a person into one by a bot, for the reason.
func (w *writing) exclude(k key, o *viewRow, reason string) {
	counted := o.Counted()
	o.Bot, o.Product, o.WasBot, o.WasProduct, o.Returning, o.waits = reason, "", "", "", false, false
	w.changedView(k, o)
	if !counted {
		return
	}
	w.countViewer(k.link, o.Viewer, -1)
	w.count(k.link, -1, 0)
	for event, d := range w.downloads {
		if event.link == k.link && d.view == k.id && !d.deleted {
			d.deleted = true
			w.changedDownload(event, d)
			w.count(k.link, 0, -1)
			o.waits = reason != report.BotAutomation
		}
	}
}

// include turns a view by a bot into one by a person.
func (w *writing) include(k key, o *viewRow) {
	waits := o.waits
	o.Bot, o.Product, o.WasBot, o.WasProduct, o.waits = "", "", "", "", false
	o.Returning = w.countViewer(k.link, o.Viewer, 1)
	w.changedView(k, o)
	w.count(k.link, 1, 0)
	if waits && report.DayOf(k.id.Ms()) >= w.state.forgotten {
		w.addDownload(k, k.id)
	}
}

// reclass changes whether a view counts.
func (w *writing) reclass(d *vitrine.Reclass) {
	k := key{d.Link, d.View}
	o := w.views[k]
	if o == nil {
		return
	}
	after, changes := o.Reclassed(d.Reason, d.Count)
	switch {
	case !changes:
		return
	case after.Counted():
		w.include(k, o)
	case o.Counted():
		w.exclude(k, o, after.Bot)
	}
	o.Bot, o.Product, o.WasBot, o.WasProduct = after.Bot, after.Product, after.WasBot, after.WasProduct
	o.decided = true
	w.changedView(k, o)
}

// download decides about a download.
func (w *writing) download(d *vitrine.Download) {
	event := key{d.Link, d.ID}
	if d.View == 0 {
		if l := w.links[d.Link]; l != nil && l.account == d.Account && report.DayOf(d.ID.Ms()) >= w.state.forgotten {
			w.addDownload(event, 0)
		}
		return
	}
	k := key{d.Link, d.View}
	o := w.views[k]
	switch {
	case o == nil:
		if w.mayStillArrive(k) {
			w.early.Downloads = append(w.early.Downloads, *d)
		}
	case !o.Counted():
		if !o.waits && o.Bot != report.BotAutomation {
			o.waits = true
			w.changedView(k, o)
		}
	case report.DayOf(d.ID.Ms()) >= w.state.forgotten:
		w.addDownload(event, d.View)
	}
}

// mayStillArrive reports whether a missing view may still arrive.
func (w *writing) mayStillArrive(k key) bool { return report.DayOf(k.id.Ms()) >= w.state.forgotten }

// addDownload adds a download event, unless one has the ID already.
func (w *writing) addDownload(k key, open vitrine.ViewID) {
	if there := w.downloads[k]; there != nil && !there.deleted {
		return
	}
	row := &downloadRow{view: open}
	if there := w.downloads[k]; there != nil {
		row.changed = there.changed
	}
	w.downloads[k] = row
	w.changedDownload(k, row)
	w.count(k.link, 0, 1)
}

func (w *writing) changedDownload(k key, d *downloadRow) {
	if !d.changed {
		d.changed = true
		w.newDownloads = append(w.newDownloads, k)
	}
}

// steps returns what the batch does. number is the version of each row.
func (w *writing) steps(number uint64) (steps []step) {
	var views, links, viewers, downloads rows
	for _, k := range w.newViews {
		w.views[k].append(&views, number)
	}
	for _, link := range w.newLinks {
		r := w.links[link]
		for _, n := range []int64{int64(link), int64(r.account), r.Views, r.Downloads} {
			links.int64(n)
		}
		links.uint64(number)
	}
	for _, k := range w.newViewers {
		viewers.int64(int64(k.link))
		viewers.uint64(k.viewer)
		viewers.int64(int64(w.links[k.link].account))
		viewers.int64(w.viewers[k].views)
		viewers.uint64(number)
	}
	for _, k := range w.newDownloads {
		d := w.downloads[k]
		for _, n := range []int64{int64(w.links[k.link].account), int64(k.link), int64(k.id), int64(d.view)} {
			downloads.int64(n)
		}
		downloads.bool(d.deleted)
		downloads.uint64(number)
	}
	steps = lateStep(w.late(), number)
	for _, s := range []step{
		{stepInsert, insertViews, views.b},
		{stepInsert, "viewers (link, viewer, account, opens, version)", viewers.b},
		{stepInsert, "downloads (account, link, id, open, deleted, version)", downloads.b},
		{stepInsert, insertLinks, links.b},
	} {
		if len(s.data) > 0 {
			steps = append(steps, s)
		}
	}
	return steps
}

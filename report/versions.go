package report

// File is the file of one version of a link, as far as reports need it.
type File struct {
	Kind    string // as Link.Kind
	Content ContentKind
	Pages   int // of a pdf; 0 unknown
}

// as returns the link with the file that a view showed. If nothing is known of
// that file, sessions have no progress.
func (l *Link) as(version int) *Link {
	if len(l.Files) == 0 {
		return l
	}
	f, ok := l.Files[max(version, 1)]
	if !ok {
		f.Content = ContentNone
	}
	of := *l
	of.Kind, of.Content, of.Pages = f.Kind, f.Content, f.Pages
	return &of
}

// As returns the link with the file of one of its versions.
func (l *Link) As(version int) Link { return *l.as(version) }

// Alike returns the versions of a link in groups with comparable completion:
// the same kind of content and, for documents, the same number of pages. It
// returns none for a link that was never replaced.
func (l *Link) Alike() [][]int {
	var groups [][]int
	of := map[File]int{}
	for n := 1; len(of) < len(l.Files) && n <= l.highest(); n++ {
		f, ok := l.Files[n]
		if !ok {
			continue
		}
		f.Kind = ""
		if f.Content != ContentPages {
			f.Pages = 0
		}
		i, known := of[f]
		if !known {
			i = len(groups)
			of[f] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], n)
	}
	return groups
}

func (l *Link) highest() (n int) {
	for v := range l.Files {
		n = max(n, v)
	}
	return n
}

// VersionTally is a tally of views that all showed files which are Alike.
type VersionTally struct {
	Version int // one of theirs
	Tally   *Tally
}

// SetVersions makes the completion of a report that of each session of the file
// that it showed, and its insights with it. The tallies have the views of the
// report.
func (r *LinkReport) SetVersions(l *Link, tallies []VersionTally) {
	var c completion
	for _, t := range tallies {
		c.add(l.as(t.Version), orEmpty(t.Tally).sessions)
	}
	r.Totals.CompletionPct, r.completed = c.pct(), c.sessions
	r.Insights = insights(&r.Summary, &r.Content, r.completed)
}

// SetContent replaces the content card of a report, and its insights with it.
func (r *LinkReport) SetContent(c Content) {
	r.Content = c
	r.Insights = insights(&r.Summary, &r.Content, r.completed)
}

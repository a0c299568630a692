package report

import "vitrine/report/part"

// File is the file of one version of a link, as far as reports need it.
type File struct {
	Kind    string // as Link.Kind
	Content ContentKind
	Pages   int // of a pdf; 0 unknown
	Outline part.Outline
}

// withFile returns the link with the file that a view showed. If nothing is
// known of that file, sessions have no progress.
func (l *Link) withFile(version int) *Link {
	if len(l.Files) == 0 {
		return l
	}
	f, ok := l.Files[max(version, 1)]
	if !ok {
		f.Content = ContentNone
	}
	of := *l
	of.Kind, of.Content, of.Pages, of.Outline = f.Kind, f.Content, f.Pages, f.Outline
	return &of
}

// WithFile returns the link with the file of one of its versions.
func (l *Link) WithFile(version int) Link { return *l.withFile(version) }

// SetContent replaces the content card of a report, and its insights with it.
func (r *LinkReport) SetContent(c Content) {
	r.Content = c
	r.Insights = insights(&r.Summary, &r.Content, r.completed)
}

package analytics

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"

	"vitrine"
	"vitrine/internal/app/links"
	"vitrine/report"
)

// files returns the file of each version of a link. It omits versions whose
// file is unknown.
func (s *Service) files(ctx context.Context, l *vitrine.Link) (files map[int]report.File, err error) {
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		rows, err := links.VersionFiles(tx, l)
		files = make(map[int]report.File, len(rows))
		for n, row := range rows {
			files[n] = fileOf(row)
		}
		return err
	})
	return files, err
}

func fileOf(l *vitrine.Link) report.File {
	return report.File{Kind: string(l.Kind), Content: report.ContentOf(l.Kind), Pages: l.Pages, Outline: l.Outline}
}

// linkReport holds what the steps of one link report share.
type linkReport struct {
	*Service
	scope vitrine.Scope
	link  *report.Link
	q     Query
	w     report.Window
}

// addVersions completes the report of a link whose file may have been replaced.
// It sets the content card, which covers one version, with curves if requested.
func (s *Service) addVersions(ctx context.Context, l *vitrine.Link, of report.Link, q Query, w report.Window,
	cur *report.Tally, rep *report.LinkReport) (err error) {
	look := linkReport{s, vitrine.Scope{Account: l.Account, Link: l.ID}, &of, q, w}
	version := cmp.Or(q.Version, max(l.Version, 1))
	if n, err := strconv.Atoi(q.Filter.On(report.OnVersion).Only()); err == nil && q.Version == 0 {
		if _, ok := of.Files[n]; ok { // a filter by another one has no views, which is no error
			version = n
		}
	}
	if highest := max(l.Versions, l.Version, 1); version > highest {
		return wrong(paramVersion, "The link has versions up to %d.", highest)
	}
	if l.Versions > 1 {
		if _, ok := of.Files[version]; !ok {
			return wrong(paramVersion, "The link has no version %d.", version)
		}
		if q.LastRead && q.Version == 0 {
			version = look.lastRead(version, cur)
		}
		if cur, err = look.ofVersions(ctx, version); err != nil {
			return err
		}
		of = of.WithFile(version)
	} else if q.Curves && hasCurve(&of) {
		if cur, err = look.ofVersions(ctx); err != nil {
			return err
		}
	}
	content := report.ContentOfTally(&of, cur)
	if l.Versions > 1 {
		content.Version, content.OfVersion = version, &content.Sessions
	}
	if q.Curves {
		content.AddCurves(cur)
	}
	rep.SetContent(content)
	return nil
}

// hasCurve reports whether the content of a link has a curve, which is counted
// from single views.
func hasCurve(l *report.Link) bool {
	return l.Content == report.ContentMedia || l.Content == report.ContentScroll
}

// ofVersions tallies the views that showed one of the given versions, or all
// views if none is given. The result is nil if the filter excludes them.
func (l linkReport) ofVersions(ctx context.Context, versions ...int) (*report.Tally, error) {
	lens := report.Lens{Steps: l.w.Steps, Filter: l.q.Filter}
	asked := l.q.Filter.On(report.OnVersion)
	var values []string
	for _, n := range versions {
		if asked.Match(&report.View{Version: n}) {
			values = append(values, strconv.Itoa(n))
		}
	}
	of := *l.link
	switch {
	case len(values) > 0:
		lens.Filter = l.q.Filter.With(report.OnVersion, values...)
		of = l.link.WithFile(versions[0])
	case len(versions) > 0:
		return nil, nil // the filter leaves them out
	}
	lens.Single = l.q.Curves && hasCurve(&of)
	t, _, err := l.Log.Tally(ctx, vitrine.TallyQuery{Scope: l.scope, From: l.w.From, To: l.w.To, Cap: l.MaxViews,
		Lens: lens})
	return t, err
}

// lastRead returns the version itself if it has sessions in a tally of the
// link, or else the newest other one that has some; without any it is the
// version.
func (l linkReport) lastRead(version int, t *report.Tally) int {
	sessions := t.SessionsByVersion(l.link)
	if sessions[version] > 0 || len(sessions) == 0 {
		return version
	}
	return slices.Max(slices.Collect(maps.Keys(sessions)))
}

package analytics

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"

	"vitrine"
	"vitrine/report"
)

// files returns the file of each version of a link. It omits versions whose
// file is unknown.
func (s *Service) files(ctx context.Context, l *vitrine.Link) (files map[int]report.File, err error) {
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		files = map[int]report.File{l.Version: fileOf(l)}
		for n := 1; n <= l.Versions; n++ {
			if n == l.Version {
				continue
			}
			row, err := tx.Version(l.ID, n)
			if errors.Is(err, vitrine.ErrNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			files[n] = fileOf(row)
		}
		return nil
	})
	return files, err
}

func fileOf(l *vitrine.Link) report.File {
	return report.File{Kind: string(l.Kind), Content: vitrine.ContentKindOf(l.Kind), Pages: l.Pages}
}

// look holds what the steps of one link report share.
type look struct {
	*Service
	scope vitrine.Scope
	link  *report.Link
	q     Query
	w     report.Window
}

// addVersions completes the report of a link whose file may have been replaced.
// It measures the completion of each session by the file that it showed. It
// sets the content card, which covers one version, with curves if requested.
func (s *Service) addVersions(ctx context.Context, l *vitrine.Link, of report.Link, q Query, w report.Window,
	cur *report.Tally, rep *report.LinkReport) (err error) {
	look := look{s, vitrine.Scope{Account: l.Account, Link: l.ID}, &of, q, w}
	version := cmp.Or(q.Version, max(l.Version, 1))
	if n, err := strconv.Atoi(q.Filter.On(report.OnVersion).Only()); err == nil && q.Version == 0 {
		version = n
	}
	if highest := max(l.Versions, l.Version, 1); version > highest {
		return wrong(paramVersion, "The link has versions up to %d.", highest)
	}
	if l.Versions > 1 {
		if _, ok := of.Files[version]; !ok {
			return wrong(paramVersion, "The link has no version %d.", version)
		}
		if err := look.addCompletion(ctx, rep); err != nil {
			return err
		}
		if q.LastRead && q.Version == 0 {
			if version, err = look.lastRead(ctx, version); err != nil {
				return err
			}
		}
		if cur, err = look.ofVersions(ctx, version); err != nil {
			return err
		}
		of = of.As(version)
	} else if q.Curves && hasCurve(&of) {
		if cur, err = look.ofVersions(ctx); err != nil {
			return err
		}
	}
	content := report.ContentOfTally(&of, cur)
	if l.Versions > 1 {
		content.Version = version
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

// addCompletion measures the completion of each session by the file that it
// showed.
func (l look) addCompletion(ctx context.Context, rep *report.LinkReport) error {
	groups := l.link.Alike()
	if len(groups) == 1 {
		return nil // the sums of all sessions are right
	}
	var tallies []report.VersionTally
	l.q.Curves = false
	for _, group := range groups {
		t, err := l.ofVersions(ctx, group...)
		if err != nil {
			return err
		}
		tallies = append(tallies, report.VersionTally{Version: group[0], Tally: t})
	}
	rep.SetVersions(l.link, tallies)
	return nil
}

// ofVersions tallies the views that showed one of the given versions, or all
// views if none is given. The result is nil if the filter excludes them.
func (l look) ofVersions(ctx context.Context, versions ...int) (*report.Tally, error) {
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
		of = l.link.As(versions[0])
	case len(versions) > 0:
		return nil, nil // the filter leaves them out
	}
	lens.Single = l.q.Curves && hasCurve(&of)
	t, _, err := l.Log.Tally(ctx, vitrine.TallyQuery{Scope: l.scope, From: l.w.From, To: l.w.To, Cap: l.MaxViews,
		Lens: lens})
	return t, err
}

// mostLooked is the number of versions that lastRead searches for sessions.
const mostLooked = 20

// lastRead returns the version itself if it has sessions, or else the newest
// other one that has some; without any it is the version.
func (l look) lastRead(ctx context.Context, version int) (int, error) {
	others := slices.DeleteFunc(slices.Sorted(maps.Keys(l.link.Files)), func(n int) bool { return n == version })
	slices.Reverse(others)
	l.q.Curves = false
	for _, n := range append([]int{version}, others[:min(len(others), mostLooked)]...) {
		t, err := l.ofVersions(ctx, n)
		if err != nil {
			return 0, err
		}
		of := l.link.As(n)
		if c := report.ContentOfTally(&of, t); c.Sessions > 0 {
			return n, nil
		}
	}
	return version, nil
}

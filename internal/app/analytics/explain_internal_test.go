package analytics

import (
	"context"
	"encoding/json"

	"vitrine"
	"vitrine/report"
)

// Explainer explains many figures of one report, with views that are read once.
type Explainer struct {
	*made
	Report any
	log    readOnce
}

// Explainer returns the explainer of the report of a website, of a link, or of
// all links.
func (s *Service) Explainer(ctx context.Context, a *vitrine.Account, site *vitrine.Site, slug string,
	q Query) (*Explainer, error) {
	make := func() (*made, any, error) {
		if site != nil {
			m, err := s.makeWebsite(ctx, site, q)
			if err != nil {
				return nil, nil, err
			}
			return m, m.Account, nil
		}
		if slug == "" {
			m, err := s.makeAccount(ctx, a, q)
			if err != nil {
				return nil, nil, err
			}
			return m, m.Account, nil
		}
		m, err := s.makeLink(ctx, a, slug, q)
		if err != nil {
			return nil, nil, err
		}
		return m, m.Link, nil
	}
	m, rep, err := make()
	if err != nil {
		return nil, err
	}
	e := &Explainer{made: m, log: readOnce{Log: s.Log, read: map[[2]vitrine.ViewID]*readings{}}}
	e.Report, err = decoded(rep)
	return e, err
}

// Explain returns an explanation with all its visits.
func (e *Explainer) Explain(ctx context.Context, figure string) (*Explanation, error) {
	c, err := e.counting(e.Report, ExplainQuery{Figure: figure, N: 1 << 20})
	if err != nil {
		return nil, err
	}
	if err := c.read(ctx, e.log); err != nil {
		return nil, err
	}
	c.Visits, _ = c.page()
	return c.Explanation, nil
}

// Value returns the value at a pointer of the report.
func (e *Explainer) Value(pointer string) json.Number {
	v, _ := at(e.Report, pointer)
	n, _ := v.(json.Number)
	return n
}

// readOnce keeps what Each read.
type readOnce struct {
	Log
	read map[[2]vitrine.ViewID]*readings
}

type readings struct {
	downloads []vitrine.Download
	views     []report.View
}

func (l readOnce) Each(ctx context.Context, s vitrine.Scope, from, to vitrine.ViewID,
	download func(vitrine.Download) error, view func(*report.View) error) error {
	r := l.read[[2]vitrine.ViewID{from, to}]
	if r == nil {
		r = &readings{}
		l.read[[2]vitrine.ViewID{from, to}] = r
		err := l.Log.Each(ctx, s, from, to, func(d vitrine.Download) error {
			r.downloads = append(r.downloads, d)
			return nil
		}, func(o *report.View) error {
			v := *o
			if o.Session != nil {
				session := *o.Session
				session.Pages = append([]report.PageTime(nil), session.Pages...)
				v.Session = &session
			}
			r.views = append(r.views, v)
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, d := range r.downloads {
		if err := download(d); err != nil {
			return err
		}
	}
	for i := range r.views {
		if err := view(&r.views[i]); err != nil {
			return err
		}
	}
	return nil
}

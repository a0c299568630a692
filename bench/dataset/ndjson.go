package dataset

import (
	"encoding/json"
	"io"
	"strconv"
	"time"
)

// WriteLinks writes all links in the import's format.
func (p Params) WriteLinks(w io.Writer) error {
	e := json.NewEncoder(w)
	for account := range p.Accounts {
		for _, l := range p.LinksOf(account) {
			err := e.Encode(struct {
				Slug       string `json:"slug"`
				Title      string `json:"title"`
				Kind       string `json:"kind"`
				CreatedAt  string `json:"createdAt"`
				Account    string `json:"account"`
				PagesTotal int    `json:"pagesTotal,omitempty"`
			}{l.Slug, "Bench " + l.Slug, l.Kind, l.Created.Format(time.RFC3339), p.Account(account), l.Pages})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// WriteOpens writes all views in the import's format. w should be buffered.
func (p Params) WriteOpens(w io.Writer) error {
	var n ndjson
	return p.Each(func(o *Open) error {
		n.buf = n.line(n.buf[:0], o)
		_, err := w.Write(n.buf)
		return err
	})
}

// ndjson writes views as lines. Labels need no escaping.
type ndjson struct {
	buf  []byte
	day  int64
	date []byte // formatted day
}

func (n *ndjson) line(b []byte, o *Open) []byte {
	text := func(name, value string) {
		if value != "" {
			b = append(append(append(append(append(b, `,"`...), name...), `":"`...), value...), '"')
		}
	}
	number := func(name string, value int64) {
		b = strconv.AppendInt(append(append(append(b, `,"`...), name...), `":`...), value, 10)
	}
	b = append(append(append(b, `{"slug":"`...), o.Link.Slug...), '"')
	b = n.time(append(b, `,"at":"`...), o.At)
	b = strconv.AppendUint(append(b, `","viewer":"v`...), o.Viewer, 36)
	b = append(b, '"')
	text("country", Countries[o.Country])
	text("city", Cities[o.City])
	text("referrer", Referrers[o.Referrer])
	text("source", Sources[o.Source])
	text("device", Devices[o.Device])
	text("browser", Browsers[o.Browser])
	text("os", Systems[o.OS])
	for _, f := range [...]struct {
		name string
		set  bool
	}{{`,"bot":true`, o.Bot}, {`,"qr":true`, o.QR}, {`,"returning":true`, o.Returning}} {
		if f.set {
			b = append(b, f.name...)
		}
	}
	if !o.Session {
		return append(b, "}\n"...)
	}
	b = strconv.AppendInt(append(b, `,"session":{"engagedMs":`...), o.EngagedMs, 10)
	number("presentMs", o.PresentMs)
	text("screen", Screens[o.Screen])
	if o.Downloaded {
		b = append(b, `,"downloaded":true`...)
	}
	switch o.Link.Content() {
	case "pages":
		b = append(b, `,"pages":[`...)
		for i, p := range o.Pages {
			if i > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(append(b, `{"page":`...), int64(p.Page), 10)
			b = append(strconv.AppendInt(append(b, `,"ms":`...), p.Ms, 10), '}')
		}
		b = append(b, ']')
	case "media":
		number("playedPct", int64(o.PlayedPct))
		number("reachedPct", int64(o.ReachedPct))
	case "scroll":
		number("scrollPct", int64(o.DepthPct))
	}
	return append(b, "}}\n"...)
}

// time appends a time such as 2026-05-04T12:00:00.000Z. It formats the date
// once per day.
func (n *ndjson) time(b []byte, at int64) []byte {
	day := at / dayMs
	if n.date == nil || day != n.day {
		n.day, n.date = day, time.UnixMilli(at).UTC().AppendFormat(n.date[:0], "2006-01-02T")
	}
	b = append(b, n.date...)
	ms := at % dayMs
	digits := func(v int64, width int) {
		for scale := [...]int64{1, 10, 100}[width-1]; scale > 0; scale /= 10 {
			b = append(b, byte('0'+v/scale%10))
		}
	}
	digits(ms/hourMs, 2)
	b = append(b, ':')
	digits(ms/60_000%60, 2)
	b = append(b, ':')
	digits(ms/1000%60, 2)
	b = append(b, '.')
	digits(ms%1000, 3)
	return append(b, 'Z')
}

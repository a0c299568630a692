package httpx

import (
	"net/http"
	"time"

	"vitrine"
	"vitrine/internal/visitor"
	"vitrine/report"
)

// Speculative reports whether a browser asks ahead of its reader.
func Speculative(r *http.Request) bool {
	h := r.Header
	return visitor.Speculative(h.Get("Sec-Purpose"), h.Get("Purpose"), h.Get("X-Purpose"), h.Get("X-Moz"))
}

// PageLoad returns what a page request reveals about its sender. A referrer
// from ownHost is ignored.
func (s *Server) PageLoad(r *http.Request, a *vitrine.Account, ownHost string, now time.Time) report.View {
	addr := s.ClientAddr(r)
	h := r.Header
	country, city := s.Cities.Place(addr)
	v := visitor.Classify(visitor.Request{
		UserAgent: r.UserAgent(), Referrer: r.Referer(), Addr: addr, Query: r.URL.Query(), OwnHost: ownHost,
		Country: country, City: city,
		SecCHUA:    h.Get("Sec-CH-UA"),
		SecPurpose: h.Get("Sec-Purpose"), Purpose: h.Get("Purpose"), XPurpose: h.Get("X-Purpose"), XMoz: h.Get("X-Moz"),
		SecFetchDest: h.Get("Sec-Fetch-Dest"),
	})
	key := a.ViewerKey
	if h.Get("Sec-GPC") == "1" {
		key = visitor.DayKey(key, now.UTC().Format(time.DateOnly)) // counted today, unknown tomorrow
	}
	return report.View{
		Viewer:  visitor.ViewerID(key, addr, r.UserAgent()),
		Country: v.Country, City: v.City, Referrer: v.Referrer, Source: v.Source, Device: v.Device, Browser: v.Browser,
		OS:       v.OS,
		Campaign: v.Campaign, Medium: v.Medium, Content: v.Content, Term: v.Term, Bot: v.Bot, Product: v.Product,
		QR: v.QR,
	}
}

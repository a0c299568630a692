package public

import (
	"encoding/json"
	"mime"
	"net/http"
	"strconv"

	"vitrine"
	"vitrine/internal/visitor"
	"vitrine/internal/web/httpx"
	"vitrine/report"

	"github.com/go-json-experiment/json/jsontext"
)

// maxBeacon bounds the body of a beacon (engagement, The page's tracker). The
// number of beacons is not bounded: each costs little, and stored data does not
// grow with it (docs/reference/beacon.md).
const maxBeacon = 4 << 10

// Beacon stores a snapshot of how a page is being read. It checks the signature
// before it reads the body. It does not look up the link: snapshots of a page
// that is already open count after its link expires (engagement, The server).
func (s *Handler) Beacon(w http.ResponseWriter, r *http.Request) error {
	now := s.Now()
	v, err := s.Signer.ParseViewToken(r.URL.Query().Get("v"), now)
	if err != nil {
		return err
	}
	o, err := readBeacon(w, r)
	if err != nil {
		return err
	}
	claim, err := parseClaim(o)
	if err != nil {
		return err
	}
	if r.Header.Get("Sec-GPC") == "1" {
		claim.Clicks = nil
	}
	screen := ""
	if claim.Width > 0 {
		screen = visitor.ScreenRange(claim.Width)
	}
	snapshot := claim.Snapshot(v, screen, now)
	if v.Link != 0 { // of a view that is stored
		if err := s.Views.Snapshot(r.Context(), &snapshot); err != nil {
			return err
		}
		if err := s.prove(r, v.Recipient, &snapshot); err != nil {
			return err
		}
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// readBeacon reads a beacon's body. A page sends its last one as text/plain,
// which needs no preflight.
func readBeacon(w http.ResponseWriter, r *http.Request) (httpx.Object, error) {
	t, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || t != "text/plain" && t != "application/json" {
		return nil, httpx.InvalidJSON("Send the body as text/plain or application/json.")
	}
	return httpx.ReadBounded(w, r, maxBeacon)
}

// partsOf returns the hundredths of a medium from ranges: the first one of
// each, and the one after its last.
func partsOf(ranges map[int]int64) (p report.Parts) {
	for from, to := range ranges {
		p.AddRange(from, int(min(to, report.PartCount)))
	}
	return p
}

// maxBand bounds a time on a quarter of a page, so that sums do not overflow.
const maxBand = 1_000_000_000_000

// pagesOf returns the times on pages, with those of their quarters. What is not
// a list of four numbers by the number of one of the pages is ignored.
func pagesOf(times map[int]int64, bands jsontext.Value) map[int]report.PageTime {
	var lists map[string]json.RawMessage
	if json.Unmarshal(bands, &lists) != nil {
		lists = nil
	}
	pages := make(map[int]report.PageTime, len(times))
	for page, ms := range times {
		p := report.PageTime{Ms: ms}
		var four []float64
		if json.Unmarshal(lists[strconv.Itoa(page)], &four) == nil && len(four) == len(p.Bands) {
			for i, ms := range four {
				p.Bands[i] = int64(min(max(ms, -maxBand), maxBand))
			}
		}
		pages[page] = p
	}
	return pages
}

// parseClaim parses a beacon. Unknown fields are ignored; known ones must have
// their type.
func parseClaim(o httpx.Object) (vitrine.Claim, error) {
	f := httpx.Fields{Object: o}
	c := vitrine.Claim{
		Engaged:    f.Amount("engaged"),
		Present:    f.Amount("present"),
		Width:      int(f.Amount("width")),
		Pages:      pagesOf(f.Amounts("pages"), o["bands"]),
		Duration:   f.Amount("duration"),
		Played:     f.Amount("played"),
		Reached:    f.Amount("reached"),
		Parts:      partsOf(f.Amounts("parts")),
		Depth:      f.Amount("depth"),
		Clicks:     f.Counts("clicks"),
		Downloaded: f.Flag("downloaded"),
		Automation: f.Flag("automation"),
	}
	return c, f.Err
}

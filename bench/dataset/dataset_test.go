package dataset

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"io"
	"testing"
	"time"
)

var last = time.Date(2026, 3, 10, 0, 0, 0, 0, time.UTC)

func small() Params {
	return Params{Name: "t", Accounts: 2, Opens: 50_000, Links: 40, Days: 120, Last: last, Seed: 1}
}

func TestEqualParamsEqualOpens(t *testing.T) {
	sum := func(p Params) [32]byte {
		h := sha256.New()
		if err := p.WriteOpens(h); err != nil {
			t.Fatal(err)
		}
		return [32]byte(h.Sum(nil))
	}
	p, other := small(), small()
	other.Seed = 2
	if sum(p) != sum(p) {
		t.Error("the same parameters generate other views")
	}
	if sum(p) == sum(other) {
		t.Error("another seed generates the same views")
	}
}

func TestEach(t *testing.T) {
	p := small()
	p.Until = last.AddDate(0, 0, 3).Add(9 * time.Hour)
	var n, bots, people, sessions, account, running int
	before, kinds, viewers, days := int64(0), map[string]int{}, map[uint64]int{}, map[int64]int{}
	err := p.Each(func(o *Open) error {
		if o.Link.Account != account {
			account, before = o.Link.Account, 0
		}
		if o.At < before || o.At < o.Link.Created.UnixMilli() && o.Link.Number%p.Links > 1 ||
			o.At >= p.Until.UnixMilli() {
			t.Fatalf("view %d is at %d, after one at %d, of a link from %v", n, o.At, before, o.Link.Created)
		}
		for i, page := range o.Pages {
			if page.Page < 1 || page.Page > o.Link.Pages || i > 0 && page.Page <= o.Pages[i-1].Page || page.Ms < 0 {
				t.Fatalf("pages = %v of %d", o.Pages, o.Link.Pages)
			}
		}
		before = o.At
		n++
		kinds[o.Link.Kind]++
		viewers[o.Viewer]++
		days[o.At/dayMs]++
		if o.At >= p.Until.Truncate(24*time.Hour).UnixMilli() {
			running++
		}
		switch {
		case o.Bot:
			bots++
		default:
			people++
			if o.Session {
				sessions++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	share := func(name string, n, of int, from, to float64) {
		if s := float64(n) / float64(of); s < from || s > to {
			t.Errorf("%s: %.3f, want %.2f to %.2f", name, s, from, to)
		}
	}
	if n != p.Total() || len(kinds) != 8 || len(days) != p.Days+1 || running == 0 {
		t.Errorf("%d views, kinds %v, %d days, %d views today", n, kinds, len(days), running)
	}
	share("bots", bots, n, 0.04, 0.06)
	share("sessions", sessions, people, 0.63, 0.80)
	share("opens a viewer", n, len(viewers), 3.5, 4.5)
}

func TestLinesAreJSON(t *testing.T) {
	p := small()
	p.Accounts, p.Opens = 1, 2000
	var b bytes.Buffer
	if err := p.WriteOpens(&b); err != nil {
		t.Fatal(err)
	}
	d, n := json.NewDecoder(&b), 0
	for ; d.More(); n++ {
		var line struct {
			At      time.Time
			Session *struct{ EngagedMs *int64 }
		}
		if err := d.Decode(&line); err != nil || line.At.Before(p.From()) || line.Session != nil &&
			line.Session.EngagedMs == nil {
			t.Fatalf("line %d: %+v %v", n, line, err)
		}
	}
	if n != 2000 {
		t.Errorf("%d lines, want 2000", n)
	}
}

func BenchmarkWriteOpens(b *testing.B) {
	p := small()
	for b.Loop() {
		if err := p.WriteOpens(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*p.Total()), "ns/open")
}

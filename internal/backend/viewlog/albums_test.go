package viewlog

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/test/sqltest"
	"vitrine/internal/test/tier"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// TestAlbumsCostTheirViews checks that the numbers of an album read none of the
// segments in which no view was opened from an album, which are damaged here,
// that they are those of a fold, and that the audit finds a wrong mark.
func TestAlbumsCostTheirViews(t *testing.T) {
	for name, place := range map[string]string{"SQLite": sqltest.NewPlace(t), "PostgreSQL": ""} {
		t.Run(name, func(t *testing.T) {
			if place == "" {
				tier.Need(t, tier.Test, "PostgreSQL")
				place = vitrinetest.PostgresDatabase(t)
			}
			l, err := Open(place)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			const album = 7
			first, want, downloads := report.DayOf(vitrinetest.Epoch.UnixMilli()), map[int64]int64{}, int64(0)
			var b vitrine.Batch
			for i := range 600 {
				id := vitrine.ViewIDAt((first+report.Day(i/10)).StartMs()+int64(i)*1000, 0)
				v := vitrine.ViewRecord{Account: 1, View: report.View{ID: int64(id), At: id.Ms(), Link: int64(1 + i%5), Viewer: uint64(i)}}
				if i%40 == 3 || i >= 590 && i%2 == 0 { // of link 4, and of all links on the last day
					v.Album = album + int64(i/20%2)
				}
				if v.Album == album {
					want[v.Link]++
				}
				b.Views = append(b.Views, v)
				if i%3 == 0 {
					b.Downloads = append(b.Downloads, vitrine.Download{ID: id + 1, Link: vitrine.LinkID(v.Link), View: id, Account: 1})
					if v.Album == album {
						downloads++
					}
				}
			}
			if _, err := l.Append(t.Context(), b); err != nil {
				t.Fatal(err)
			}
			if err := l.RollUp(t.Context(), first+59); err != nil { // the last day stays in single rows
				t.Fatal(err)
			}
			vitrinetest.Equal(t, "faults", faults(t, l), nil)
			tamper(t, l, "UPDATE segments SET albums = NOT albums WHERE link = 2")
			if got := fmt.Sprint(faults(t, l)); !strings.Contains(got, "is marked wrongly") {
				t.Errorf("faults of a wrong mark: %s", got)
			}
			tamper(t, l, "UPDATE segments SET albums = NOT albums WHERE link = 2")
			q := vitrine.TallyQuery{Scope: vitrine.Scope{Account: 1}, From: first, To: first + 60}
			for _, limit := range []int{1000, 0} {
				if limit == 0 { // only the views from albums are read
					tamper(t, l, "UPDATE segments SET data = $1 WHERE NOT albums", []byte{1})
				}
				q.Cap, q.Filter = limit, report.Filter{{Dimension: report.OnAlbum, Value: fmt.Sprint(album)}}
				tally, _, err := l.Tally(t.Context(), q)
				if err != nil {
					t.Fatalf("limit %d: %v", limit, err)
				}
				got := map[int64]int64{}
				for _, link := range tally.Links() {
					if n := tally.LinkViews(link); n > 0 {
						got[link] = n
					}
				}
				vitrinetest.Equal(t, "views from the album", got, want)
				vitrinetest.Equal(t, "downloads from the album", tally.Downloads(), downloads)
			}
			q.Filter = report.Filter{{Dimension: report.OnAlbum, Value: fmt.Sprint(album), Not: true}}
			if _, _, err := l.Tally(t.Context(), q); !errors.Is(err, vitrine.ErrDamaged) {
				t.Errorf("views that are not from the album: %v, want damage", err)
			}
		})
	}
}

package storageowner_test

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/audit"
	"vitrine/internal/auth"
	"vitrine/internal/disk"
	"vitrine/internal/publish"
	"vitrine/internal/s3"
	"vitrine/internal/signer"
	"vitrine/internal/sqlstore"
	"vitrine/internal/storageowner"
	"vitrine/internal/viewdb"
	"vitrine/internal/vitrinetest"
	"vitrine/internal/vitrinetest/fault"
	"vitrine/internal/vitrinetest/fixture"
)

// places are what Place is tried with: an embedded database and a directory,
// and PostgreSQL and a bucket.
var places = []struct {
	name  string
	store func(t *testing.T) string                                                 // address of an empty database
	files func(t *testing.T, now func() time.Time) func(t *testing.T) vitrine.Blobs // opens one place, again and again
}{
	{"embedded", func(t *testing.T) string { return filepath.Join(fixture.Databases(t), "store.db") },
		func(t *testing.T, now func() time.Time) func(*testing.T) vitrine.Blobs {
			dir := t.TempDir()
			return func(t *testing.T) vitrine.Blobs {
				b, err := disk.New(dir, "http://127.0.0.1/storage/", signer.New([]byte("k")), now)
				if err != nil {
					t.Fatal(err)
				}
				return b
			}
		}},
	{"outgrown", func(t *testing.T) string { return vitrinetest.PostgresDatabase(t) },
		func(t *testing.T, now func() time.Time) func(*testing.T) vitrine.Blobs {
			server := vitrinetest.S3(t)
			address := server.Address(server.Bucket(t), "")
			return func(t *testing.T) vitrine.Blobs {
				b, err := s3.Open(t.Context(), address, now)
				if err != nil {
					t.Fatal(err)
				}
				return b
			}
		}},
}

// everywhere runs a test with each of the places.
func everywhere(t *testing.T, test func(p *placing)) {
	for _, place := range places {
		t.Run(place.name, func(t *testing.T) {
			clock := vitrinetest.NewClock(time.Now()) // a bucket has a clock of its own
			test(&placing{T: t, clock: clock, slow: place.name == "outgrown", store: place.store,
				files: place.files(t, clock.Now)})
		})
	}
}

// placing is a place of files.
type placing struct {
	*testing.T
	clock *vitrinetest.Clock
	slow  bool // each step takes its time
	store func(t *testing.T) string
	files func(t *testing.T) vitrine.Blobs
}

func (p *placing) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

// placed is a database that uses the storage, and a process on it.
type placed struct {
	*placing
	address string
	db      *sqlstore.Store
	log     *viewdb.ViewLog
	blobs   vitrine.Blobs
	account *vitrine.Account
	uploads *publish.Uploads
	foreign int // how often it was told that the place is another's
}

// open returns a process on a database.
func (p *placing) open(address string) *placed {
	p.Helper()
	d := &placed{placing: p, address: address, blobs: p.files(p.T)}
	var err1, err2 error
	d.db, err1 = sqlstore.Open(address)
	d.log, err2 = viewdb.Open(filepath.Join(fixture.Databases(p.T), "views.db"))
	p.must(errors.Join(err1, err2))
	p.Cleanup(func() { _, _ = d.db.Close(), d.log.Close() })
	d.restart()
	return d
}

// living returns a new database, with an account.
func (p *placing) living() *placed {
	p.Helper()
	d := p.open(p.store(p.T))
	a, _, err := (&auth.Accounts{Store: d.db, Now: p.clock.Now}).Create(p.Context(), "ann@example.org",
		vitrine.PlanLifetime)
	p.must(err)
	d.account = a
	return d
}

// copy returns a copy of the database as it is at the moment, and a process on
// it.
func (d *placed) copy() *placed {
	d.Helper()
	c := d.open(d.store(d.T))
	d.must(d.db.CopyTo(d.Context(), c.db, func(string, int64, int64) {}))
	c.account = d.account
	return c
}

// restart replaces the process with a new one.
func (d *placed) restart() {
	d.foreign = 0
	d.uploads = &publish.Uploads{Store: d.db, Blobs: d.blobs,
		Scanner: &fixture.Scanner{Known: "1", Verdict: fixture.Clean}, Plans: vitrine.DefaultPlans(), Now: d.clock.Now,
		Foreign: func(err error) {
			if d.foreign++; !errors.Is(err, storageowner.ErrOther) {
				d.Errorf("what is said of the place: %v", err)
			}
		}}
}

// begin puts the bytes of a file that nobody has completed.
func (d *placed) begin() vitrine.UploadID {
	d.Helper()
	const text = "Nothing of this may be lost.\n"
	b, err := d.uploads.Create(d.Context(), d.account,
		publish.UploadRequest{Name: "note.txt", Type: "text/plain", Size: int64(len(text))})
	d.must(err)
	if r, ok := d.blobs.(vitrine.Receiver); ok {
		g := vitrine.PutGrant{Key: b.Path, Size: int64(len(text)), Type: "text/plain",
			Expires: d.clock.Now().Add(time.Minute)}
		_, err := r.Receive(d.Context(), g, strings.NewReader(text))
		d.must(err)
		return b.Path
	}
	req, err := http.NewRequestWithContext(d.Context(), http.MethodPut, b.SignedURL, strings.NewReader(text))
	d.must(err)
	req.Header.Set("Content-Type", "text/plain")
	res, err := http.DefaultClient.Do(req)
	d.must(err)
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		d.Fatal(res.Status)
	}
	return b.Path
}

// upload makes a link.
func (d *placed) upload() *vitrine.Link {
	d.Helper()
	id := d.begin()
	l, err := d.uploads.Complete(d.Context(), d.account,
		publish.CompleteRequest{Path: string(id), Name: "note.txt", Type: "text/plain"})
	d.must(err)
	return l
}

func (d *placed) place() storageowner.Owner {
	return storageowner.Owner{Store: d.db, Blobs: d.blobs}
}

// sweep does what the server does regularly, and reports whether the storage
// belonged to the database.
func (d *placed) sweep() bool {
	d.Helper()
	before := d.foreign
	d.must(d.uploads.Sweep(d.Context()))
	return d.foreign == before
}

// there reports whether storage has bytes.
func (d *placed) there(id vitrine.UploadID) bool {
	d.Helper()
	_, err := d.blobs.Stat(d.Context(), id)
	if err != nil && !errors.Is(err, vitrine.ErrNotFound) {
		d.Fatal(err)
	}
	return err == nil
}

// audit fails the test for whatever is wrong at rest.
func (d *placed) audit() {
	d.Helper()
	a := audit.Checker{Store: d.db, Blobs: d.blobs, Log: d.log, Now: d.clock.Now, Deep: true}
	d.must(a.Run(d.Context(), func(fault string) { d.Error("audit:", fault) }))
}

// hours advances the clock by n hours. In each hour, all look once, in order.
// If looking takes long, most of many hours pass without a look. It returns how
// often each has looked.
func (p *placing) hours(n int, all ...*placed) (looks int) {
	p.Helper()
	for i := 0; i < n; i++ {
		p.clock.Advance(time.Hour)
		if p.slow && i == 2 && n > 5 {
			p.clock.Advance(time.Duration(n-5) * time.Hour)
			i += n - 5
		}
		for _, d := range all {
			d.sweep()
		}
		looks++
	}
	return looks
}

// own fails the test unless the place is, or is not, the database's.
func (d *placed) own(when string, want bool) {
	d.Helper()
	err := d.place().Verify(d.Context())
	if (err == nil) != want || err != nil && !errors.Is(err, storageowner.ErrOther) {
		d.Errorf("%s, the place is this database's: %v, want %v", when, err, want)
	}
}

// A process on a copy of the database runs beside the living one, in whatever
// order the two look: nothing is removed that is published at either, both are
// told, and once the copy is gone and the place is claimed, it is swept as
// before.
func TestPlaceCopy(t *testing.T) {
	everywhere(t, func(p *placing) {
		for _, first := range []string{"copy", "living", "while a mark is being put"} {
			if first != "copy" && p.slow {
				continue
			}
			p.Run(first, func(t *testing.T) {
				p := &placing{t, p.clock, p.slow, p.store, p.files}
				living := p.living()
				living.must(living.place().Claim(t.Context())) // the one of the test before is gone
				old := living.upload()
				p.hours(3, living)
				late := living.begin()
				if first == "while a mark is being put" {
					f := fault.Injector{N: 1}
					if err := (storageowner.Owner{Store: living.db,
						Blobs: f.Blobs(living.blobs)}).Rotate(t.Context()); !f.Hit() || err == nil {
						t.Fatalf("Keep: %v", err)
					}
				}
				copied := living.copy()
				l, err := living.uploads.Complete(t.Context(), living.account,
					publish.CompleteRequest{Path: string(late), Name: "note.txt", Type: "text/plain"})
				p.must(err)
				lost := living.upload()
				turns := []*placed{living, copied}
				if first != "living" {
					turns = []*placed{copied, living}
					copied.sweep()
				}
				p.hours(28, turns...)
				if living.foreign == 0 || copied.foreign == 0 {
					t.Errorf("the living one is told %d times, the copy %d times", living.foreign, copied.foreign)
				}
				for _, id := range []vitrine.UploadID{old.Upload, l.Upload, lost.Upload} {
					if !living.there(id) {
						t.Errorf("bytes are gone")
					}
				}
				living.audit()
				p.must(living.place().Claim(t.Context()))
				living.own("claimed", true)
				gone := living.begin()
				living.foreign = 0
				p.hours(27, living)
				if living.foreign > 0 || living.there(gone) {
					t.Errorf("an upload that has expired is there: %v; told %d times", living.there(gone),
						living.foreign)
				}
				living.audit()
			})
		}
	})
}

// A place that is empty, as a volume is that was not mounted, is not taken for
// the database's, and when the right one is there again it is as before.
func TestPlaceBare(t *testing.T) {
	for _, place := range places {
		t.Run(place.name, func(t *testing.T) {
			clock := vitrinetest.NewClock(time.Now())
			p := &placing{T: t, clock: clock, slow: place.name == "outgrown", store: place.store,
				files: place.files(t, clock.Now)}
			d := p.living()
			p.hours(1, d) // an empty place of an empty database
			old := d.upload()
			p.hours(1, d)
			gone := d.begin()
			mounted := d.blobs
			d.blobs = place.files(t, clock.Now)(t)
			d.restart()
			if looks := p.hours(28, d); d.foreign != looks {
				t.Errorf("it is told %d of %d times", d.foreign, looks)
			}
			d.own("not mounted", false)
			if mark, err := d.blobs.Marker(t.Context()); err != nil || mark != "" {
				t.Errorf("the place got the mark %q, %v", mark, err)
			}
			d.blobs = mounted
			d.restart()
			if !d.there(gone) {
				t.Error("bytes were removed")
			}
			p.hours(28, d)
			if d.foreign > 0 || d.there(gone) || !d.there(old.Upload) {
				t.Errorf("told %d times; an upload that has expired is there: %v; a file is there: %v", d.foreign,
					d.there(gone), d.there(old.Upload))
			}
			d.audit()
			// A restored directory has no mark, and its files.
			p.must(d.blobs.PutMarker(t.Context(), ""))
			d.own("restored", true)
			p.hours(1, d)
			d.own("restored, an hour later", true)
		})
	}
}

// A database that was restored to an earlier moment removes nothing of the
// later state, until the place is claimed.
func TestPlaceOlderState(t *testing.T) {
	everywhere(t, func(p *placing) {
		later := p.living()
		kept := later.upload()
		later.sweep()
		begun := later.begin() // completed in what is lost
		older := later.copy()
		l, err := later.uploads.Complete(t.Context(), later.account,
			publish.CompleteRequest{Path: string(begun), Name: "note.txt", Type: "text/plain"})
		p.must(err)
		p.hours(2, later)
		lost := later.upload()
		later.audit()
		if looks := p.hours(28, older); older.foreign != looks {
			t.Errorf("it is told %d of %d times", older.foreign, looks)
		}
		for _, id := range []vitrine.UploadID{kept.Upload, l.Upload, lost.Upload} {
			if !later.there(id) {
				t.Error("bytes of the later state are gone")
			}
		}
		later.audit()
		older.own("restored", false)
		if n, bytes, err := older.place().CountUnowned(t.Context()); err != nil || n != 1 || bytes != lost.Size {
			t.Errorf("%d files, %d bytes, %v are strange", n, bytes, err)
		}
		p.must(older.place().Claim(t.Context()))
		older.restart()
		p.hours(1, older)
		if !older.there(lost.Upload) {
			t.Error("what nobody owns is removed at the first look")
		}
		p.hours(2, older)
		if older.there(lost.Upload) || older.there(begun) || older.foreign > 0 {
			t.Error("what nobody owns is not removed once the place is claimed")
		}
		if !older.there(kept.Upload) {
			t.Error("bytes of the restored state are gone")
		}
		older.audit()
	})
}

// A new database that is given another's place removes nothing there; and an
// instance that never marked its place takes it.
func TestPlaceForeign(t *testing.T) {
	everywhere(t, func(p *placing) {
		owner := p.living()
		l := owner.upload()
		if owner.own("never marked", true); !owner.sweep() {
			t.Error("a place without a mark is not taken")
		}
		stranger := p.living()
		stranger.own("of a stranger", false)
		if looks := p.hours(28, stranger); stranger.foreign != looks || !owner.there(l.Upload) {
			t.Errorf("the stranger is told %d times; the bytes are there: %v", stranger.foreign, owner.there(l.Upload))
		}
		owner.audit()
		if owner.sweep() {
			t.Error("its owner is not told that another has been there")
		}
		p.must(owner.place().Claim(t.Context()))
		p.hours(3, owner)
		owner.own("claimed", true)
		owner.audit()
	})
}

// Keep and Claim fail at each of their steps, before it and after it: the place
// stays the database's, or the claim is made again.
func TestPlaceFaults(t *testing.T) {
	everywhere(t, func(p *placing) {
		if p.slow {
			return // the steps are the same
		}
		d := p.living()
		l := d.upload()
		for what, do := range map[string]func(storageowner.Owner) error{
			"Keep":  func(p storageowner.Owner) error { return p.Rotate(context.Background()) },
			"Claim": func(p storageowner.Owner) error { return p.Claim(context.Background()) },
		} {
			for _, after := range []bool{false, true} {
				for n := int64(1); ; n++ {
					if what == "Claim" {
						p.must(d.blobs.PutMarker(t.Context(), "ANOTHER"))
					}
					f := &fault.Injector{N: n, After: after}
					err := do(storageowner.Owner{Store: f.Store(d.db), Blobs: f.Blobs(d.blobs)})
					if !f.Hit() {
						if err != nil || n < 8 {
							t.Errorf("%s of %d operations: %v", what, n-1, err)
						}
						break
					}
					if err == nil {
						t.Errorf("%s, operation %d: no error", what, n)
					}
					if what == "Claim" && d.place().Verify(t.Context()) != nil {
						p.must(d.place().Claim(t.Context()))
					}
					d.own(what+" failed", true)
					p.must(d.place().Rotate(t.Context()))
				}
			}
		}
		p.hours(28, d)
		if d.foreign > 0 || !d.there(l.Upload) {
			t.Errorf("told %d times; the bytes are there: %v", d.foreign, d.there(l.Upload))
		}
		d.audit()
	})
}

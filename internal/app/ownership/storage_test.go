package ownership_test

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/audit"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/ownership"
	"vitrine/internal/app/publish"
	"vitrine/internal/backend/disk"
	"vitrine/internal/backend/s3"
	"vitrine/internal/backend/sqlstore"
	"vitrine/internal/backend/viewlog"
	"vitrine/internal/base/signer"
	"vitrine/internal/test/fixture"
	"vitrine/internal/test/vitrinetest"
)

// backends are the pairs of backends for the tests: an embedded database with a
// directory, and PostgreSQL with a bucket.
var backends = []struct {
	name  string
	store func(t *testing.T) string                                                 // address of an empty database
	files func(t *testing.T, now func() time.Time) func(t *testing.T) vitrine.Blobs // opens the same storage repeatedly
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

// everywhere runs a test with each pair of backends.
func everywhere(t *testing.T, test func(p *storage)) {
	for _, place := range backends {
		t.Run(place.name, func(t *testing.T) {
			clock := vitrinetest.NewClock(time.Now()) // a bucket has its own clock
			test(&storage{T: t, clock: clock, slow: place.name == "outgrown", store: place.store,
				files: place.files(t, clock.Now)})
		})
	}
}

// storage is the storage under test.
type storage struct {
	*testing.T
	clock *vitrinetest.Clock
	slow  bool // each step is slow
	store func(t *testing.T) string
	files func(t *testing.T) vitrine.Blobs
}

func (p *storage) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

// user is a database that uses the storage, and a process on it.
type user struct {
	*storage
	address string
	db      *sqlstore.Store
	log     *viewlog.ViewLog
	blobs   vitrine.Blobs
	account *vitrine.Account
	uploads *publish.Uploads
	foreign int // number of warnings that the storage belongs to another database
}

// open returns a process on a database.
func (p *storage) open(address string) *user {
	p.Helper()
	d := &user{storage: p, address: address, blobs: p.files(p.T)}
	var err1, err2 error
	d.db, err1 = sqlstore.Open(address)
	d.log, err2 = viewlog.Open(filepath.Join(fixture.Databases(p.T), "views.db"))
	p.must(errors.Join(err1, err2))
	p.Cleanup(func() { _, _ = d.db.Close(), d.log.Close() })
	d.restart()
	return d
}

// newUser returns a new database with an account.
func (p *storage) newUser() *user {
	p.Helper()
	d := p.open(p.store(p.T))
	a, _, err := (&auth.Accounts{Store: d.db, Now: p.clock.Now}).Create(p.Context(), "ann@example.org",
		vitrine.PlanLifetime)
	p.must(err)
	d.account = a
	return d
}

// copy returns a copy of the database, and a process on it.
func (d *user) copy() *user {
	d.Helper()
	c := d.open(d.store(d.T))
	d.must(d.db.CopyTo(d.Context(), c.db, func(string, int64, int64) {}))
	c.account = d.account
	return c
}

// restart replaces the process with a new one.
func (d *user) restart() {
	d.foreign = 0
	d.uploads = &publish.Uploads{Store: d.db, Blobs: d.blobs,
		Scanner: &fixture.Scanner{Known: "1", Verdict: fixture.Clean}, Plans: vitrine.DefaultPlans(), Now: d.clock.Now,
		Foreign: func(err error) {
			if d.foreign++; !errors.Is(err, ownership.ErrOtherStorage) {
				d.Errorf("warning about the storage = %v, want ErrOtherStorage", err)
			}
		}}
}

// begin stores the bytes of an upload that is not completed.
func (d *user) begin() vitrine.UploadID {
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

// upload creates a link.
func (d *user) upload() *vitrine.Link {
	d.Helper()
	id := d.begin()
	l, err := d.uploads.Complete(d.Context(), d.account,
		publish.CompleteRequest{Path: string(id), Name: "note.txt", Type: "text/plain"})
	d.must(err)
	return l
}

func (d *user) place() ownership.Storage {
	return ownership.Storage{Store: d.db, Blobs: d.blobs}
}

// sweep does the server's regular work, and reports whether the storage belongs
// to the database.
func (d *user) sweep() bool {
	d.Helper()
	before := d.foreign
	d.must(d.uploads.Sweep(d.Context()))
	return d.foreign == before
}

// hasBytes reports whether the storage has the bytes.
func (d *user) hasBytes(id vitrine.UploadID) bool {
	d.Helper()
	_, err := d.blobs.Stat(d.Context(), id)
	if err != nil && !errors.Is(err, vitrine.ErrNotFound) {
		d.Fatal(err)
	}
	return err == nil
}

// audit fails the test for every fault that the audit finds.
func (d *user) audit() {
	d.Helper()
	a := audit.Checker{Store: d.db, Blobs: d.blobs, Log: d.log, Now: d.clock.Now, Deep: true}
	d.must(a.Run(d.Context(), func(fault string) { d.Error("audit:", fault) }))
}

// hours advances the clock by n hours. In each hour, all sweep once, in order.
// If sweeping is slow, most of many hours pass without it. It returns how often
// each has swept.
func (p *storage) hours(n int, all ...*user) (looks int) {
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

// own checks whether the storage belongs to the database.
func (d *user) own(when string, want bool) {
	d.Helper()
	err := d.place().Verify(d.Context())
	if (err == nil) != want || err != nil && !errors.Is(err, ownership.ErrOtherStorage) {
		d.Errorf("%s: owner check = %v, want success = %v", when, err, want)
	}
}

// TestPlaceCopy runs a process on a copy of the database beside the original,
// in either order. Nothing that either has published is removed, and both are
// warned. After the copy is gone and the storage is claimed, it is swept as
// before.
func TestPlaceCopy(t *testing.T) {
	everywhere(t, func(p *storage) {
		for _, first := range []string{"copy", "living", "while a mark is being put"} {
			if first != "copy" && p.slow {
				continue
			}
			p.Run(first, func(t *testing.T) {
				p := &storage{t, p.clock, p.slow, p.store, p.files}
				newUser := p.newUser()
				newUser.must(newUser.place().Claim(t.Context())) // the copy of the previous test is gone
				old := newUser.upload()
				p.hours(3, newUser)
				late := newUser.begin()
				if first == "while a mark is being put" {
					f := fixture.Injector{N: 1}
					if err := (ownership.Storage{Store: newUser.db,
						Blobs: f.Blobs(newUser.blobs)}).Rotate(t.Context()); !f.Hit() || err == nil {
						t.Fatalf("Rotate = %v, want an error", err)
					}
				}
				copied := newUser.copy()
				l, err := newUser.uploads.Complete(t.Context(), newUser.account,
					publish.CompleteRequest{Path: string(late), Name: "note.txt", Type: "text/plain"})
				p.must(err)
				lost := newUser.upload()
				turns := []*user{newUser, copied}
				if first != "living" {
					turns = []*user{copied, newUser}
					copied.sweep()
				}
				p.hours(28, turns...)
				if newUser.foreign == 0 || copied.foreign == 0 {
					t.Errorf("the original was warned %d times, the copy %d times, want both", newUser.foreign,
						copied.foreign)
				}
				for _, id := range []vitrine.UploadID{old.Upload, l.Upload, lost.Upload} {
					if !newUser.hasBytes(id) {
						t.Errorf("bytes are missing")
					}
				}
				newUser.audit()
				p.must(newUser.place().Claim(t.Context()))
				newUser.own("claimed", true)
				gone := newUser.begin()
				newUser.foreign = 0
				p.hours(27, newUser)
				if newUser.foreign > 0 || newUser.hasBytes(gone) {
					t.Errorf("an expired upload exists = %v; warned %d times, want false and 0", newUser.hasBytes(gone),
						newUser.foreign)
				}
				newUser.audit()
			})
		}
	})
}

// TestPlaceBare checks that empty storage, for example a volume that was not
// mounted, is not taken for the database's, and that everything works when the
// right one is back.
func TestPlaceBare(t *testing.T) {
	for _, place := range backends {
		t.Run(place.name, func(t *testing.T) {
			clock := vitrinetest.NewClock(time.Now())
			p := &storage{T: t, clock: clock, slow: place.name == "outgrown", store: place.store,
				files: place.files(t, clock.Now)}
			d := p.newUser()
			p.hours(1, d) // empty storage of an empty database
			old := d.upload()
			p.hours(1, d)
			gone := d.begin()
			mounted := d.blobs
			d.blobs = place.files(t, clock.Now)(t)
			d.restart()
			if looks := p.hours(28, d); d.foreign != looks {
				t.Errorf("warned %d of %d times, want each time", d.foreign, looks)
			}
			d.own("not mounted", false)
			if mark, err := d.blobs.Marker(t.Context()); err != nil || mark != "" {
				t.Errorf("marker of the empty storage = %q, %v, want none", mark, err)
			}
			d.blobs = mounted
			d.restart()
			if !d.hasBytes(gone) {
				t.Error("bytes were removed")
			}
			p.hours(28, d)
			if d.foreign > 0 || d.hasBytes(gone) || !d.hasBytes(old.Upload) {
				t.Errorf("warned %d times; an expired upload exists = %v; a file exists = %v", d.foreign,
					d.hasBytes(gone), d.hasBytes(old.Upload))
			}
			d.audit()
			// A restored directory has its files, but no marker.
			p.must(d.blobs.PutMarker(t.Context(), ""))
			d.own("restored", true)
			p.hours(1, d)
			d.own("restored, an hour later", true)
		})
	}
}

// TestPlaceOlderState checks that a database that was restored to an earlier
// moment removes nothing of the later state until the storage is claimed.
func TestPlaceOlderState(t *testing.T) {
	everywhere(t, func(p *storage) {
		later := p.newUser()
		kept := later.upload()
		later.sweep()
		begun := later.begin() // completed in the lost state
		older := later.copy()
		l, err := later.uploads.Complete(t.Context(), later.account,
			publish.CompleteRequest{Path: string(begun), Name: "note.txt", Type: "text/plain"})
		p.must(err)
		p.hours(2, later)
		lost := later.upload()
		later.audit()
		if looks := p.hours(28, older); older.foreign != looks {
			t.Errorf("warned %d of %d times, want each time", older.foreign, looks)
		}
		for _, id := range []vitrine.UploadID{kept.Upload, l.Upload, lost.Upload} {
			if !later.hasBytes(id) {
				t.Error("bytes of the later state are missing")
			}
		}
		later.audit()
		older.own("restored", false)
		if n, bytes, err := older.place().CountUnowned(t.Context()); err != nil || n != 1 || bytes != lost.Size {
			t.Errorf("CountUnowned = %d files, %d bytes, %v", n, bytes, err)
		}
		p.must(older.place().Claim(t.Context()))
		older.restart()
		p.hours(1, older)
		if !older.hasBytes(lost.Upload) {
			t.Error("unowned bytes were removed in the first sweep")
		}
		p.hours(2, older)
		if older.hasBytes(lost.Upload) || older.hasBytes(begun) || older.foreign > 0 {
			t.Error("unowned bytes were not removed after the claim")
		}
		if !older.hasBytes(kept.Upload) {
			t.Error("bytes of the restored state are missing")
		}
		older.audit()
	})
}

// TestPlaceForeign checks that a new database with another one's storage
// removes nothing there, and that an instance that has never marked its storage
// takes it.
func TestPlaceForeign(t *testing.T) {
	everywhere(t, func(p *storage) {
		owner := p.newUser()
		l := owner.upload()
		if owner.own("never marked", true); !owner.sweep() {
			t.Error("storage without a marker was not taken")
		}
		stranger := p.newUser()
		stranger.own("of a stranger", false)
		if looks := p.hours(28, stranger); stranger.foreign != looks || !owner.hasBytes(l.Upload) {
			t.Errorf("the other database was warned %d times; the bytes exist = %v", stranger.foreign,
				owner.hasBytes(l.Upload))
		}
		owner.audit()
		if owner.sweep() {
			t.Error("the owner was not warned about the other database")
		}
		p.must(owner.place().Claim(t.Context()))
		p.hours(3, owner)
		owner.own("claimed", true)
		owner.audit()
	})
}

// TestPlaceFaults fails Rotate and Claim at each step, before or after its
// effect. The storage stays the database's, or the claim can be repeated.
func TestPlaceFaults(t *testing.T) {
	everywhere(t, func(p *storage) {
		if p.slow {
			return // the steps are the same
		}
		d := p.newUser()
		l := d.upload()
		for what, do := range map[string]func(ownership.Storage) error{
			"Keep":  func(p ownership.Storage) error { return p.Rotate(context.Background()) },
			"Claim": func(p ownership.Storage) error { return p.Claim(context.Background()) },
		} {
			for _, after := range []bool{false, true} {
				for n := int64(1); ; n++ {
					if what == "Claim" {
						p.must(d.blobs.PutMarker(t.Context(), "ANOTHER"))
					}
					f := &fixture.Injector{N: n, After: after}
					err := do(ownership.Storage{Store: f.Store(d.db), Blobs: f.Blobs(d.blobs)})
					if !f.Hit() {
						if err != nil || n < 8 {
							t.Errorf("%s: %d operations: %v, want at least 8", what, n-1, err)
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
		if d.foreign > 0 || !d.hasBytes(l.Upload) {
			t.Errorf("warned %d times; the bytes exist = %v", d.foreign, d.hasBytes(l.Upload))
		}
		d.audit()
	})
}

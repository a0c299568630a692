package web_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/disk"
	"vitrine/internal/sqldb"
	"vitrine/internal/vitrinetest"
	"vitrine/internal/web"
)

// fixture is a whole server over the embedded defaults, in a directory and on a port of its own, with a clock that stands still.
type fixture struct {
	t      *testing.T
	url    string
	clock  *vitrinetest.Clock
	server *web.Server
	log    vitrine.ViewLog
	blobs  *disk.Blobs
	emails map[string]string // by API key

	accounts *vitrine.Accounts
	closeLog func()
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	dir := t.TempDir()
	store, err := sqldb.OpenStore(filepath.Join(dir, "vitrine.db"))
	if err != nil {
		t.Fatal(err)
	}
	log, err := sqldb.OpenViewLog(filepath.Join(dir, "views.db"))
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{t: t, clock: vitrinetest.NewClock(time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)), log: log, emails: map[string]string{}}
	f.closeLog = func() { log.Close() }
	now := f.clock.Now

	var handler http.Handler
	hs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
	f.url = hs.URL
	public, _ := url.Parse(hs.URL)
	signer := vitrine.NewSigner([]byte("a secret of the test"))
	if f.blobs, err = disk.New(dir, hs.URL+web.StorageRoot, signer, now); err != nil {
		t.Fatal(err)
	}
	views := vitrine.NewViews(log)
	sessions := &vitrine.Sessions{Store: store, Signer: signer, Now: now}
	f.accounts = &vitrine.Accounts{Store: store, Now: now, Sessions: sessions}
	f.server = &web.Server{
		PublicURL: public, ContentURL: public, Version: "test",
		Keys:     &vitrine.Keys{Store: store, Now: now},
		Accounts: f.accounts, Sessions: sessions, Moderation: &vitrine.Moderation{Store: store, Now: now},
		Uploads:  &vitrine.Uploads{Store: store, Blobs: f.blobs, Scanner: vitrine.NoScanner{}, Plans: vitrine.DefaultPlans(), Now: now},
		Links:    &vitrine.Links{Store: store, Blobs: f.blobs, Log: log, Now: now},
		Captions: &vitrine.Captions{Store: store, Blobs: f.blobs},
		Abuse:    &vitrine.AbuseReports{Store: store, Now: now, Threshold: vitrine.DefaultAbuseThreshold},
		Analytics: &vitrine.Analytics{Store: store, Log: log, Signer: signer, Now: now,
			URL: func(s vitrine.Slug) string { return web.LinkURL(public, s) }},
		Views: views, ViewIDs: vitrine.NewViewIDs(), Blobs: f.blobs, Receiver: f.blobs, Previews: &vitrine.Previews{Store: store, Blobs: f.blobs, Previewer: vitrine.NoPreviewer{}, Now: now}, Signer: signer,
		Ready: func(context.Context) error { return nil }, Now: now,
		Log: slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
	handler = f.server.Handler()
	// The first account of an instance is Lifetime; tests ask for others after it.
	if _, _, err := f.accounts.Create(context.Background(), "owner@example.org", vitrine.PlanLifetime); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		hs.Close()
		views.Close()
		log.Close()
		store.Close()
	})
	return f
}

// account makes an account of a plan and returns its key.
func (f *fixture) account(p vitrine.Plan) (key string) {
	f.t.Helper()
	email := fmt.Sprintf("user%d@example.org", len(f.emails))
	_, k, err := f.accounts.Create(context.Background(), email, p)
	if err != nil {
		f.t.Fatal(err)
	}
	f.emails[string(k)] = email
	return string(k)
}

func (f *fixture) setPlan(key string, p vitrine.Plan) {
	f.t.Helper()
	if _, err := f.accounts.SetPlan(context.Background(), f.emails[key], p, nil, vitrine.Decision{By: vitrine.Operator}); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) ban(key string) {
	f.t.Helper()
	if _, err := f.accounts.SetBanned(context.Background(), f.emails[key], true, vitrine.Decision{By: vitrine.Operator}); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) revoke(key string) {
	f.t.Helper()
	keys, err := f.server.Keys.List(context.Background(), f.emails[key])
	if err == nil {
		err = f.server.Keys.Revoke(context.Background(), f.emails[key], keys[0].ID)
	}
	if err != nil {
		f.t.Fatal(err)
	}
}

// limits replaces those of the Free plan.
func (f *fixture) limits(l vitrine.Limits) { f.server.Uploads.Plans[vitrine.PlanFree] = l }

func (f *fixture) delete(slug string) {
	f.t.Helper()
	if err := f.server.Links.Delete(context.Background(), slug, vitrine.Decision{By: vitrine.Operator}); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) blobExists(path string) bool {
	f.t.Helper()
	_, err := f.blobs.Stat(context.Background(), vitrine.UploadID(path))
	if err != nil && !errors.Is(err, vitrine.ErrNotFound) {
		f.t.Fatal(err)
	}
	return err == nil
}

// desktop is the user agent of a person at a desk.
const desktop = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36"

// openPage opens a link as a person's browser would, and returns the status.
func (f *fixture) openPage(slug string) int {
	f.t.Helper()
	req, err := http.NewRequest(http.MethodGet, f.url+"/p/"+slug, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	req.Header.Set("User-Agent", desktop)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		f.t.Fatal(err)
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body)
	return res.StatusCode
}

// audit ends a test: what must never be is not.
func (f *fixture) audit() {
	f.t.Helper()
	a := &vitrine.Audit{Store: f.server.Keys.Store, Blobs: f.blobs, Log: f.log, Now: f.clock.Now, Deep: true}
	if err := a.Run(context.Background(), func(fault string) { f.t.Errorf("audit: %s", fault) }); err != nil {
		f.t.Error(err)
	}
}

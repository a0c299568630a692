package web_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

// fixture is a site for the API, with a clock that the test moves.
type fixture struct {
	*site
	clock  *vitrinetest.Clock
	emails map[string]string // by API key
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	return newFixtureAt(t, "")
}

// newFixtureAt returns a fixture with the store at an address, or in a file if
// it is "".
func newFixtureAt(t testing.TB, store string) *fixture {
	t.Helper()
	clock := vitrinetest.NewClock(time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC))
	s := newSiteWith(t, siteOptions{now: clock.Now, store: store})
	return &fixture{s, clock, map[string]string{}}
}

// onEachStore runs a test with each kind of store.
func onEachStore(t *testing.T, f func(t *testing.T, store string)) {
	t.Helper()
	t.Run("SQLite", func(t *testing.T) { f(t, "") })
	t.Run("PostgreSQL", func(t *testing.T) { f(t, vitrinetest.PostgresDatabase(t)) })
}

// account creates an account of a plan and returns its key.
func (f *fixture) account(p vitrine.Plan) (key string) {
	f.t.Helper()
	email := fmt.Sprintf("user%d@example.org", len(f.emails))
	_, k, err := f.server.Accounts.Create(context.Background(), email, p)
	if err != nil {
		f.t.Fatal(err)
	}
	f.emails[string(k)] = email
	return string(k)
}

func (f *fixture) setPlan(key string, p vitrine.Plan) {
	f.t.Helper()
	if _, err := f.server.Accounts.SetPlan(context.Background(), f.emails[key], p, nil,
		vitrine.Decision{By: vitrine.Operator}); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) ban(key string) {
	f.t.Helper()
	if _, err := f.server.Accounts.SetBanned(context.Background(), f.emails[key], true,
		vitrine.Decision{By: vitrine.Operator}); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) revoke(key string) {
	f.t.Helper()
	keys, err := f.server.Keys.List(context.Background(), f.emails[key])
	if err == nil {
		_, err = f.server.Keys.Revoke(context.Background(), f.emails[key], keys[0].ID)
	}
	if err != nil {
		f.t.Fatal(err)
	}
}

// limits sets the limits of the plan Free.
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

// desktop is the user agent of a person's desktop browser.
const desktop = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36"

// openPage loads a link's page like a person's browser and returns the status.
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

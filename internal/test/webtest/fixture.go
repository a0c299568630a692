package webtest

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

// Fixture is a site for the API, with a clock that the test moves.
type Fixture struct {
	*Site
	Clock  *vitrinetest.Clock
	Emails map[string]string // by API key
}

func NewFixture(t testing.TB) *Fixture {
	t.Helper()
	return NewFixtureAt(t, "")
}

// NewFixtureAt returns a fixture with the store at an address, or in a file if
// it is "".
func NewFixtureAt(t testing.TB, store string) *Fixture {
	t.Helper()
	clock := vitrinetest.NewClock(time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC))
	s := NewSiteWith(t, SiteOptions{Now: clock.Now, Store: store})
	return &Fixture{s, clock, map[string]string{}}
}

// Account creates an account of a plan and returns its key.
func (f *Fixture) Account(p vitrine.Plan) (key string) {
	f.T.Helper()
	email := fmt.Sprintf("user%d@example.org", len(f.Emails))
	_, k, err := f.Server.Accounts.Create(context.Background(), email, p)
	if err != nil {
		f.T.Fatal(err)
	}
	f.Emails[string(k)] = email
	return string(k)
}

func (f *Fixture) SetPlan(key string, p vitrine.Plan) {
	f.T.Helper()
	if _, err := f.Server.Accounts.SetPlan(context.Background(), f.Emails[key], p, nil,
		vitrine.Decision{By: vitrine.Administrator}); err != nil {
		f.T.Fatal(err)
	}
}

func (f *Fixture) Ban(key string) {
	f.T.Helper()
	if _, err := f.Server.Accounts.SetBanned(context.Background(), f.Emails[key], true,
		vitrine.Decision{By: vitrine.Administrator}); err != nil {
		f.T.Fatal(err)
	}
}

func (f *Fixture) Revoke(key string) {
	f.T.Helper()
	keys, err := f.Server.Keys.List(context.Background(), f.Emails[key])
	if err == nil {
		_, err = f.Server.Keys.Revoke(context.Background(), f.Emails[key], keys[0].ID)
	}
	if err != nil {
		f.T.Fatal(err)
	}
}

// Limits sets the limits of the plan Free.
func (f *Fixture) Limits(l vitrine.Limits) { f.Server.Uploads.Plans[vitrine.PlanFree] = l }

func (f *Fixture) Delete(slug string) {
	f.T.Helper()
	by := vitrine.Decision{By: vitrine.Administrator}
	if err := f.Server.Links.Delete(context.Background(), slug, by); err != nil {
		f.T.Fatal(err)
	}
}

func (f *Fixture) BlobExists(path string) bool {
	f.T.Helper()
	_, err := f.Blobs.Stat(context.Background(), vitrine.UploadID(path))
	if err != nil && !errors.Is(err, vitrine.ErrNotFound) {
		f.T.Fatal(err)
	}
	return err == nil
}

// Desktop is the user agent of a person's desktop browser.
const Desktop = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36"

// OpenPage loads a link's page like a person's browser and returns the status.
func (f *Fixture) OpenPage(slug string) int {
	f.T.Helper()
	req, err := http.NewRequest(http.MethodGet, f.URL+"/p/"+slug, nil)
	if err != nil {
		f.T.Fatal(err)
	}
	req.Header.Set("User-Agent", Desktop)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		f.T.Fatal(err)
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body)
	return res.StatusCode
}

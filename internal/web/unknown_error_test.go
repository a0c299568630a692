package web_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"vitrine"
)

// damagedStore fails with an error that nobody knows.
type damagedStore struct{ vitrine.Store }

var errDamaged = errors.New("the record is damaged")

func (damagedStore) Read(context.Context, func(vitrine.Tx) error) error   { return errDamaged }
func (damagedStore) Update(context.Context, func(vitrine.Tx) error) error { return errDamaged }

// An error that no component knows is an internal error: 500, logged at error
// level, and nobody is told to try again.
func TestUnknownErrorIsInternal(t *testing.T) {
	f := newFixture(t)
	var log bytes.Buffer
	f.server.Log = slog.New(slog.NewTextHandler(&log, nil))
	key := f.account(vitrine.PlanPro)
	slug := f.published(key, noteFile, note)
	damaged := damagedStore{f.server.Keys.Store}
	f.server.Uploads.Store, f.server.Analytics.Store, f.server.Links.Store = damaged, damaged, damaged
	for _, c := range []struct {
		method, path string
		body         any
	}{
		{"POST", "/uploads", noteFile},
		{"GET", "/links", nil},
		{"GET", "/links/" + slug + "/analytics", nil},
		{"GET", "/analytics", nil},
	} {
		log.Reset()
		res := f.call(key, c.method, c.path, c.body)
		res.want(500, "internal")
		if said := log.String(); !strings.Contains(said, "level=ERROR") ||
			!strings.Contains(said, "the record is damaged") {
			t.Errorf("%s %s: the log says %q", c.method, c.path, said)
		}
	}
}

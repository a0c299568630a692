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

// damagedStore is a store that fails with an unknown error.
type damagedStore struct{ vitrine.Store }

var errDamaged = errors.New("the record is damaged")

func (damagedStore) Read(context.Context, func(vitrine.Tx) error) error   { return errDamaged }
func (damagedStore) Update(context.Context, func(vitrine.Tx) error) error { return errDamaged }

// TestUnknownErrorIsInternal checks that an unknown error is an internal one:
// status 500, logged at error level, and without Retry-After.
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
		if text := log.String(); !strings.Contains(text, "level=ERROR") ||
			!strings.Contains(text, "the record is damaged") {
			t.Errorf("%s %s: log = %q", c.method, c.path, text)
		}
	}
}

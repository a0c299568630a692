package viewlog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/importer"
	"vitrine/internal/backend/sqlstore"
	"vitrine/internal/test/vitrinetest"
)

// steppedLog calls a function before and after each import. If the latter
// fails, the answer of the import is lost.
type steppedLog struct {
	*ViewLog
	call   int
	before func(call int)
	after  func(call int) error
}

func (l *steppedLog) Import(ctx context.Context, r vitrine.ImportReceipt, views []vitrine.ViewRecord) error {
	l.call++
	l.before(l.call)
	return cmp.Or(l.ViewLog.Import(ctx, r, views), l.after(l.call))
}

// TestPostgresImportOverRestart checks that an import during which PostgreSQL
// loses the answer of a commit, and is restarted between two batches, stores
// each view once.
func TestPostgresImportOverRestart(t *testing.T) {
	server := vitrinetest.Postgres(t)
	place := server.NewDatabase(t)
	store, err := sqlstore.Open(place)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	views, err := Open(place)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = views.Close() })
	now := time.Now
	if _, _, err := (&auth.Accounts{Store: store, Now: now}).Create(t.Context(), "ann@example.org",
		vitrine.PlanPro); err != nil {
		t.Fatal(err)
	}
	const lines, batches = 33_000, 3
	began := now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -90)
	var text strings.Builder
	for n := range lines {
		at := began.Add(time.Duration(n) * 70 * 24 * time.Hour / lines)
		fmt.Fprintf(&text, `{"slug":"old","at":%q,"viewer":"v%d"}`+"\n", at.Format("2006-01-02T15:04:05.000Z07:00"),
			n%1000)
	}

	stopped, waits := false, 0
	log := &steppedLog{ViewLog: views, before: func(call int) {
		if stopped = call == 3; stopped { // the second batch, because the first one needs two calls
			server.Stop(t)
		}
	}, after: func(call int) error {
		if call == 1 {
			return vitrine.Unavailable(errors.New("the answer is lost"))
		}
		return nil
	}}
	in := importer.Importer{Store: store, Log: log, Now: now, Retry: func(_ context.Context, call func() error) error {
		for {
			err := call()
			if vitrine.CodeOf(err) != vitrine.CodeUnavailable || waits == 10 {
				return err
			}
			if waits++; stopped {
				server.Start(t)
			}
		}
	}}
	link := fmt.Sprintf(`{"slug":"old","title":"Old","kind":"pdf","createdAt":%q,"account":"ann@example.org"}`,
		began.Format(time.RFC3339))
	if res, err := in.Links(t.Context(), strings.NewReader(link)); err != nil || res.Added != 1 {
		t.Fatalf("Links = %+v, %v", res, err)
	}
	res, err := in.Views(t.Context(), strings.NewReader(text.String()))
	if err != nil || res.Added != lines || res.Already {
		t.Errorf("Views = %+v, %v", res, err)
	}
	if log.call != batches+2 || waits != 2 {
		t.Errorf("%d imports for %d batches, %d waits", log.call, batches, waits)
	}
	counts, err := views.AccountCounts(t.Context(), 1)
	var total int64
	for _, c := range counts {
		total += c.Views
	}
	if err != nil || total != lines {
		t.Errorf("%d views, want %d: %v", total, lines, err)
	}
	if err := views.Audit(t.Context(), true, func(fault string, _ bool) { t.Error(fault) }); err != nil {
		t.Error(err)
	}
}

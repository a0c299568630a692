package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/client"
	"vitrine/internal/cli/instance"
	"vitrine/internal/test/tier"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// history is an instance with history: two accounts, links of which some are
// deleted or disabled, many days of views with engagement and downloads, and
// rollups.
type history struct {
	t    *testing.T
	data string
	key  string
	slug string

	// A protected link, what protects it and its recipients (readers).
	protected   string
	protectedID vitrine.LinkID
	recipients  []*vitrine.Recipient
	album       *vitrine.Album // has it, and limits its readers, too
}

func newHistory(t *testing.T, links int) *history {
	t.Helper()
	k := &killed{t: t, data: filepath.Join(t.TempDir(), "data")}
	k.key = strings.TrimSpace(k.run("admin", "account", "create", "owner@example.org"))
	k.run("admin", "account", "create", "second@example.org", "--plan", "free")
	url, kill := k.serve()
	c, err := client.New(url, k.key)
	if err != nil {
		t.Fatal(err)
	}
	h := &history{t: t, data: k.data, key: k.key}
	var slugs []string
	for i := range links {
		text := bytes.Repeat([]byte(fmt.Sprintf("This is file %d.\n", i)), 1+rand.IntN(20_000))
		l, err := c.Upload(t.Context(), client.File{Name: fmt.Sprintf("%d é.txt", i), Size: int64(len(text)),
			Content: bytes.NewReader(text)}, client.Options{})
		if err != nil {
			t.Fatal(err)
		}
		slugs = append(slugs, l.Slug)
	}
	h.slug = slugs[0]
	opened := &held{t: t, url: url}
	opened.open(h.slug, 5)
	k.run("admin", "link", "disable", slugs[1])
	k.run("admin", "link", "delete", "--yes", slugs[2])
	kill()
	h.views(slugs[3])
	k.run("admin", "audit", "--deep", "--all")
	return h
}

// views adds views of several months to a link and rolls up the past days.
func (h *history) views(slug string) {
	h.t.Helper()
	in, err := instance.Open(h.t.Context(), instance.Places{Data: h.data})
	if err != nil {
		h.t.Fatal(err)
	}
	defer in.Close()
	l, err := in.Links.BySlug(h.t.Context(), slug)
	if err != nil {
		h.t.Fatal(err)
	}
	if err := in.Blobs.PutPart(h.t.Context(), l.Upload, vitrine.PartPicture,
		strings.NewReader("a picture")); err != nil {
		h.t.Fatal(err)
	}
	err = in.Store.Update(h.t.Context(), func(tx vitrine.Tx) error {
		l, err := tx.Link(l.ID)
		if err != nil {
			return err
		}
		l.Parts = l.Parts.With(vitrine.PartPicture)
		return tx.PutLink(l)
	})
	if err != nil {
		h.t.Fatal(err)
	}
	h.readers(in, l)
	var views []vitrine.ViewRecord
	begin := time.Now().AddDate(0, -5, 0)
	for i := range 3000 {
		at := begin.Add(time.Duration(i) * time.Hour)
		if !at.Before(time.Now()) {
			break
		}
		id := vitrine.ViewIDAt(at.UnixMilli(), i)
		v := vitrine.ViewRecord{Account: l.Account,
			View: report.View{ID: int64(id), At: id.Ms(), Link: int64(l.ID), Viewer: uint64(i % 400),
				Country: fmt.Sprint("C", i%9)}}
		if i%2 == 0 {
			v.Session = &report.Session{EngagedMs: int64(i), PresentMs: int64(2 * i), Downloaded: i%10 == 0}
		}
		views = append(views, v)
	}
	if err := in.Log.Import(h.t.Context(), vitrine.ImportReceipt{File: [32]byte{7}, Lines: 1, At: time.Now()},
		views); err != nil {
		h.t.Fatal(err)
	}
	if err := in.Analytics.RollUp(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
}

// numbers returns the owner's reports of an instance.
func (h *history) numbers(places instance.Places) string {
	h.t.Helper()
	in, err := instance.Open(h.t.Context(), places)
	if err != nil {
		h.t.Fatal(err)
	}
	defer in.Close()
	a, err := in.Accounts.ByEmail(h.t.Context(), "owner@example.org")
	if err != nil {
		h.t.Fatal(err)
	}
	counts, err := in.Log.AccountCounts(h.t.Context(), a.ID)
	if err != nil {
		h.t.Fatal(err)
	}
	today := report.DayOf(time.Now().UnixMilli())
	tally, _, err := in.Log.Tally(h.t.Context(), vitrine.TallyQuery{Scope: vitrine.Scope{Account: a.ID},
		From: today - 200, To: today + 1})
	if err != nil {
		h.t.Fatal(err)
	}
	var links []*vitrine.Link
	var changes []*vitrine.Change
	err = in.Store.Read(h.t.Context(), func(tx vitrine.Tx) (err error) {
		if links, err = tx.Links(vitrine.LinkQuery{}); err == nil {
			changes, err = tx.Changes(vitrine.ChangeQuery{})
		}
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	w := report.Window{Key: report.RangeAll, From: today - 200, To: today + 1}
	reports := []any{report.ForAccount(nil, w, tally, nil, nil, report.AllTime{})}
	for _, l := range links {
		of, _, err := in.Log.Tally(h.t.Context(), vitrine.TallyQuery{Scope: vitrine.Scope{Account: l.Account,
			Link: l.ID}, From: w.From, To: w.To})
		if err != nil {
			h.t.Fatal(err)
		}
		reports = append(reports, report.ForLink(report.Link{ID: int64(l.ID)}, w, of, of, nil))
	}
	b, err := json.Marshal([]any{links, changes, counts, tally.Views(), tally.Downloads(), reports,
		h.leftByReaders(in)})
	if err != nil {
		h.t.Fatal(err)
	}
	return string(b)
}

// settings writes a file with the settings of an instance and returns its name.
func settings(t *testing.T, p instance.Places) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "vitrine.env")
	text := fmt.Sprintf("# where it is\nVITRINE_DATA=%q\nexport VITRINE_DATABASE='%s'\nVITRINE_VIEWS=%s\nVITRINE_FILES=%s\nVITRINE_LISTEN=:80\n", p.Data, p.Database, p.Views, p.Files)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestMigrate migrates an instance from a directory to PostgreSQL and a bucket
// and back. It is killed at random steps and started again. Numbers, links and
// history are the same everywhere, and no audit finds a fault.
func TestMigrate(t *testing.T) {
	t.Parallel()
	r := seeded(t)
	h := newHistory(t, 12)
	root := t.TempDir()
	bucket := vitrinetest.SharedS3(t)
	there := instance.Places{Data: filepath.Join(root, "there"), Database: vitrinetest.PostgresDatabase(t),
		Files: bucket.Address(bucket.Bucket(t), "")}
	back := instance.Places{Data: filepath.Join(root, "back")}
	before := h.numbers(instance.Places{Data: h.data})
	from := h.data
	for _, to := range []instance.Places{there, back} {
		word, steps := to.Data, 170
		if to.Database != "" {
			word, steps = settings(t, to), 110
		}
		h.killedAgain(r, steps, from, word)
		out, err := vitrineOn(root, "admin", "migrate", "--deep", from, word)
		if err != nil {
			t.Fatalf("migrate %s %s: %v: %s", from, word, err, out)
		}
		t.Log(strings.TrimSpace(out))
		if again, err := vitrineOn(root, "admin", "migrate", from, word); err != nil || !strings.HasPrefix(again, "0 rows") {
			t.Errorf("second migrate: %v: %s, want 0 rows", err, again)
		}
		if after := h.numbers(to); after != before {
			t.Errorf("%s has\n%s\nwant\n%s", word, after, before)
		}
		from = word
	}
	if out, err := vitrineOn(back.Data, "admin", "audit", "--deep", "--all"); err != nil {
		t.Errorf("audit: %v: %s", err, out)
	}
	// An instance that is nowhere on this machine needs no directory here.
	if out, err := vitrineOn(root, "admin", "migrate", "database="+there.Database+" files="+there.Files,
		filepath.Join(root, "words")); err != nil {
		t.Errorf("migrate without a data directory = %v: %s", err, out)
	}
	if _, err := os.Stat("data"); err == nil {
		t.Error("migrate created data/ in the current directory")
		_ = os.RemoveAll("data")
	}
	// A migration does not overwrite an instance that has changed.
	if out, err := vitrineOn(back.Data, "admin", "account", "create", "third@example.org", "--plan", "free"); err != nil {
		t.Fatalf("account create: %v: %s", err, out)
	}
	if out, err := vitrineOn(root, "admin", "migrate", h.data, back.Data); err == nil ||
		!strings.Contains(out, "it contains other data") {
		t.Errorf("migrate onto a changed instance = %v: %s, want an error", err, out)
	}
	k := &killed{t: t, data: h.data, key: h.key}
	_, kill := k.serve()
	defer kill()
	if out, err := vitrineOn(root, "admin", "migrate", h.data, filepath.Join(root, "other")); err == nil ||
		!strings.Contains(out, "serves") {
		t.Errorf("migrate while the instance is served = %v: %s, want an error", err, out)
	}
}

// killedAgain starts a migration of the given number of steps several times and
// kills each at a step. Each continues where the last one stopped.
func (h *history) killedAgain(r *rand.Rand, steps int, from, word string) {
	h.t.Helper()
	for range tier.Pick(3, 20) {
		step := 1 + r.IntN(tier.Pick(steps, steps*2/3))
		output, steps, ended := killedRun(h.t, step, "admin", "migrate", from, word)
		h.t.Logf("a continued migration ended after %[2]d steps, before step %[1]d", step, steps)
		if ended {
			return
		}
		if strings.Contains(output, "The old instance did not change") {
			h.t.Errorf("killed at step %d, but it reports success: %s", step, output)
		}
	}
}

// TestMigrateUnfinished checks that commands refuse the target of an
// interrupted migration.
func TestMigrateUnfinished(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	if out, err := vitrineOn(data, "admin", "account", "create", "owner@example.org"); err != nil {
		t.Fatalf("account create: %v: %s", err, out)
	}
	store, err := instance.Places{Data: data}.OpenStore()
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for _, unfinished := range []bool{true, false} {
		if err := instance.MarkUnfinished(t.Context(), store, unfinished); err != nil {
			t.Fatal(err)
		}
		out, err := vitrineOn(data, "admin", "account", "list")
		if (err != nil) != unfinished || strings.Contains(out, "did not finish") != unfinished {
			t.Errorf("unfinished = %v: audit = %v: %s", unfinished, err, out)
		}
	}
}

// BenchmarkInstance measures backing up and migrating an instance of a million
// views whose past days are rolled up:
//
//	go test -run '^$' -bench Instance -benchtime 1x ./cmd/vitrine
func BenchmarkInstance(b *testing.B) {
	data := filepath.Join(b.TempDir(), "data")
	views := fillInstance(b, data, 1_000_000)
	run := func(b *testing.B, args ...string) string {
		out, err := vitrineOn(data, args...)
		if err != nil {
			b.Fatalf("vitrine %v: %v: %s", args, err, out)
		}
		return out
	}
	size := int64(0)
	for _, name := range []string{instance.StoreFile, instance.ViewsFile} {
		if st, err := os.Stat(filepath.Join(data, name)); err == nil {
			size += st.Size()
		}
	}
	report := func(b *testing.B) {
		b.SetBytes(size)
		b.ReportMetric(float64(views)*float64(b.N)/b.Elapsed().Seconds(), "views/s")
	}
	b.Run("backup", func(b *testing.B) {
		root := b.TempDir()
		for i := range b.N {
			run(b, "admin", "backup", filepath.Join(root, fmt.Sprint(i)))
		}
		report(b)
	})
	b.Run("restore", func(b *testing.B) {
		root := b.TempDir()
		run(b, "admin", "backup", filepath.Join(root, "backup"))
		b.ResetTimer()
		for i := range b.N {
			run(b, "admin", "restore", filepath.Join(root, "backup"), "--data", filepath.Join(root, fmt.Sprint(i)))
		}
		report(b)
	})
	b.Run("migrate", func(b *testing.B) {
		server := vitrinetest.Postgres(b)
		for b.Loop() {
			b.Log(run(b, "admin", "migrate", data, server.NewDatabase(b)))
		}
		report(b)
	})
}

// fillInstance creates an instance with one link that has the given number of
// views in the last two years.
func fillInstance(b *testing.B, data string, views int) int {
	b.Helper()
	if out, err := vitrineOn(data, "admin", "account", "create", "owner@example.org"); err != nil {
		b.Fatalf("account create: %v: %s", err, out)
	}
	in, err := instance.Open(b.Context(), instance.Places{Data: data})
	if err != nil {
		b.Fatal(err)
	}
	defer in.Close()
	const links, atOnce = 20, 50_000
	begin := time.Now().AddDate(-2, 0, 0).UnixMilli()
	step := (time.Now().UnixMilli() - begin - 1000) / int64(views)
	r := rand.New(rand.NewPCG(1, 2))
	for done := 0; done < views; {
		var batch []vitrine.ViewRecord
		for range min(atOnce, views-done) {
			id := vitrine.ViewIDAt(begin+int64(done)*step, done)
			v := report.View{ID: int64(id), At: id.Ms(), Link: 1 + r.Int64N(links), Viewer: r.Uint64N(300_000),
				Country: fmt.Sprint("C", r.IntN(60)), Browser: fmt.Sprint("B", r.IntN(8))}
			if r.IntN(10) < 7 {
				v.Session = &report.Session{EngagedMs: r.Int64N(200_000), Downloaded: r.IntN(10) == 0}
				v.Session.PresentMs = v.Session.EngagedMs + r.Int64N(20_000)
			}
			batch = append(batch, vitrine.ViewRecord{Account: 1, View: v})
			done++
		}
		if err := in.Log.Import(b.Context(), vitrine.ImportReceipt{File: [32]byte{9}, Lines: int64(done),
			At: time.Now()}, batch); err != nil {
			b.Fatal(err)
		}
	}
	if err := in.Analytics.RollUp(b.Context()); err != nil {
		b.Fatal(err)
	}
	return views
}

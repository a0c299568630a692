package publish_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"vitrine"
	"vitrine/internal/app/audit"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/links"
	"vitrine/internal/app/publish"
	"vitrine/internal/backend/disk"
	"vitrine/internal/backend/sqlstore"
	"vitrine/internal/backend/viewlog"
	"vitrine/internal/base/signer"
	"vitrine/internal/filetype"
	"vitrine/internal/test/fixture"
)

// captioned is an instance with one public video, with a fault injector before
// its ports.
type captioned struct {
	*publish.Captions
	t       *testing.T
	links   *links.Service
	account *vitrine.Account
	video   *vitrine.Link
	blobs   *disk.Blobs
	store   *sqlstore.Store
	log     *viewlog.ViewLog
	uploads *publish.Uploads
}

func newCaptioned(t *testing.T, f *fixture.Injector) *captioned {
	t.Helper()
	dir := fixture.Databases(t)
	store, err1 := sqlstore.Open(filepath.Join(dir, "store.db"))
	log, err2 := viewlog.Open(filepath.Join(dir, "views.db"))
	blobs, err3 := disk.New(dir, "http://127.0.0.1/storage/", signer.New([]byte("k")), time.Now)
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(store.Close(), log.Close()); err != nil {
			t.Error(err)
		}
	})
	c := &captioned{t: t, blobs: blobs, store: store, log: log,
		links:    &links.Service{Store: store, Blobs: blobs, Log: log, Now: time.Now},
		Captions: &publish.Captions{Store: f.Store(store), Blobs: f.Blobs(blobs), Now: time.Now},
		uploads: &publish.Uploads{Store: store, Blobs: blobs, Scanner: publish.NoScanner{},
			Plans: vitrine.DefaultPlans(), Now: time.Now}}
	a, _, err := (&auth.Accounts{Store: store, Now: time.Now}).Create(t.Context(), "ann@example.org", vitrine.PlanPro)
	if err != nil {
		t.Fatal(err)
	}
	c.account = a
	clip, err := os.ReadFile("../../test/webtest/testdata/clip.webm")
	if err != nil {
		t.Fatal(err)
	}
	c.video = c.publish("clip.webm", clip)
	return c
}

// publish uploads a file in three steps.
func (c *captioned) publish(name string, content []byte) *vitrine.Link {
	c.t.Helper()
	ctx, kind := c.t.Context(), filetype.Type{}
	kind, _ = filetype.ByExt(name)
	b, err := c.uploads.Create(ctx, c.account, publish.UploadRequest{Name: name, Type: kind.MIME,
		Size: int64(len(content))})
	if err != nil {
		c.t.Fatal(err)
	}
	g := vitrine.PutGrant{Key: b.Path, Size: int64(len(content)), Type: kind.MIME, Expires: time.Now().Add(time.Minute)}
	if _, err := c.blobs.Receive(ctx, g, strings.NewReader(string(content))); err != nil {
		c.t.Fatal(err)
	}
	l, err := c.uploads.Complete(ctx, c.account, publish.CompleteRequest{Path: string(b.Path), Name: name,
		Type: kind.MIME})
	if err == nil {
		err = (&publish.Scans{Store: c.uploads.Store, Blobs: c.uploads.Blobs, Scanner: c.uploads.Scanner,
			Now: c.uploads.Now}).Pending(ctx)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	return l
}

func (c *captioned) put(language, text string) error {
	_, err := c.Put(c.t.Context(), c.account, string(c.video.Slug), language, strings.NewReader(text), nil)
	return err
}

func (c *captioned) delete(language string) error {
	return c.Delete(c.t.Context(), c.account, string(c.video.Slug), language)
}

// has checks the languages of the video's captions and their texts.
func (c *captioned) has(want map[string]string) {
	c.t.Helper()
	l, err := c.links.BySlug(c.t.Context(), string(c.video.Slug))
	if err != nil {
		c.t.Fatal(err)
	}
	got := map[string]string{}
	for _, language := range l.Captions() {
		b, err := c.blobs.OpenPart(c.t.Context(), l.Upload, vitrine.CaptionsPart(language))
		if err != nil {
			c.t.Errorf("captions %s: %v", language, err)
			continue
		}
		text, err := io.ReadAll(b)
		b.Close()
		if err != nil {
			c.t.Error(err)
		}
		got[language] = string(text)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		c.t.Errorf("captions = %q, want %q", got, want)
	}
}

func (c *captioned) audit() {
	c.t.Helper()
	a := &audit.Checker{Store: c.store, Blobs: c.blobs, Log: c.log, Now: time.Now, Deep: true}
	if err := a.Run(context.Background(), func(fault string) { c.t.Errorf("audit: %s", fault) }); err != nil {
		c.t.Error(err)
	}
}

func vttSaying(text string) string { return "WEBVTT\n\n00:01.000 --> 00:04.000\n" + text + "\n" }

func TestCaptions(t *testing.T) {
	c := newCaptioned(t, &fixture.Injector{})
	for _, err := range []error{c.put("pt-br", vttSaying("Bom dia.")),
		c.put("en_US", "1\n00:00:01,000 --> 00:00:02,000\nGood morning."),
		c.put("DE", vttSaying("Guten Abend.")), c.put("de", vttSaying("Guten Morgen."))} {
		if err != nil {
			t.Error(err)
		}
	}
	c.has(map[string]string{"de": vttSaying("Guten Morgen."),
		"en-US": "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nGood morning.\n", "pt-BR": vttSaying("Bom dia.")})
	for range 2 {
		if err := c.delete("pt-BR"); err != nil {
			t.Error(err)
		}
	}
	c.has(map[string]string{"de": vttSaying("Guten Morgen."),
		"en-US": "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nGood morning.\n"})
	c.audit()
	if err := c.links.Delete(t.Context(), string(c.video.Slug), fixture.Administrator("")); err != nil {
		t.Fatal(err)
	}
	for _, language := range []string{"de", "en-US"} {
		if _, err := c.blobs.OpenPart(t.Context(), c.video.Upload, vitrine.CaptionsPart(language)); !errors.Is(err,
			vitrine.ErrNotFound) {
			t.Errorf("captions %s of a deleted link: %v, want ErrNotFound", language, err)
		}
	}
	if code := vitrine.CodeOf(c.put("fr", fixture.SomeVTT)); code != vitrine.CodeNotFound {
		t.Errorf("Put for a deleted link: code %q, want not_found", code)
	}
	c.audit()
}

func TestCaptionsRefused(t *testing.T) {
	c := newCaptioned(t, &fixture.Injector{})
	stranger, _, err := (&auth.Accounts{Store: c.store, Now: time.Now}).Create(t.Context(), "bob@example.org",
		vitrine.PlanPro)
	if err != nil {
		t.Fatal(err)
	}
	notes := c.publish("notes.txt", []byte("Notes."))
	video := string(c.video.Slug)
	for about, x := range map[string]struct {
		a              *vitrine.Account
		slug, language string
		text           io.Reader
		want           vitrine.Code
	}{
		"a stranger's": {stranger, video, "en", strings.NewReader(fixture.SomeVTT), vitrine.CodeNotFound},
		"no link":      {c.account, "none", "en", strings.NewReader(fixture.SomeVTT), vitrine.CodeNotFound},
		"a text": {c.account, string(notes.Slug), "en", strings.NewReader(fixture.SomeVTT),
			vitrine.CodeInvalidRequest},
		"no language": {c.account, video, "klingonese", strings.NewReader(fixture.SomeVTT),
			vitrine.CodeInvalidRequest},
		"no captions": {c.account, video, "en", strings.NewReader("Good morning."), vitrine.CodeInvalidRequest},
		"too large": {c.account, video, "en",
			io.MultiReader(strings.NewReader(fixture.SomeVTT),
				strings.NewReader(strings.Repeat("x", vitrine.MaxCaptions))), vitrine.CodeInvalidRequest},
		"broken off": {c.account, video, "en",
			io.MultiReader(strings.NewReader(fixture.SomeVTT), iotest.ErrReader(io.ErrUnexpectedEOF)),
			vitrine.CodeInvalidRequest},
		"400 before 404": {stranger, video, "en", strings.NewReader("x"), vitrine.CodeInvalidRequest},
	} {
		if _, err := c.Put(t.Context(), x.a, x.slug, x.language, x.text, nil); vitrine.CodeOf(err) != x.want {
			t.Errorf("%s: %v, want %s", about, err, x.want)
		}
	}
	if err := c.Delete(t.Context(), stranger, video, "en"); vitrine.CodeOf(err) != vitrine.CodeNotFound {
		t.Errorf("Delete by another account = %v, want not_found", err)
	}
	c.has(nil)
	most := []string{"af", "ar", "bg", "ca", "cs", "da", "de", "el", "en", "es", "et", "fi", "fr", "hr", "hu", "it",
		"ja", "ko", "lt", "lv"}
	for _, language := range most {
		if err := c.put(language, fixture.SomeVTT); err != nil {
			t.Fatal(err)
		}
	}
	if code := vitrine.CodeOf(c.put("nl", fixture.SomeVTT)); code != vitrine.CodeInvalidRequest {
		t.Errorf("21st language: code %q, want invalid_request", code)
	}
	if err := c.put("lv", vttSaying("Labrīt.")); err != nil {
		t.Errorf("replacing one of 20 languages: %v", err)
	}
	c.audit()
}

// TestCaptionsSurviveFaults fails each operation. No link then names captions
// that do not exist, and the request can be repeated (promise 7).
func TestCaptionsSurviveFaults(t *testing.T) {
	f := &fixture.Injector{}
	c := newCaptioned(t, f)
	for _, f.After = range []bool{false, true} {
		for n := int64(1); ; n++ {
			if err := errors.Join(c.delete("de"), c.put("en", vttSaying("Before."))); err != nil {
				t.Fatal(err)
			}
			f.N = f.Operations() + n
			err := errors.Join(c.put("de", fixture.SomeVTT), c.put("en", vttSaying("After.")), c.delete("en"))
			hit := f.Hit()
			f.N = 0
			if hit != (err != nil) {
				t.Errorf("operation %d failed = %v, error = %v", n, hit, err)
			}
			c.audit()
			for _, err := range []error{c.put("de", vttSaying("Guten Morgen.")), c.delete("en"), c.delete("en")} {
				if err != nil {
					t.Errorf("again after operation %d: %v", n, err)
				}
			}
			c.has(map[string]string{"de": vttSaying("Guten Morgen.")})
			c.audit()
			if !hit {
				if n < 15 {
					t.Errorf("only %d operations were failed, want at least 15", n)
				}
				break
			}
		}
	}
}

// hesitant is storage that gives another request the chance to run before it
// deletes a part.
type hesitant struct {
	vitrine.Blobs
	between func(done func())
}

func (b hesitant) DeletePart(ctx context.Context, key vitrine.UploadID, p vitrine.Part) error {
	var done atomic.Bool
	go b.between(func() { done.Store(true) })
	for n := 0; n < 300_000 && !done.Load(); n++ {
		runtime.Gosched()
	}
	return b.Blobs.DeletePart(ctx, key, p)
}

// TestCaptionsAtOnce checks that a Put waits for a Delete in progress.
// Otherwise the link would name the captions that the Delete then removes.
func TestCaptionsAtOnce(t *testing.T) {
	c := newCaptioned(t, &fixture.Injector{})
	if err := c.put("en", vttSaying("Before.")); err != nil {
		t.Fatal(err)
	}
	var put sync.WaitGroup
	put.Add(1)
	c.Captions.Blobs = hesitant{c.blobs, func(done func()) {
		defer put.Done()
		if err := c.put("en", fixture.SomeVTT); err != nil {
			t.Error(err)
		}
		done()
	}}
	if err := c.delete("en"); err != nil {
		t.Fatal(err)
	}
	put.Wait()
	c.has(map[string]string{"en": fixture.SomeVTT})
	c.audit()
}

// around is storage that calls functions, once each, before and after a part is
// deleted, and after one is stored.
type around struct {
	vitrine.Blobs
	beforeDelete, afterDelete, afterPut sync.Once
	before, after, put                  func()
}

func (b *around) DeletePart(ctx context.Context, key vitrine.UploadID, p vitrine.Part) error {
	b.beforeDelete.Do(b.before)
	err := b.Blobs.DeletePart(ctx, key, p)
	b.afterDelete.Do(b.after)
	return err
}

func (b *around) PutPart(ctx context.Context, key vitrine.UploadID, p vitrine.Part, body io.Reader) error {
	err := b.Blobs.PutPart(ctx, key, p, body)
	b.afterPut.Do(b.put)
	return err
}

// TestCaptionsOfTwoInstances interleaves a Put of one process with a Delete of
// another. No link then names a text that does not exist.
func TestCaptionsOfTwoInstances(t *testing.T) {
	nothing := func() {}
	for about, f := range map[string]func(c *captioned, other *publish.Captions,
		blobs *around) (want map[string]string){
		"put before the text is removed": func(c *captioned, other *publish.Captions, blobs *around) map[string]string {
			blobs.before = func() { c.put("de", vttSaying("Zwei.")) }
			other.Delete(t.Context(), c.account, string(c.video.Slug), "de")
			return nil
		},
		"put after the text is removed": func(c *captioned, other *publish.Captions, blobs *around) map[string]string {
			blobs.after = func() { c.put("de", vttSaying("Zwei.")) }
			other.Delete(t.Context(), c.account, string(c.video.Slug), "de")
			return map[string]string{"de": vttSaying("Zwei.")}
		},
		"deleted before the text is named": func(c *captioned, other *publish.Captions,
			blobs *around) map[string]string {
			blobs.put = func() { c.delete("de") }
			other.Put(t.Context(), c.account, string(c.video.Slug), "de", strings.NewReader(vttSaying("Zwei.")), nil)
			return map[string]string{"de": vttSaying("Zwei.")}
		},
	} {
		for _, first := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, one first: %v", about, first), func(t *testing.T) {
				c := newCaptioned(t, &fixture.Injector{})
				if first {
					if err := c.put("de", vttSaying("Eins.")); err != nil {
						t.Fatal(err)
					}
				}
				blobs := &around{Blobs: c.blobs, before: nothing, after: nothing, put: nothing}
				c.has(f(c, &publish.Captions{Store: c.store, Blobs: blobs, Now: time.Now}, blobs))
				c.audit()
			})
		}
	}
}

// afterOpen is storage that calls a function after it has opened bytes.
type afterOpen struct {
	vitrine.Blobs
	then func()
}

func (b afterOpen) Open(ctx context.Context, key vitrine.UploadID) (vitrine.Blob, error) {
	x, err := b.Blobs.Open(ctx, key)
	b.then()
	return x, err
}

// TestAuditOfCaptions checks that the audit reports missing captions, but not
// captions, or those of a link, that are deleted during the audit.
func TestAuditOfCaptions(t *testing.T) {
	for about, x := range map[string]struct {
		then   func(*captioned) error
		faults int
	}{
		"nothing":          {func(*captioned) error { return nil }, 0},
		"captions deleted": {func(c *captioned) error { return c.delete("de") }, 0},
		"link deleted": {func(c *captioned) error {
			return c.links.Delete(t.Context(), string(c.video.Slug), fixture.Administrator(""))
		}, 0},
		"captions lost": {func(c *captioned) error {
			return c.blobs.DeletePart(t.Context(), c.video.Upload, vitrine.CaptionsPart("de"))
		}, 1},
	} {
		t.Run(about, func(t *testing.T) {
			c := newCaptioned(t, &fixture.Injector{})
			if err := c.put("de", fixture.SomeVTT); err != nil {
				t.Fatal(err)
			}
			a := &audit.Checker{Store: c.store, Log: c.log, Now: time.Now, Blobs: afterOpen{c.blobs, func() {
				if err := x.then(c); err != nil {
					t.Error(err)
				}
			}}}
			var faults []string
			if err := a.Run(t.Context(), func(fault string) { faults = append(faults, fault) }); err != nil {
				t.Fatal(err)
			}
			if len(faults) != x.faults {
				t.Errorf("faults = %q, want %d", faults, x.faults)
			}
		})
	}
}

package publish_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/collections"
	"vitrine/internal/app/publish"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/filetype"
	"vitrine/internal/test/fixture"
)

// failing is an instance whose use cases have a fault injector before their
// ports.
type failing struct {
	*fixture.Instance
	uploads  *publish.Uploads
	captions *publish.Captions
}

// begin starts an upload and stores its bytes.
func (f failing) begin(r publish.UploadRequest, content string) publish.CompleteRequest {
	f.T.Helper()
	kind, _ := filetype.ByExt(r.Name)
	r.Type, r.Size = kind.MIME, int64(len(content))
	b, err := f.Uploads.Create(f.T.Context(), f.Account, r)
	f.Must(err)
	f.Put(b.Path, kind.MIME, content)
	return publish.CompleteRequest{Path: string(b.Path), Name: r.Name, Type: r.Type, Replaces: r.Replaces,
		Website: r.Website}
}

// completes returns a request to complete an upload.
func (f failing) completes(r publish.UploadRequest, content string) func() error {
	c := f.begin(r, content)
	return func() error {
		_, err := f.uploads.Complete(f.T.Context(), f.Account, c)
		return err
	}
}

func websiteZIP(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("index.html")
	if err == nil {
		_, err = io.WriteString(w, "<!doctype html><title>Site</title>"+text)
	}
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// requests are the requests of this package that change something. Each
// prepares one of them and returns it, with the code of its answer if nothing
// fails. n is another number each time.
var requests = map[string]func(f failing, n int) (do func() error, want vitrine.Code){
	"complete a link": func(f failing, n int) (func() error, vitrine.Code) {
		return f.completes(publish.UploadRequest{Name: "note.txt"}, fmt.Sprint("text ", n)), ""
	},
	"complete a refused file": func(f failing, n int) (func() error, vitrine.Code) {
		return f.completes(publish.UploadRequest{Name: "picture.png"}, fmt.Sprint("text ", n)),
			vitrine.CodeContentMismatch
	},
	"complete malware": func(f failing, n int) (func() error, vitrine.Code) {
		f.Scanner.Verdict = fixture.Malware
		return f.completes(publish.UploadRequest{Name: "note.txt"}, fmt.Sprint("virus ", n)), vitrine.CodeMalware
	},
	"complete a version": func(f failing, n int) (func() error, vitrine.Code) {
		l := f.Note("first")
		return f.completes(publish.UploadRequest{Name: "note.txt", Replaces: string(l.Slug)}, fmt.Sprint("text ", n)),
			""
	},
	"complete the same bytes": func(f failing, n int) (func() error, vitrine.Code) {
		l := f.Note("first")
		return f.completes(publish.UploadRequest{Name: "note.txt", Replaces: string(l.Slug)}, "first"), ""
	},
	"complete a version of a deleted link": func(f failing, n int) (func() error, vitrine.Code) {
		l := f.Note("first")
		do := f.completes(publish.UploadRequest{Name: "note.txt", Replaces: string(l.Slug)}, fmt.Sprint("text ", n))
		f.Must(f.Links.Delete(f.T.Context(), string(l.Slug), fixture.Administrator("")))
		return do, vitrine.CodeNotFound
	},
	"complete a website": func(f failing, n int) (func() error, vitrine.Code) {
		return f.completes(publish.UploadRequest{Name: "website.zip", Website: f.website()},
			websiteZIP(f.T, fmt.Sprint(n))), ""
	},
	"deploy a link": func(f failing, n int) (func() error, vitrine.Code) {
		l, err := f.Complete("site.zip", websiteZIP(f.T, fmt.Sprint(n)))
		f.Must(err)
		site := vitrine.Slug(f.website())
		return func() error {
			_, err := f.uploads.Deploy(f.T.Context(), f.Account, l, site)
			return err
		}, ""
	},
	"create": func(f failing, n int) (func() error, vitrine.Code) {
		key := fmt.Sprintf("00000000-0000-4000-8000-%012d", n)
		return f.creates(&key), ""
	},
	"create in the room of a deleted file": func(f failing, n int) (func() error, vitrine.Code) {
		l := f.Note(strings.Repeat("x", 100))
		f.Must(f.Links.Delete(f.T.Context(), string(l.Slug), fixture.Administrator("")))
		f.uploads.Plans = vitrine.Plans{vitrine.PlanPro: {StorageBytes: 110}}
		return f.creates(nil), ""
	},
	"cancel": func(f failing, n int) (func() error, vitrine.Code) {
		path := f.begin(publish.UploadRequest{Name: "note.txt"}, fmt.Sprint("text ", n)).Path
		return func() error { return f.uploads.Cancel(f.T.Context(), f.Account, path) }, ""
	},
	"put captions": func(f failing, n int) (func() error, vitrine.Code) {
		return f.putsCaptions(f.Clip(), n), ""
	},
	"replace captions": func(f failing, n int) (func() error, vitrine.Code) {
		l := f.Clip()
		f.Must(f.putsCaptions(l, -n)())
		return f.putsCaptions(l, n), ""
	},
	"delete captions": func(f failing, n int) (func() error, vitrine.Code) {
		l := f.Clip()
		f.Must(f.putsCaptions(l, n)())
		return func() error { return f.captions.Delete(f.T.Context(), f.Account, string(l.Slug), "en") }, ""
	},
}

func (f failing) website() string {
	f.T.Helper()
	site, err := (&collections.Sites{Store: f.Store, Now: f.Clock.Now}).Create(f.T.Context(), f.Account, "Site", "")
	f.Must(err)
	return string(site.Slug)
}

func (f failing) creates(key *string) func() error {
	r := publish.UploadRequest{Name: "note.txt", Type: "text/plain", Size: 50, IdempotencyKey: key}
	return func() error {
		_, err := f.uploads.Create(f.T.Context(), f.Account, r)
		return err
	}
}

func (f failing) putsCaptions(l *vitrine.Link, n int) func() error {
	return func() error {
		_, err := f.captions.Put(f.T.Context(), f.Account, string(l.Slug), "en",
			strings.NewReader(vttSaying(fmt.Sprint(n))), nil)
		return err
	}
}

// stored returns all that an instance stores: every row, and the captions of
// every link.
func (f failing) stored() (all []string) {
	f.T.Helper()
	f.Must(f.Store.DB.Read(f.T.Context(), func(tx *sqldb.Tx) error {
		var selects []string
		add := func(to *[]string) func(sqldb.Scanner) error {
			return func(row sqldb.Scanner) error {
				var text string
				err := row.Scan(&text)
				*to = append(*to, text)
				return err
			}
		}
		err := tx.Each(add(&selects), `SELECT 'SELECT ''' || t.name || ''' || ' ||
			group_concat('quote("' || c.name || '")', ' || '' '' || ') || ' FROM "' || t.name || '"'
			FROM sqlite_master t JOIN pragma_table_info(t.name) c WHERE t.type = 'table' GROUP BY t.name`)
		for _, query := range selects {
			err = errors.Join(err, tx.Each(add(&all), query))
		}
		return err
	}))
	list, err := vitrine.Read(f.T.Context(), f.Store, func(tx vitrine.Tx) ([]*vitrine.Link, error) {
		return tx.Links(vitrine.LinkQuery{})
	})
	f.Must(err)
	for _, l := range list {
		for _, p := range l.Parts.All() {
			text := "missing"
			if b, err := f.Blobs.OpenPart(f.T.Context(), l.Upload, p); err == nil {
				read, err := io.ReadAll(b)
				f.Must(errors.Join(err, b.Close()))
				text = string(read)
			}
			all = append(all, fmt.Sprint(l.ID, p, text))
		}
	}
	slices.Sort(all)
	return all
}

// TestUnavailableChangedNothing fails each operation of each request, before or
// after its effect. Where the answer is that Vitrine is unavailable, nothing is
// stored, unless the message says that something may be. Repeating the request
// then has the answer that it would have had (contract, Errors).
func TestUnavailableChangedNothing(t *testing.T) {
	for name, prepare := range requests {
		t.Run(name, func(t *testing.T) {
			f := failing{Instance: fixture.New(t)}
			hits := 0
			for n, after := 1, false; ; n++ {
				f.Clock.Advance(5 * time.Minute) // stays below the hourly limit
				f.Scanner.Verdict = fixture.Clean
				inject := &fixture.Injector{After: after}
				f.uploads = &publish.Uploads{Store: inject.Store(f.Store), Blobs: inject.Blobs(f.Blobs),
					Scanner: f.Scanner, Plans: f.Uploads.Plans, Now: f.Clock.Now}
				f.captions = &publish.Captions{Store: inject.Store(f.Store), Blobs: inject.Blobs(f.Blobs),
					Now: f.Clock.Now}
				do, want := prepare(f, n)
				before := f.stored()
				inject.N = inject.Operations() + int64(n)
				err := do()
				var e *vitrine.Error
				switch code := vitrine.CodeOf(err); {
				case code == want, code == "" && name == "complete malware": // held, because it was not scanned
				case code != vitrine.CodeUnavailable || !errors.As(err, &e):
					t.Errorf("with operation %d failing (after: %v): %v, want unavailable or %q", n, after, err, want)
				case e.Message == vitrine.Unavailable(nil).Message:
					if now := f.stored(); !slices.Equal(now, before) {
						t.Errorf("with operation %d failing (after: %v): %v, but it changed\n%s\nto\n%s", n, after, err,
							strings.Join(before, "\n"), strings.Join(now, "\n"))
					}
				}
				hit := inject.Hit()
				inject.N = 0
				if again := do(); vitrine.CodeOf(again) != want && !(err == nil && again == nil) {
					t.Errorf("after operation %d failed (after: %v), a retry returns %v, want %q", n, after, again, want)
				}
				switch {
				case hit:
					hits++
				case after:
					if hits < 6 {
						t.Errorf("%d operations failed, want at least 6", hits)
					}
					return
				default:
					n, after = 0, true
				}
			}
		})
	}
}

package publish_test

import (
	"context"
	"testing"

	"vitrine"
	"vitrine/internal/app/publish"
	"vitrine/internal/filetype"
	"vitrine/internal/test/fixture"
)

// meanwhile is storage that calls a function just before bytes are sealed.
type meanwhile struct {
	vitrine.Blobs
	happens func()
}

func (b meanwhile) Seal(ctx context.Context, key vitrine.UploadID) (vitrine.BlobInfo, error) {
	b.happens()
	return b.Blobs.Seal(ctx, key)
}

// TestCompleteByTwo completes an upload in two processes at once, and one of
// them finds malware. Whichever is first, both return the result or ask for a
// retry, and the finding is not lost.
func TestCompleteByTwo(t *testing.T) {
	content := "what two look at\n"
	begin := func(s *fixture.Instance) publish.CompleteRequest {
		kind, _ := filetype.ByExt("note.txt")
		b, err := s.Uploads.Create(t.Context(), s.Account,
			publish.UploadRequest{Name: "note.txt", Type: kind.MIME, Size: int64(len(content))})
		s.Must(err)
		s.Put(b.Path, kind.MIME, content)
		return publish.CompleteRequest{Path: string(b.Path), Name: "note.txt", Type: kind.MIME}
	}
	other := func(s *fixture.Instance, m *fixture.Scanner) *publish.Uploads {
		return &publish.Uploads{Store: s.Store, Blobs: s.Blobs, Scanner: m, Plans: vitrine.DefaultPlans(),
			Now: s.Clock.Now}
	}
	t.Run("refused first", func(t *testing.T) {
		s := fixture.New(t)
		r, refuses := begin(s), other(s, &fixture.Scanner{Known: "1", Verdict: fixture.Malware})
		s.Uploads.Blobs = meanwhile{s.Blobs, func() {
			if _, err := refuses.Complete(t.Context(), s.Account, r); vitrine.CodeOf(err) != vitrine.CodeMalware {
				t.Errorf("second Complete = %v, want malware", err)
			}
		}}
		if _, err := s.Uploads.Complete(t.Context(), s.Account, r); vitrine.CodeOf(err) != vitrine.CodeMalware {
			t.Errorf("third Complete = %v, want malware", err)
		}
	})
	t.Run("published first", func(t *testing.T) {
		s := fixture.New(t)
		r, publishes := begin(s), other(s, &fixture.Scanner{Known: "1", Verdict: fixture.Clean})
		var l *vitrine.Link
		s.Scanner.Verdict = fixture.Malware
		s.Scanner.During = func() {
			var err error
			if l, err = publishes.Complete(t.Context(), s.Account, r); err != nil || l.State != vitrine.StateLive {
				t.Errorf("second Complete = %+v, %v, want the live link", l, err)
			}
		}
		made, err := s.Uploads.Complete(t.Context(), s.Account, r)
		s.Must(err)
		if made.ID != l.ID {
			t.Errorf("%+v and %+v, want the same link", made, l)
		}
		s.Scanner.During = nil
		s.Rescan() // a minute later
		s.WantState(l, vitrine.StateReview, vitrine.ReasonMalware, fixture.Malware.Signature)
	})
}

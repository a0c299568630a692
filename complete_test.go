package vitrine_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/filetype"
)

// meanwhile is storage in which something happens just before bytes are sealed.
type meanwhile struct {
	vitrine.Blobs
	happens func()
}

func (b meanwhile) Seal(ctx context.Context, key vitrine.UploadID) (vitrine.BlobInfo, error) {
	b.happens()
	return b.Blobs.Seal(ctx, key)
}

// Two processes complete an upload at once, and the scanner of one finds malware. Whichever is first: both answer for what became of it, or ask to
// be asked again, and nothing that was found is forgotten.
func TestCompleteByTwo(t *testing.T) {
	content := "what two look at\n"
	begin := func(s *scanning) vitrine.CompleteRequest {
		kind, _ := filetype.ByExt("note.txt")
		b, err := s.uploads.Create(t.Context(), s.account, vitrine.UploadRequest{Name: "note.txt", Type: kind.MIME, Size: int64(len(content))})
		s.must(err)
		_, err = s.blobs.Receive(t.Context(), vitrine.PutGrant{Key: b.Path, Size: int64(len(content)), Type: kind.MIME, Expires: s.clock.Now().Add(time.Minute)}, strings.NewReader(content))
		s.must(err)
		return vitrine.CompleteRequest{Path: string(b.Path), Name: "note.txt", Type: kind.MIME}
	}
	other := func(s *scanning, m *mouth) *vitrine.Uploads {
		return &vitrine.Uploads{Store: s.store, Blobs: s.blobs, Scanner: m, Plans: vitrine.DefaultPlans(), Now: s.clock.Now}
	}
	t.Run("refused first", func(t *testing.T) {
		s := newScanning(t)
		r, refuses := begin(s), other(s, &mouth{signatures: "1", verdict: malware})
		s.uploads.Blobs = meanwhile{s.blobs, func() {
			if _, err := refuses.Complete(t.Context(), s.account, r); vitrine.CodeOf(err) != vitrine.CodeMalware {
				t.Errorf("the other: %v", err)
			}
		}}
		if _, err := s.uploads.Complete(t.Context(), s.account, r); vitrine.CodeOf(err) != vitrine.CodeMalware {
			t.Errorf("%v", err)
		}
	})
	t.Run("published first", func(t *testing.T) {
		s := newScanning(t)
		r, publishes := begin(s), other(s, &mouth{signatures: "1", verdict: clean})
		var l *vitrine.Link
		s.mouth.verdict = malware
		s.mouth.during = func() {
			var err error
			if l, err = publishes.Complete(t.Context(), s.account, r); err != nil || l.State != vitrine.StateLive {
				t.Errorf("the other: %+v, %v", l, err)
			}
		}
		made, err := s.uploads.Complete(t.Context(), s.account, r)
		s.must(err)
		if made.ID != l.ID {
			t.Errorf("%+v and %+v", made, l)
		}
		s.mouth.during = nil
		s.rescan() // in a minute
		s.is(l, vitrine.StateReview, vitrine.ReasonMalware, malware.Signature)
	})
}

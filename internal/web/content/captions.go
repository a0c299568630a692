package content

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"time"

	"vitrine"
	"vitrine/internal/web/httpx"
)

// Captions sends the captions of a link in one language.
func (s *Handler) Captions(w http.ResponseWriter, r *http.Request, l *vitrine.Link) error {
	tag, err := vitrine.ParseLanguage(r.PathValue("language"))
	part := vitrine.CaptionsPart(tag)
	if err != nil || !l.HasBytes || !l.Parts.Has(part) {
		return httpx.ErrNoPage
	}
	blob, err := s.Viewers.Open(r.Context(), func(ctx context.Context) (vitrine.Blob, error) {
		return s.Blobs.OpenPart(ctx, l.Upload, part)
	})
	if errors.Is(err, vitrine.ErrNotFound) {
		return httpx.ErrNoPage // deleted concurrently
	}
	if err != nil {
		return vitrine.Unavailable(err)
	}
	defer blob.Close()
	text, err := io.ReadAll(blob)
	if err != nil {
		return vitrine.Unavailable(err)
	}
	sum := sha256.Sum256(text)
	h := w.Header()
	s.Server.SetPolicy(w, r, httpx.FileBytes)
	h.Set("Content-Type", "text/vtt; charset=utf-8")
	h.Set("ETag", `"`+hex.EncodeToString(sum[:])+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
	return nil
}

package viewer

import (
	"net/http"
	"time"

	"vitrine"
	"vitrine/internal/signer"
	"vitrine/internal/web/httpx"
)

// ContentAddress is where the content host has something of a link: "file",
// "view" or "frame". The token's time counts from the beginning of the hour, so
// that for an hour a file keeps its address, and a copy that a browser has kept
// can be used again.
func (s *Viewers) ContentAddress(l *vitrine.Link, what string) string {
	until := s.Now().Truncate(time.Hour).Add(signer.ContentLife)
	return httpx.Origin(s.ContentURL) + httpx.ContentRoot + s.Signer.ContentToken(l.ID, l.Version, until) + "/" + what
}

// Blob opens a link's bytes.
func (s *Viewers) Blob(r *http.Request, l *vitrine.Link) (vitrine.Blob, error) {
	if !l.HasBytes {
		return nil, httpx.ErrNoPage
	}
	return vitrine.OpenWhole(r.Context(), s.Blobs, l)
}

// SendBlob answers with bytes, whole or in ranges; they never change, so their
// hash is a strong validator.
func SendBlob(w http.ResponseWriter, r *http.Request, l *vitrine.Link, b vitrine.Blob) {
	w.Header().Set("ETag", `"`+l.SHA256+`"`)
	http.ServeContent(w, r, "", time.Time{}, b)
}

// ExamineAddress is where the content host has something of a link for a
// moderator. It is for their pages alone.
func (s *Viewers) ExamineAddress(l *vitrine.Link, what string) string {
	return httpx.Origin(s.ContentURL) + httpx.ContentRoot + s.Signer.ExamineToken(l.ID,
		s.Now().Add(signer.ExamineLife)) + "/" + what
}

package viewer

import (
	"context"
	"net/http"
	"time"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/base/signer"
	"vitrine/internal/web/httpx"
)

// ContentAddress returns the address of something of a link on the content
// host: "file", "view" or "frame". It is only for readers who have passed the
// link's gate, and carries their pass. The token's time starts at the full
// hour, so a file has the same address for an hour and browsers can reuse their
// copy.
func (s *Viewers) ContentAddress(l *vitrine.Link, p vitrine.Pass, what string) string {
	until := s.Now().Truncate(time.Hour).Add(signer.ContentLife)
	if !l.OpenedBy(p) {
		p.Round = l.Access.Round
	}
	token := s.Signer.ContentToken(signer.Content{Link: l.ID, Version: l.Version, Pass: p,
		Recipient: l.Through.Recipient}, until)
	return httpx.Origin(s.Server.ContentURL) + httpx.ContentRoot + token + "/" + what
}

// Blob opens a link's bytes for the sender of a request.
func (s *Viewers) Blob(r *http.Request, l *vitrine.Link) (vitrine.Blob, error) {
	if !l.HasBytes {
		return nil, httpx.ErrNoPage
	}
	if err := s.fetches(r, l); err != nil {
		return nil, err
	}
	return s.Open(r.Context(), func(ctx context.Context) (vitrine.Blob, error) {
		return access.OpenWhole(ctx, s.Blobs, l)
	})
}

// SendBlob sends bytes, whole or in ranges. They never change, so their hash is
// a strong validator.
func SendBlob(w http.ResponseWriter, r *http.Request, l *vitrine.Link, b vitrine.Blob) {
	w.Header().Set("ETag", `"`+l.SHA256+`"`)
	http.ServeContent(w, r, "", time.Time{}, b)
}

// ExamineAddress returns the address of something of a link on the content host
// for a moderator. Only moderators' pages may contain it.
func (s *Viewers) ExamineAddress(l *vitrine.Link, by *vitrine.Account, what string) string {
	return httpx.Origin(s.Server.ContentURL) + httpx.ContentRoot + s.Signer.ExamineToken(l.ID, by.ID,
		s.Now().Add(signer.ExamineLife)) + "/" + what
}

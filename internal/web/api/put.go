package api

import (
	"net/http"

	"vitrine"
	"vitrine/internal/filetype"
	"vitrine/internal/web/httpx"
)

// StorageRoot is the path of signed upload URLs if this process stores the
// bytes.
const StorageRoot = "/storage/"

// putElsewhere answers URLs that were signed while this process stored the
// files itself. The error makes clients start again.
func putElsewhere(w http.ResponseWriter) error {
	w.Header().Set("Connection", "close") // the body is not worth reading
	return vitrine.Errorf(vitrine.CodeURLExpired, "The upload address has changed. Repeat step 1.")
}

// PutFile does step 2 of an upload: it stores the bytes of a file.
func (s *Handler) PutFile(w http.ResponseWriter, r *http.Request) error {
	if s.Receiver == nil {
		return putElsewhere(w)
	}
	g, err := s.Signer.VerifyPut(r.PathValue("key"), r.URL.Query(), s.Now())
	if err != nil {
		return err
	}
	if filetype.MediaType(r.Header.Get("Content-Type")) != filetype.MediaType(g.Type) { // clients add a charset
		return vitrine.Errorf(vitrine.CodeTypeMismatch,
			"The Content-Type of the PUT must be %q, as announced in step 1.", g.Type)
	}
	if r.ContentLength >= 0 && r.ContentLength != g.Size {
		return vitrine.Errorf(vitrine.CodeSizeMismatch, "The file has %d bytes; %d were announced in step 1.",
			r.ContentLength, g.Size)
	}
	if err := s.Uploads.MayPut(r.Context(), g.Key); err != nil {
		return err
	}
	etag, err := s.Receiver.Receive(r.Context(), g, httpx.WithoutBodyDeadline(r))
	if err != nil {
		w.Header().Set("Connection", "close") // the rest of the body is not needed
		return err
	}
	w.Header().Set("ETag", etag)
	return httpx.WriteJSON(w, struct{}{})
}

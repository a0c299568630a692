package api

import (
	"crypto/sha1"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"hash"
	"io"
	"net/http"
	"strconv"
	"strings"

	"vitrine"
	"vitrine/internal/app/publish"
	"vitrine/internal/web/httpx"
)

// An upload in chunks follows the protocol tus 1.0.0 with the extensions
// checksum and termination. Step 1 creates it, so creation is not offered.
const (
	tusVersion    = "1.0.0"
	tusExtensions = "checksum,termination"
	tusChecksums  = "sha1,sha256"
	chunkType     = "application/offset+octet-stream"

	// ChunkHeaders are the request headers of the protocol, for other origins.
	ChunkHeaders = "Tus-Resumable, Upload-Offset, Upload-Length, Upload-Checksum, X-HTTP-Method-Override"

	shownChunkHeaders = "Tus-Resumable, Tus-Version, Tus-Extension, Tus-Checksum-Algorithm, Upload-Offset, Upload-Length, Retry-After, X-Request-Id"
)

// ChunkURL returns the address at which the bytes of an upload arrive in
// chunks, or "" if storage cannot take them.
func (s *Handler) ChunkURL(id vitrine.UploadID) string {
	if s.Uploads.Resumer() == nil {
		return ""
	}
	return s.Server.PublicURL.String() + StorageRoot + string(id) + "?" + s.Signer.SignChunks(id).Encode()
}

// StorageOptions describes uploads in chunks in the answer to OPTIONS.
func (s *Handler) StorageOptions(w http.ResponseWriter) {
	if s.Uploads.Resumer() == nil {
		return
	}
	h := w.Header()
	h.Set("Tus-Resumable", tusVersion)
	h.Set("Tus-Version", tusVersion)
	h.Set("Tus-Extension", tusExtensions)
	h.Set("Tus-Checksum-Algorithm", tusChecksums)
	h.Set("Access-Control-Expose-Headers", shownChunkHeaders)
}

// chunkHandler serves a request about an upload in chunks.
type chunkHandler func(w http.ResponseWriter, r *http.Request, u *vitrine.Upload) error

// onChunks admits requests of the protocol with the address of an upload.
func (s *Handler) onChunks(w http.ResponseWriter, r *http.Request, h chunkHandler) error {
	w.Header().Set("Tus-Resumable", tusVersion)
	w.Header().Set("Access-Control-Expose-Headers", shownChunkHeaders)
	err := s.withChunks(w, r, h)
	if err != nil && r.ContentLength != 0 {
		w.Header().Set("Connection", "close") // the rest of the body is not needed
	}
	return err
}

func (s *Handler) withChunks(w http.ResponseWriter, r *http.Request, h chunkHandler) error {
	id, ok := s.Signer.VerifyChunks(r.PathValue("key"), r.URL.Query())
	if !ok || s.Uploads.Resumer() == nil {
		return publish.ErrNoUpload
	}
	if r.Header.Get("Tus-Resumable") != tusVersion {
		w.Header().Set("Tus-Version", tusVersion)
		return vitrine.Errorf(vitrine.CodeUnsupportedVersion, "Send Tus-Resumable: %s.", tusVersion)
	}
	u, err := s.Uploads.Resumable(r.Context(), id)
	if err == nil {
		err = wrongChunkHeader(r, u)
	}
	if err == nil {
		err = h(w, r, u)
	}
	return err
}

// wrongChunkHeader returns an error for a header that does not agree with step
// 1.
func wrongChunkHeader(r *http.Request, u *vitrine.Upload) error {
	for _, name := range []string{"Upload-Defer-Length", "Upload-Metadata", "Upload-Concat"} {
		if r.Header.Get(name) != "" {
			return wrongHeader(name, "Leave %s out: step 1 has the name, the type and the size of the file.", name)
		}
	}
	if n := r.Header.Get("Upload-Length"); n != "" && n != strconv.FormatInt(u.Size, 10) {
		return wrongHeader("Upload-Length", "Upload-Length is %q; %d bytes were announced in step 1.", n, u.Size)
	}
	return nil
}

func wrongHeader(name, format string, args ...any) error {
	e := vitrine.Errorf(vitrine.CodeInvalidRequest, format, args...)
	e.Field = name
	return e
}

// ReceivedBytes answers how many bytes of an upload have arrived.
func (s *Handler) ReceivedBytes(w http.ResponseWriter, r *http.Request) error {
	return s.onChunks(w, r, func(w http.ResponseWriter, r *http.Request, u *vitrine.Upload) error {
		n, err := s.received(r, u)
		if err != nil {
			return err
		}
		w.Header().Set("Upload-Offset", strconv.FormatInt(n, 10))
		w.Header().Set("Upload-Length", strconv.FormatInt(u.Size, 10))
		w.WriteHeader(http.StatusOK)
		return nil
	})
}

func (s *Handler) received(r *http.Request, u *vitrine.Upload) (int64, error) {
	if u.State != vitrine.UploadOpen {
		return u.Size, nil
	}
	return s.Uploads.Resumer().Received(r.Context(), grantOf(u))
}

func grantOf(u *vitrine.Upload) vitrine.PutGrant {
	return vitrine.PutGrant{Key: u.ID, Size: u.Size, Type: u.Type, Expires: u.CreatedAt.Add(vitrine.UploadLife)}
}

// AppendBytes does step 2 of an upload in chunks: it stores the next chunk. A
// client that got no answer to the last one may send an empty one behind it.
func (s *Handler) AppendBytes(w http.ResponseWriter, r *http.Request) error {
	return s.onChunks(w, r, func(w http.ResponseWriter, r *http.Request, u *vitrine.Upload) error {
		if r.Header.Get("Content-Type") != chunkType {
			return vitrine.Errorf(vitrine.CodeUnsupportedMedia, "The Content-Type of a chunk must be %s.", chunkType)
		}
		offset, err := strconv.ParseUint(r.Header.Get("Upload-Offset"), 10, 63)
		if err != nil || len(r.Header.Values("Upload-Offset")) != 1 {
			return wrongHeader("Upload-Offset", "Upload-Offset must be the number of bytes that were received, 0 or more.")
		}
		at := int64(offset)
		if at <= u.Size && r.ContentLength > u.Size-at {
			return vitrine.Errorf(vitrine.CodeTooManyBytes, "The chunk ends behind the %d bytes announced in step 1.",
				u.Size)
		}
		if at == u.Size && r.ContentLength == 0 {
			if n, err := s.received(r, u); err != nil {
				return err
			} else if n == u.Size {
				return appended(w, n)
			}
		}
		body, err := s.Uploads.Chunk(r.Context(), u.ID, httpx.WithoutBodyDeadline(r))
		if err != nil {
			return err
		}
		body, verify, err := checksum(body, r.Header.Values("Upload-Checksum"))
		if err != nil {
			return err
		}
		n, err := s.Uploads.Append(r.Context(), grantOf(u), at, body, verify)
		if err != nil {
			return err
		}
		return appended(w, n)
	})
}

// appended says how many bytes have arrived.
func appended(w http.ResponseWriter, n int64) error {
	w.Header().Set("Upload-Offset", strconv.FormatInt(n, 10))
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// checksum returns a body and a function that compares it with the checksum of
// a request, or nil if that has none.
func checksum(body io.Reader, header []string) (summed io.Reader, verify func() error, err error) {
	if len(header) == 0 {
		return body, nil, nil
	}
	name, text, _ := strings.Cut(header[0], " ")
	sums := map[string]func() hash.Hash{"sha1": sha1.New, "sha256": sha256.New}
	want, err := base64.StdEncoding.DecodeString(text)
	if len(header) > 1 || sums[name] == nil || err != nil || len(want) != sums[name]().Size() {
		return nil, nil, wrongHeader("Upload-Checksum",
			"Upload-Checksum must be an algorithm (%s), a space, and the checksum in Base64.", tusChecksums)
	}
	sum := sums[name]()
	return io.TeeReader(body, sum), func() error {
		if subtle.ConstantTimeCompare(sum.Sum(nil), want) == 1 {
			return nil
		}
		return vitrine.Errorf(vitrine.CodeChecksumMismatch,
			"The chunk does not have this checksum. Nothing of it was kept: send it again.")
	}, nil
}

// EndChunks ends an upload and deletes what has arrived.
func (s *Handler) EndChunks(w http.ResponseWriter, r *http.Request) error {
	return s.onChunks(w, r, func(w http.ResponseWriter, r *http.Request, u *vitrine.Upload) error {
		if err := s.Uploads.Terminate(r.Context(), u.ID); err != nil {
			return err
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	})
}

// OverriddenMethod serves clients that cannot send PATCH or DELETE.
func (s *Handler) OverriddenMethod(w http.ResponseWriter, r *http.Request) error {
	switch r.Header.Get("X-HTTP-Method-Override") {
	case http.MethodPatch:
		return s.AppendBytes(w, r)
	case http.MethodDelete:
		return s.EndChunks(w, r)
	}
	return httpx.MethodNotAllowed(w, "HEAD, PATCH, PUT, DELETE, OPTIONS")
}

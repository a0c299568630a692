package api_test

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/webtest"
)

// chunkAddress returns the address at which the note can arrive in chunks.
func (c caller) chunkAddress() string {
	c.T.Helper()
	return c.create(nil).Want(200, "").Text("resumableUrl")
}

// storage sends a request about an upload in chunks, with other headers, by
// name and value.
func (c caller) storage(method, address string, body io.Reader, headers ...string) webtest.Answer {
	c.T.Helper()
	req, err := http.NewRequest(method, address, body)
	c.Check(err)
	req.Header.Set("Tus-Resumable", "1.0.0")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	return c.Do(req)
}

func (c caller) chunk(address string, offset int, text string, headers ...string) webtest.Answer {
	c.T.Helper()
	return c.storage("PATCH", address, strings.NewReader(text), append([]string{"Upload-Offset", strconv.Itoa(offset),
		"Content-Type", "application/offset+octet-stream"}, headers...)...)
}

func (c caller) terminate(address string, headers ...string) webtest.Answer {
	c.T.Helper()
	return c.storage("DELETE", address, nil, headers...)
}

// onChunks does something to a new upload in chunks before an operation.
func (c caller) onChunks(op string, do func(address string)) webtest.Answer {
	c.T.Helper()
	address := c.chunkAddress()
	do(address)
	if op == "terminateUpload" {
		return c.terminate(address)
	}
	return c.chunk(address, 0, webtest.Note)
}

func (c caller) ended(address string) {
	c.T.Helper()
	c.terminate(address).Want(204, "")
}

// path returns the path of the upload with an address.
func (c caller) path(address string) string {
	path, _, _ := strings.Cut(strings.TrimPrefix(address, c.URL+"/storage/"), "?")
	return path
}

func (c caller) finished(address string) {
	c.T.Helper()
	c.chunk(address, 0, webtest.Note).Want(204, "")
	c.complete(c.path(address), webtest.NoteFile).Want(200, "")
}

// chunkDuring sends a chunk while another one arrives.
func (c caller) chunkDuring(address string) webtest.Answer {
	c.T.Helper()
	for {
		r, w := io.Pipe()
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			defer r.Close()
			req, _ := http.NewRequest("PATCH", address, r)
			req.Header = http.Header{"Tus-Resumable": {"1.0.0"}, "Upload-Offset": {"0"},
				"Content-Type": {"application/offset+octet-stream"}}
			if res, err := http.DefaultClient.Do(req); err == nil {
				res.Body.Close()
			}
		}()
		fmt.Fprint(w, webtest.Note[:5]) // returns once the client reads it
		a, refused := c.refusedChunk(address, ended)
		w.CloseWithError(io.ErrUnexpectedEOF)
		<-ended
		if refused {
			return a
		}
	}
}

// refusedChunk sends empty chunks until one is refused, because the other one
// has the lock. It returns false if that one has ended: it came during an empty
// chunk and was refused itself.
func (c caller) refusedChunk(address string, ended <-chan struct{}) (webtest.Answer, bool) {
	for {
		a := c.chunk(address, 0, "")
		if a.Status != 204 {
			return a, true
		}
		select {
		case <-ended:
			return a, false
		default:
		}
	}
}

func (c caller) append() webtest.Answer { return c.chunk(c.chunkAddress(), 0, webtest.Note) }

func (c caller) end() webtest.Answer { return c.terminate(c.chunkAddress()) }

// before returns a function that does something to a new upload in chunks
// before an operation.
func before(do func(c caller, address string)) func(c caller, op string) webtest.Answer {
	return func(c caller, op string) webtest.Answer {
		return c.onChunks(op, func(address string) { do(c, address) })
	}
}

// without returns a function that takes the room of a new upload in chunks,
// whose hold has ended, before its next chunk.
func without(l vitrine.Limits) func(c caller, op string) webtest.Answer {
	return before(func(c caller, _ string) {
		c.create(nil).Want(200, "")
		c.Clock.Advance(vitrine.UploadHold)
		if l.Links > 0 {
			c.Published(c.key, webtest.NoteFile, webtest.Note)
		}
		c.free(l)
	})
}

// wrongly returns a function that sends the note with a header.
func wrongly(header, value string) func(c caller, op string) webtest.Answer {
	return func(c caller, op string) webtest.Answer {
		if op == "terminateUpload" {
			return c.terminate(c.chunkAddress(), header, value)
		}
		return c.chunk(c.chunkAddress(), 0, webtest.Note, header, value)
	}
}

// provokedOnChunks provokes the errors of operations on an upload in chunks.
var provokedOnChunks = map[vitrine.Code]func(c caller, op string) webtest.Answer{
	vitrine.CodeInvalidRequest:     wrongly("Upload-Length", "5"),
	vitrine.CodeUnsupportedVersion: wrongly("Tus-Resumable", "0.2.2"),
	vitrine.CodeOffsetMismatch: func(c caller, _ string) webtest.Answer {
		return c.chunk(c.chunkAddress(), 1, webtest.Note[1:])
	},
	vitrine.CodeUnsupportedMedia: wrongly("Content-Type", "text/plain"),
	vitrine.CodeChecksumMismatch: wrongly("Upload-Checksum", "sha1 AAAAAAAAAAAAAAAAAAAAAAAAAAA="),
	vitrine.CodeTooManyBytes: func(c caller, _ string) webtest.Answer {
		return c.chunk(c.chunkAddress(), 0, webtest.Note+"x")
	},
	vitrine.CodeUploadInProgress: func(c caller, _ string) webtest.Answer { return c.chunkDuring(c.chunkAddress()) },
	vitrine.CodeURLUsed:          before(caller.finished),
	vitrine.CodeNotFound:         before(caller.ended),
	vitrine.CodeBanned:           before(func(c caller, _ string) { c.Ban(c.key) }),
	vitrine.CodeLinkLimit:        without(vitrine.Limits{Links: 1}),
	vitrine.CodeFileTooLarge:     without(vitrine.Limits{FileBytes: 5}),
	vitrine.CodeStorageLimit:     without(vitrine.Limits{StorageBytes: 5}),
	vitrine.CodeRateLimited:      without(vitrine.Limits{HourlyUploads: 1}),
	vitrine.CodeMethodNotAllowed: caller.method,
	vitrine.CodeInternal:         before(func(c caller, _ string) { c.failing(webtest.ErrDamaged) }),
	vitrine.CodeUnavailable: before(func(c caller, _ string) {
		c.failing(vitrine.Unavailable(webtest.ErrDamaged))
	}),
}

// TestChunks sends a file in chunks, with clients that use the protocol in
// different ways.
func TestChunks(t *testing.T) {
	f := webtest.NewFixture(t)
	c := caller{f, f.Account(vitrine.PlanPro)}
	offset := func(address string, want int) {
		t.Helper()
		a := c.storage("HEAD", address, nil)
		if a.Status != 200 || a.Header.Get("Upload-Offset") != strconv.Itoa(want) ||
			a.Header.Get("Upload-Length") != strconv.Itoa(len(webtest.Note)) ||
			a.Header.Get("Cache-Control") != "no-store" || a.Header.Get("Tus-Resumable") != "1.0.0" {
			t.Errorf("HEAD: status %d, %v, want offset %d", a.Status, a.Header, want)
		}
	}
	address := c.chunkAddress()
	offset(address, 0)
	sum := sha256.Sum256([]byte(webtest.Note[:5]))
	a := c.chunk(address, 0, webtest.Note[:5], "Upload-Checksum", "sha256 "+base64.StdEncoding.EncodeToString(sum[:]))
	if a.Want(204, ""); a.Header.Get("Upload-Offset") != "5" || a.Header.Get("Tus-Resumable") != "1.0.0" {
		t.Errorf("PATCH: headers %v", a.Header)
	}
	offset(address, 5)
	c.storage("POST", address, strings.NewReader(webtest.Note[5:10]), "X-HTTP-Method-Override", "PATCH", "Upload-Offset",
		"5", "Content-Type", "application/offset+octet-stream").Want(204, "")
	c.complete(c.path(address), webtest.NoteFile).Want(400, "upload_incomplete")
	c.chunk(address, len(webtest.Note), "").Want(409, "offset_mismatch")
	offset(address, 10)
	c.chunk(address, 10, webtest.Note[10:], "Upload-Length", strconv.Itoa(len(webtest.Note))).Want(204, "")
	offset(address, len(webtest.Note))
	again := c.chunk(address, len(webtest.Note), "") // the answer to the last chunk may have been lost
	if again.Want(204, ""); again.Header.Get("Upload-Offset") != strconv.Itoa(len(webtest.Note)) {
		t.Errorf("PATCH behind the end: headers %v", again.Header)
	}
	slug := c.complete(c.path(address), webtest.NoteFile).Want(200, "").Text("slug")
	offset(address, len(webtest.Note)) // the answer to step 3 may have been lost
	if n := f.OpenPage(slug); n != 200 {
		t.Errorf("page of the link: %d", n)
	}

	ended := c.chunkAddress()
	c.chunk(ended, 0, webtest.Note[:5]).Want(204, "")
	c.storage("POST", ended, nil, "X-HTTP-Method-Override", "DELETE").Want(204, "")
	if a := c.storage("HEAD", ended, nil); a.Status != 404 || a.Header.Get("Upload-Offset") != "" {
		t.Errorf("HEAD of a cancelled upload: %d, %v, want 404", a.Status, a.Header)
	}
	c.complete(c.path(ended), webtest.NoteFile).Want(400, "upload_not_found")

	o := c.storage("OPTIONS", address, nil)
	for name, want := range map[string]string{"Tus-Version": "1.0.0", "Tus-Extension": "checksum,termination",
		"Tus-Checksum-Algorithm": "sha1,sha256", "Access-Control-Allow-Methods": "PUT, HEAD, PATCH, DELETE, POST"} {
		if o.Status != 204 || o.Header.Get(name) != want {
			t.Errorf("OPTIONS: status %d, %s: %s, want %s", o.Status, name, o.Header.Get(name), want)
		}
	}
	f.Audit()
}

// TestWrongChunks checks that requests that do not fit step 1 are refused, and
// change nothing.
func TestWrongChunks(t *testing.T) {
	f := webtest.NewFixture(t)
	c := caller{f, f.Account(vitrine.PlanPro)}
	address, other := c.chunkAddress(), c.chunkAddress()
	c.chunk(address, 0, webtest.Note[:5]).Want(204, "")
	rest := webtest.Note[5:]
	for _, w := range []struct {
		header, value string
		status        int
		code          string
	}{
		{"Upload-Length", strconv.Itoa(len(webtest.Note) + 1), 400, "invalid_request"},
		{"Upload-Length", "-1", 400, "invalid_request"},
		{"Upload-Length", "39.0", 400, "invalid_request"},
		{"Upload-Defer-Length", "1", 400, "invalid_request"},
		{"Upload-Metadata", "filename " + base64.StdEncoding.EncodeToString([]byte("../../etc/passwd")), 400,
			"invalid_request"},
		{"Upload-Concat", "partial", 400, "invalid_request"},
		{"Upload-Offset", "-5", 400, "invalid_request"},
		{"Upload-Offset", "", 400, "invalid_request"},
		{"Upload-Offset", "+5", 400, "invalid_request"},
		{"Upload-Offset", "5, 5", 400, "invalid_request"},
		{"Upload-Offset", "5e0", 400, "invalid_request"},
		{"Upload-Offset", "9223372036854775808", 400, "invalid_request"},
		{"Upload-Offset", "9223372036854775807", 409, "offset_mismatch"},
		{"Upload-Offset", "4", 409, "offset_mismatch"},
		{"Upload-Offset", "0", 409, "offset_mismatch"},
		{"Upload-Offset", "6", 413, "too_many_bytes"},
		{"Upload-Checksum", "sha1 AAAAAAAAAAAAAAAAAAAAAAAAAAA=", 460, "checksum_mismatch"},
		{"Upload-Checksum", "sha1 AAAA", 400, "invalid_request"},
		{"Upload-Checksum", "sha1", 400, "invalid_request"},
		{"Upload-Checksum", "md5 AAAAAAAAAAAAAAAAAAAAAA==", 400, "invalid_request"},
		{"Upload-Checksum", "sha1 ?", 400, "invalid_request"},
		{"Upload-Checksum", "", 400, "invalid_request"},
		{"Content-Type", "application/octet-stream", 415, "unsupported_media_type"},
		{"Content-Type", "", 415, "unsupported_media_type"},
		{"Tus-Resumable", "1.0.1", 412, "unsupported_version"},
		{"Tus-Resumable", "", 412, "unsupported_version"},
	} {
		a := c.chunk(address, 5, rest, w.header, w.value)
		if a.Want(w.status, w.code); w.code == "invalid_request" && a.Text("field") != w.header {
			t.Errorf("%s: %q: field %q", w.header, w.value, a.Text("field"))
		}
		if w.status == 412 && a.Header.Get("Tus-Version") != "1.0.0" {
			t.Errorf("%s: %q: no Tus-Version", w.header, w.value)
		}
	}
	// One byte more than declared, when the length of the body is not known.
	c.storage("PATCH", address, io.MultiReader(strings.NewReader(rest+"x")), "Upload-Offset", "5", "Content-Type",
		"application/offset+octet-stream").Want(413, "too_many_bytes")
	c.storage("POST", address, nil).Want(405, "method_not_allowed")
	c.storage("POST", address, nil, "X-HTTP-Method-Override", "PUT").Want(405, "method_not_allowed")

	// Addresses that nobody was given.
	signed := strings.SplitAfter(address, "?")
	for _, foreign := range []string{signed[0], signed[0] + "signature=", address + "A", address + "&size=39",
		strings.SplitAfter(other, "?")[0] + signed[1], c.URL + "/storage/" + string(vitrine.NewUploadID()) + "?" + signed[1],
		c.URL + "/storage/..%2F..%2Fetc%2Fpasswd?" + signed[1], c.address()} {
		if a := c.storage("HEAD", foreign, nil); a.Status != 404 {
			t.Errorf("HEAD %s: status %d, want 404", foreign, a.Status)
		}
		c.chunk(foreign, 0, webtest.Note).Want(404, "not_found")
		c.terminate(foreign).Want(404, "not_found")
	}
	f.Put(address, "text/plain", strings.NewReader(webtest.Note)).Want(403, "invalid_signature")

	// Nothing of all that was kept.
	if a := c.storage("HEAD", address, nil); a.Header.Get("Upload-Offset") != "5" {
		t.Errorf("offset %s, want 5", a.Header.Get("Upload-Offset"))
	}
	c.chunk(address, 5, rest).Want(204, "")
	c.complete(c.path(address), webtest.NoteFile).Want(200, "")
	f.Audit()
}

// TestChunksHold checks that each chunk renews what an upload holds, for 24
// hours at most, and that a hold that has ended is not renewed without room.
func TestChunksHold(t *testing.T) {
	f := webtest.NewFixture(t)
	f.Limits(vitrine.Limits{Links: 1, HourlyUploads: 1000})
	c := caller{f, f.Account(vitrine.PlanFree)}
	address := c.chunkAddress()
	began := f.Clock.Now()
	sent := 0
	for f.Clock.Now().Sub(began) < vitrine.UploadLife-vitrine.UploadHold {
		if sent < 20 {
			c.chunk(address, sent, webtest.Note[sent:sent+1]).Want(204, "")
			sent++
		} else {
			c.chunk(address, sent, "").Want(204, "")
		}
		f.Clock.Advance(vitrine.UploadHold - time.Second)
		c.create(nil).Want(403, "link_limit") // the upload still holds the only link
	}
	end := began.Add(vitrine.UploadLife)
	c.chunk(address, sent, "").Want(204, "")
	until, err := time.Parse(time.RFC3339, c.create(nil).Want(403, "link_limit").Text("heldUntil"))
	if err != nil || until.After(end) {
		t.Errorf("held until %v, %v, want %v at most", until, err, end)
	}
	f.Clock.Advance(end.Sub(f.Clock.Now()))
	c.chunk(address, sent, webtest.Note[sent:]).Want(404, "not_found")
	if a := c.storage("HEAD", address, nil); a.Status != 404 {
		t.Errorf("HEAD after a day: %d, want 404", a.Status)
	}

	address = c.chunkAddress()
	c.chunk(address, 0, webtest.Note[:5]).Want(204, "")
	f.Clock.Advance(vitrine.UploadHold)
	c.chunk(address, 5, webtest.Note[5:10]).Want(204, "") // there is room
	f.Clock.Advance(vitrine.UploadHold)
	second := c.chunkAddress()
	c.chunk(address, 10, webtest.Note[10:]).Want(403, "link_limit")
	c.terminate(second).Want(204, "")
	c.chunk(address, 10, webtest.Note[10:]).Want(204, "")
	c.complete(c.path(address), webtest.NoteFile).Want(200, "")
	f.Audit()
}

package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/test/vitrinetest"
	"vitrine/internal/web/front"
)

// caller provokes errors of the API, as an account of the plan Pro.
type caller struct {
	*fixture
	key string
}

// validRequests has one valid request for each operation of the API.
var validRequests = map[string]func(c caller) answer{
	"status":         func(c caller) answer { return c.call(c.key, "GET", "/status", nil) },
	"createUpload":   func(c caller) answer { return c.call(c.key, "POST", "/uploads", noteFile) },
	"completeUpload": func(c caller) answer { return c.complete("nope", noteFile) },
	"cancelUpload":   func(c caller) answer { return c.call(c.key, "POST", "/uploads/cancel", fields{"path": "nope"}) },
	"putFile":        func(c caller) answer { return c.put(c.address(), "text/plain", strings.NewReader(note)) },
	"listLinks":      func(c caller) answer { return c.call(c.key, "GET", "/links", nil) },
	"listWebsites":   func(c caller) answer { return c.call(c.key, "GET", "/websites", nil) },
	"getLink":        func(c caller) answer { return c.call(c.key, "GET", "/links/nope", nil) },
	"updateLink":     func(c caller) answer { return c.call(c.key, "PATCH", "/links/nope", fields{"title": "x"}) },
	"deleteLink":     func(c caller) answer { return c.call(c.key, "DELETE", "/links/nope", nil) },
	"getFile":        func(c caller) answer { return c.call(c.key, "GET", "/links/nope/file", nil) },
	"listCaptions":   func(c caller) answer { return c.call(c.key, "GET", "/links/nope/captions", nil) },
	"putCaptions": func(c caller) answer {
		return c.send(c.key, "PUT", "/links/nope/captions/en", "text/vtt",
			morning)
	},
	"deleteCaptions": func(c caller) answer { return c.call(c.key, "DELETE", "/links/nope/captions/en", nil) },
	"listVersions":   func(c caller) answer { return c.call(c.key, "GET", "/links/nope/versions", nil) },
	"restoreVersion": func(c caller) answer {
		return c.call(c.key, "POST", "/links/nope/versions/1/restore",
			nil)
	},
	"deleteVersion":       func(c caller) answer { return c.call(c.key, "DELETE", "/links/nope/versions/1", nil) },
	"getLinkAnalytics":    func(c caller) answer { return c.call(c.key, "GET", "/links/nope/analytics", nil) },
	"listVisits":          func(c caller) answer { return c.call(c.key, "GET", "/links/nope/visits", nil) },
	"getVisit":            func(c caller) answer { return c.call(c.key, "GET", "/links/nope/visits/1", nil) },
	"getAccountAnalytics": func(c caller) answer { return c.call(c.key, "GET", "/analytics", nil) },
	"startLogin":          func(c caller) answer { return c.call("", "POST", "/logins", laptop) },
	"takeLogin": func(c caller) answer {
		return c.call("", "POST", "/logins/take",
			fields{"secret": "nope"})
	},
	"getKey":    func(c caller) answer { return c.call(c.key, "GET", "/key", nil) },
	"revokeKey": func(c caller) answer { return c.call(c.key, "DELETE", "/key", nil) },
	"listKeys":  func(c caller) answer { return c.call(c.key, "GET", "/keys", nil) },
	"createKey": func(c caller) answer {
		return c.call(c.key, "POST", "/keys", fields{"name": "deploy", "scope": "publish"})
	},
	"revokeKeyById": func(c caller) answer { return c.call(c.key, "DELETE", "/keys/0", nil) },
}

// paths has the path of each operation that is used with a wrong method.
var paths = map[string]string{"status": "/status", "createUpload": "/uploads", "completeUpload": "/uploads/complete",
	"cancelUpload": "/uploads/cancel",
	"listLinks":    "/links", "listWebsites": "/websites",
	"getLink": "/links/nope", "updateLink": "/links/nope", "deleteLink": "/links/nope", "getFile": "/links/nope/file",
	"listCaptions": "/links/nope/captions", "putCaptions": "/links/nope/captions/en",
	"deleteCaptions": "/links/nope/captions/en", "getLinkAnalytics": "/links/nope/analytics",
	"listVersions": "/links/nope/versions", "restoreVersion": "/links/nope/versions/1/restore",
	"deleteVersion": "/links/nope/versions/1",
	"listVisits":    "/links/nope/visits", "getVisit": "/links/nope/visits/1",
	"getAccountAnalytics": "/analytics", "startLogin": "/logins", "takeLogin": "/logins/take", "getKey": "/key", "revokeKey": "/key",
	"listKeys": "/keys", "createKey": "/keys", "revokeKeyById": "/keys/0"}

func wrongFilter(c caller, op string) answer {
	return c.call(c.key, "GET", paths[op]+"?filter=country:was:DE", nil)
}

// edit changes or deletes a link, with an If-Match header if etag is not "".
func (c caller) edit(method, slug string, change fields, etag string) answer {
	c.t.Helper()
	return c.conditional(method, "/links/"+slug, change, etag)
}

// conditional sends a request about a link, with an If-Match header if etag is
// not "".
func (c caller) conditional(method, path string, change fields, etag string) answer {
	c.t.Helper()
	b, err := json.Marshal(change)
	c.check(err)
	req, err := http.NewRequest(method, c.url+"/api/v1"+path, bytes.NewReader(b))
	c.check(err)
	req.Header.Set("Authorization", "Bearer "+c.key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("If-Match", etag)
	return c.do(req)
}

func (c caller) create(change fields) answer {
	return c.call(c.key, "POST", "/uploads", noteFile.with(change))
}

func (c caller) complete(path string, file fields) answer {
	return c.call(c.key, "POST", "/uploads/complete", file.with(fields{"path": path, "size": nil}))
}

// address returns a signed URL for the bytes of the note.
func (c caller) address() string {
	_, address := c.begun(c.key, noteFile)
	return address
}

// refusedBytes uploads a file that is refused in step 3.
func (c caller) refusedBytes(name, kind, content string) answer {
	file := fields{"name": name, "type": kind, "size": len(content)}
	return c.complete(c.stored(c.key, file, content), file)
}

// free moves the caller's account to the plan Free with these limits.
func (c caller) free(l vitrine.Limits) caller {
	c.limits(l)
	c.setPlan(c.key, vitrine.PlanFree)
	return c
}

// login returns the secret of a program's login that the account has allowed.
func (c caller) login() fields {
	c.t.Helper()
	started := c.call("", "POST", "/logins", laptop).want(200, "")
	a, err := c.server.Accounts.ByEmail(c.t.Context(), c.emails[c.key])
	c.check(err)
	_, err = c.server.Logins.Decide(c.t.Context(), a, started.text("code"),
		&vitrine.KeyGrant{Scope: vitrine.ScopeFull}, auth.Client{})
	c.check(err)
	return fields{"secret": started.text("secret")}
}

// method calls an operation's path with a method that it does not have.
func (c caller) method(op string) answer {
	c.t.Helper()
	address := c.url + "/api/v1" + paths[op]
	if op == "putFile" {
		address = c.address()
	}
	method := http.MethodPatch
	if paths[op] == "/links/nope" {
		method = http.MethodPost
	}
	req, err := http.NewRequest(method, address, nil)
	c.check(err)
	return c.do(req)
}

// failing makes the store, the blobs and the view log fail with an error.
func (c caller) failing(err error) {
	store := failingStore{c.server.Keys.Store, err}
	c.server.Keys.Store, c.server.Logins.Store, c.server.Uploads.Store = store, store, store
	c.server.Receiver = failingReceiver{err}
	c.server.Log = slog.New(slog.DiscardHandler)
}

type failingStore struct {
	vitrine.Store
	err error
}

func (s failingStore) Read(context.Context, func(vitrine.Tx) error) error   { return s.err }
func (s failingStore) Update(context.Context, func(vitrine.Tx) error) error { return s.err }

func (r failingReceiver) Receive(context.Context, vitrine.PutGrant, io.Reader) (string, error) {
	return "", r.err
}

// provoked has a way to provoke each code from each operation whose
// documentation lists it. The key "" is for all other operations.
var provoked = map[vitrine.Code]map[string]func(c caller, op string) answer{
	vitrine.CodeInvalidJSON: {
		"":           func(c caller, op string) answer { return c.call(c.key, "POST", paths[op], "name=x") },
		"updateLink": func(c caller, op string) answer { return c.call(c.key, "PATCH", paths[op], "title=x") },
	},
	vitrine.CodeInvalidRequest: {
		"updateLink": func(c caller, op string) answer { return c.call(c.key, "PATCH", paths[op], fields{"title": 5}) },
		"":           func(c caller, op string) answer { return c.call(c.key, "POST", paths[op], fields{"name": 5}) },
		"listLinks":  func(c caller, _ string) answer { return c.call(c.key, "GET", "/links?cursor=!!", nil) },
		"putCaptions": func(c caller, _ string) answer {
			return c.send(c.key, "PUT", c.sound(c.key)+"/en", "text/vtt", "Good morning.")
		},
		"deleteCaptions": func(c caller, _ string) answer { return c.call(c.key, "DELETE", c.sound(c.key)+"/xx", nil) },
		"restoreVersion": func(c caller, _ string) answer { // of a link that was disabled
			slug := c.spoken(c.key)
			_, err := c.server.Links.Disable(c.t.Context(), slug, vitrine.Decision{By: vitrine.Operator})
			c.check(err)
			return c.call(c.key, "POST", "/links/"+slug+"/versions/1/restore", nil)
		},
		"getLinkAnalytics":    wrongFilter,
		"getAccountAnalytics": wrongFilter,
		"listVisits":          wrongFilter,
		"deleteVersion": func(c caller, _ string) answer { // the current version
			return c.call(c.key, "DELETE", "/links/"+c.spoken(c.key)+"/versions/2", nil)
		},
	},
	vitrine.CodeInvalidName:     {"": func(c caller, _ string) answer { return c.create(fields{"name": "../a.txt"}) }},
	vitrine.CodeUnsupportedType: {"": func(c caller, _ string) answer { return c.create(fields{"name": "a.exe"}) }},
	vitrine.CodeTypeMismatch: {
		"createUpload": func(c caller, _ string) answer { return c.create(fields{"type": "image/png"}) },
		"putFile": func(c caller, _ string) answer {
			return c.put(c.address(), "image/png",
				strings.NewReader(note))
		},
	},
	vitrine.CodeInvalidSize: {"": func(c caller, _ string) answer { return c.create(fields{"size": 0}) }},
	vitrine.CodePreconditionFailed: {
		"": func(c caller, op string) answer {
			return c.edit(map[string]string{"updateLink": "PATCH", "deleteLink": "DELETE"}[op],
				c.published(c.key, noteFile, note), fields{"title": "x"}, `"other"`)
		},
		"createUpload": func(c caller, _ string) answer {
			return c.conditional("POST", "/uploads",
				noteFile.with(fields{"replace": c.published(c.key, noteFile, note)}), `"other"`)
		},
		"completeUpload": func(c caller, _ string) answer {
			file := noteFile.with(fields{"replace": c.published(c.key, noteFile, note)})
			return c.conditional("POST", "/uploads/complete",
				file.with(fields{"path": c.stored(c.key, file, strings.ToUpper(note)), "size": nil}), `"other"`)
		},
		"restoreVersion": func(c caller, _ string) answer {
			return c.conditional("POST", "/links/"+c.spoken(c.key)+"/versions/1/restore", nil, `"other"`)
		},
		"deleteVersion": func(c caller, _ string) answer {
			return c.conditional("DELETE", "/links/"+c.spoken(c.key)+"/versions/1", nil, `"other"`)
		},
	},
	vitrine.CodeInvalidSlug: {
		"updateLink": func(c caller, op string) answer {
			return c.call(c.key, "PATCH", paths[op],
				fields{"slug": "-"})
		},
		"createUpload": func(c caller, _ string) answer { return c.create(fields{"slug": "-"}) },
		"completeUpload": func(c caller, _ string) answer {
			return c.complete(c.stored(c.key, noteFile, note), noteFile.with(fields{"slug": "-"}))
		},
	},
	vitrine.CodeSlugTaken: {
		"updateLink": func(c caller, _ string) answer {
			c.published(c.key, noteFile.with(fields{"slug": "mine"}), note)
			return c.call(c.key, "PATCH", "/links/"+c.published(c.key, noteFile, note), fields{"slug": "mine"})
		},
		"createUpload": func(c caller, _ string) answer {
			c.published(c.key, noteFile.with(fields{"slug": "mine"}), note)
			return c.create(fields{"slug": "mine"})
		},
		"completeUpload": func(c caller, _ string) answer { // its reservation of the slug has expired
			file := noteFile.with(fields{"slug": "mine"})
			path := c.stored(c.key, file, note)
			c.clock.Advance(vitrine.UploadHold)
			c.published(c.key, file, note)
			return c.complete(path, file)
		},
	},
	vitrine.CodeInvalidIdempotencyKey: {"": func(c caller,
		_ string) answer {
		return c.create(fields{"idempotencyKey": "1"})
	}},
	vitrine.CodeIdempotencyMismatch: {
		"createUpload": func(c caller, _ string) answer {
			once := fields{"idempotencyKey": "123e4567-e89b-12d3-a456-426614174000"}
			c.create(once).want(200, "")
			return c.create(once.with(fields{"name": "other.txt"}))
		},
		"completeUpload": func(c caller, _ string) answer {
			return c.complete(c.stored(c.key, noteFile, note), noteFile.with(fields{"name": "other.txt"}))
		},
	},
	vitrine.CodeUploadNotFound: {"": func(c caller, op string) answer { return validRequests[op](c) }},
	vitrine.CodeUploadIncomplete: {"": func(c caller, _ string) answer {
		path, _ := c.begun(c.key, noteFile)
		return c.complete(path, noteFile)
	}},
	vitrine.CodeSizeMismatch: {
		"putFile": func(c caller, _ string) answer {
			return c.put(c.address(), "text/plain",
				strings.NewReader(note+"x"))
		},
		"completeUpload": func(c caller, _ string) answer { // storage has another number of bytes
			path := c.stored(c.key, noteFile, note)
			c.server.Uploads.Blobs = shorterBlobs{c.server.Uploads.Blobs}
			return c.complete(path, noteFile)
		},
	},
	vitrine.CodeContentMismatch: {"": func(c caller,
		_ string) answer {
		return c.refusedBytes("a.pdf", "application/pdf", "no PDF at all")
	}},
	vitrine.CodeUnsafeFile: {"": func(c caller,
		_ string) answer {
		return c.refusedBytes("a.txt", "text/plain", "#!/bin/sh\nrm -rf /\n")
	}},
	vitrine.CodeMalware: {"": func(c caller, _ string) answer {
		return c.refusedBytes("a.txt", "text/plain", string(vitrinetest.EICAR()))
	}},
	vitrine.CodeBadRange: {"": func(c caller, op string) answer {
		return c.call(c.key, "GET", paths[op]+"?range=1d", nil)
	}},
	vitrine.CodeUnauthorized: {"": func(c caller, op string) answer {
		c.key = string(vitrine.NewKeyText())
		return validRequests[op](c)
	}},
	vitrine.CodeBanned: {
		"": func(c caller, op string) answer {
			c.ban(c.key)
			return validRequests[op](c)
		},
		"putFile": func(c caller, _ string) answer {
			address := c.address()
			c.ban(c.key)
			return c.put(address, "text/plain", strings.NewReader(note))
		},
		"takeLogin": func(c caller, _ string) answer {
			secret := c.login()
			c.ban(c.key)
			return c.call("", "POST", "/logins/take", secret)
		},
	},
	vitrine.CodeForbidden: {"": func(c caller, op string) answer {
		c.key = c.scoped(c.key, vitrine.ScopeRead)
		return validRequests[op](c)
	}},
	vitrine.CodeProRequired: {
		"": func(c caller, op string) answer { return validRequests[op](c.free(vitrine.Limits{})) },
		"updateLink": func(c caller, op string) answer {
			return c.free(vitrine.Limits{}).call(c.key, "PATCH", paths[op], fields{"slug": "my-own"})
		},
		"createUpload": func(c caller, _ string) answer {
			return c.free(vitrine.Limits{}).create(fields{"slug": "my-own"})
		},
		"completeUpload": func(c caller, _ string) answer {
			return c.free(vitrine.Limits{}).complete("nope", noteFile.with(fields{"slug": "my-own"}))
		},
	},
	vitrine.CodeLinkLimit: {
		"createUpload": func(c caller, _ string) answer {
			c.published(c.key, noteFile, note)
			return c.free(vitrine.Limits{Links: 1}).create(nil)
		},
		"completeUpload": func(c caller, _ string) answer {
			path := c.stored(c.key, noteFile, note)
			c.clock.Advance(vitrine.UploadHold)
			c.published(c.key, noteFile, note)
			return c.free(vitrine.Limits{Links: 1}).complete(path, noteFile)
		},
	},
	vitrine.CodeFileTooLarge: {
		"createUpload": func(c caller, _ string) answer { return c.free(vitrine.Limits{FileBytes: 5}).create(nil) },
		"completeUpload": func(c caller, _ string) answer {
			path := c.stored(c.key, noteFile, note)
			return c.free(vitrine.Limits{FileBytes: 5}).complete(path, noteFile)
		},
	},
	vitrine.CodeStorageLimit: {
		"createUpload": func(c caller, _ string) answer { return c.free(vitrine.Limits{StorageBytes: 5}).create(nil) },
		"completeUpload": func(c caller, _ string) answer {
			path := c.stored(c.key, noteFile, note)
			return c.free(vitrine.Limits{StorageBytes: 5}).complete(path, noteFile)
		},
	},
	vitrine.CodeInvalidSignature: {"": func(c caller, _ string) answer {
		return c.put(strings.Replace(c.address(), "size=", "size=1", 1), "text/plain", strings.NewReader(note))
	}},
	vitrine.CodeURLExpired: {"": func(c caller, _ string) answer {
		address := c.address()
		c.clock.Advance(time.Hour)
		return c.put(address, "text/plain", strings.NewReader(note))
	}},
	vitrine.CodeNotFound: {
		"":             func(c caller, op string) answer { return validRequests[op](c) },
		"createUpload": func(c caller, _ string) answer { return c.create(fields{"replace": "nope"}) },
		"completeUpload": func(c caller, _ string) answer { // the link is deleted in between
			slug := c.published(c.key, noteFile, note)
			file := noteFile.with(fields{"replace": slug})
			path := c.stored(c.key, file, note)
			c.delete(slug)
			return c.complete(path, file)
		},
	},
	vitrine.CodeMethodNotAllowed: {"": caller.method},
	vitrine.CodeURLUsed: {"": func(c caller, _ string) answer {
		address := c.address()
		c.put(address, "text/plain", strings.NewReader(note)).want(200, "")
		return c.put(address, "text/plain", strings.NewReader(strings.ToUpper(note)))
	}},
	vitrine.CodeUploadInProgress: {"": func(c caller, _ string) answer { return c.putDuring(c.address()) }},
	vitrine.CodeRateLimited: {
		"updateLink": func(c caller, _ string) answer {
			slug := c.published(c.key, noteFile, note)
			for i := range 30 {
				c.call(c.key, "PATCH", "/links/"+slug, fields{"disabled": i%2 == 0}).want(200, "")
			}
			return c.call(c.key, "PATCH", "/links/"+slug, fields{"disabled": true})
		},
		"createUpload": func(c caller, _ string) answer {
			c.create(nil).want(200, "")
			return c.free(vitrine.Limits{HourlyUploads: 1}).create(nil)
		},
		"restoreVersion": func(c caller, _ string) answer {
			slug := c.spoken(c.key)
			for i := range 30 {
				c.call(c.key, "POST", fmt.Sprintf("/links/%s/versions/%d/restore", slug, 1+i%2), nil).want(200, "")
			}
			return c.call(c.key, "POST", "/links/"+slug+"/versions/1/restore", nil)
		},
		"startLogin": func(c caller, op string) answer { return c.repeated(60, op) },
		"createKey":  func(c caller, op string) answer { return c.repeated(99, op) }, // after the first key
	},
	vitrine.CodeInternal: {"": func(c caller, op string) answer { return c.broken(op, errDamaged) }},
	vitrine.CodeUnavailable: {"": func(c caller, op string) answer {
		return c.broken(op, vitrine.Unavailable(errDamaged))
	}},
}

// broken calls an operation while everything fails.
func (c caller) broken(op string, err error) answer {
	if op != "putFile" {
		c.failing(err)
		return validRequests[op](c)
	}
	address := c.address()
	c.failing(err)
	return c.put(address, "text/plain", strings.NewReader(note))
}

func (r startedReceiver) Receive(ctx context.Context, g vitrine.PutGrant, body io.Reader) (string, error) {
	return r.Receiver.Receive(ctx, g, startedReader{body, r.started})
}

func (r startedReader) Read(b []byte) (int, error) {
	r.started()
	return r.Reader.Read(b)
}

func (b shorterBlobs) Stat(ctx context.Context, id vitrine.UploadID) (vitrine.BlobInfo, error) {
	info, err := b.Blobs.Stat(ctx, id)
	info.Size--
	return info, err
}

// TestDocumentedErrors checks that each error in the documentation of an
// operation can be provoked and has the documented status.
func TestDocumentedErrors(t *testing.T) {
	pairs := 0
	front.DocumentedErrors(func(op string, code vitrine.Code, status int) {
		pairs++
		if op == "completeUpload" && code == vitrine.CodeRateLimited {
			return // the specification lists it, so programs must handle it, but nothing returns it
		}
		t.Run(fmt.Sprint(op, "/", code), func(t *testing.T) {
			f := newFixture(t)
			c := caller{f, f.account(vitrine.PlanPro)}
			provoke := provoked[code][op]
			if provoke == nil {
				provoke = provoked[code][""]
			}
			if provoke == nil || validRequests[op] == nil {
				t.Fatal("no function provokes it; do not document a code that nothing returns")
			}
			a := provoke(c, op).want(status, string(code))
			if a.text("error") == "" || !bytes.HasPrefix(a.Body, []byte("{")) {
				t.Errorf("the answer has no message: %s", a.Body)
			}
			if code == vitrine.CodeInvalidRequest && op != "putCaptions" &&
				a.text("field") == "" { // its body is a file
				t.Errorf("the answer names no field: %s", a.Body)
			}
			if slices.Contains([]vitrine.Code{vitrine.CodeRateLimited, vitrine.CodeUnavailable}, code) &&
				a.Header.Get("Retry-After") == "" {
				t.Error("no Retry-After header")
			}
			if code == vitrine.CodeMethodNotAllowed && a.Header.Get("Allow") == "" {
				t.Error("no Allow header")
			}
		})
	})
	if pairs < 100 {
		t.Errorf("only %d errors are documented, want at least 100", pairs)
	}
}

package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/test/vitrinetest"
	"vitrine/internal/test/webtest"
)

// caller provokes errors of the API, as an account of the plan Pro.
type caller struct {
	*webtest.Fixture
	key string
}

// validRequests has one valid request for each operation of the API.
var validRequests = map[string]func(c caller) webtest.Answer{
	"status":         func(c caller) webtest.Answer { return c.Call(c.key, "GET", "/status", nil) },
	"createUpload":   func(c caller) webtest.Answer { return c.Call(c.key, "POST", "/uploads", webtest.NoteFile) },
	"completeUpload": func(c caller) webtest.Answer { return c.complete("nope", webtest.NoteFile) },
	"cancelUpload": func(c caller) webtest.Answer {
		return c.Call(c.key, "POST", "/uploads/cancel", webtest.Fields{"path": "nope"})
	},
	"putFile": func(c caller) webtest.Answer {
		return c.Put(c.address(), "text/plain", strings.NewReader(webtest.Note))
	},
	"appendUpload":        caller.append,
	"terminateUpload":     caller.end,
	"listLinks":           func(c caller) webtest.Answer { return c.Call(c.key, "GET", "/links", nil) },
	"listEvents":          func(c caller) webtest.Answer { return c.Call(c.key, "GET", "/events", nil) },
	"getNotifications":    func(c caller) webtest.Answer { return c.Call(c.key, "GET", "/notifications", nil) },
	"changeNotifications": func(c caller) webtest.Answer { return c.Call(c.key, "PATCH", "/notifications", mailOff) },
	"listWebsites":        func(c caller) webtest.Answer { return c.Call(c.key, "GET", "/websites", nil) },
	"getLink":             func(c caller) webtest.Answer { return c.Call(c.key, "GET", "/links/nope", nil) },
	"updateLink": func(c caller) webtest.Answer {
		return c.Call(c.key, "PATCH", "/links/nope", webtest.Fields{"title": "x"})
	},
	"deleteLink":   func(c caller) webtest.Answer { return c.Call(c.key, "DELETE", "/links/nope", nil) },
	"listTrash":    func(c caller) webtest.Answer { return c.Call(c.key, "GET", "/trash", nil) },
	"restoreLink":  func(c caller) webtest.Answer { return c.Call(c.key, "POST", "/trash/nope/restore", nil) },
	"getFile":      func(c caller) webtest.Answer { return c.Call(c.key, "GET", "/links/nope/file", nil) },
	"listCaptions": func(c caller) webtest.Answer { return c.Call(c.key, "GET", "/links/nope/captions", nil) },
	"putCaptions": func(c caller) webtest.Answer {
		return c.Send(c.key, "PUT", "/links/nope/captions/en", "text/vtt", webtest.Morning)
	},
	"deleteCaptions": func(c caller) webtest.Answer { return c.Call(c.key, "DELETE", "/links/nope/captions/en", nil) },
	"listVersions":   func(c caller) webtest.Answer { return c.Call(c.key, "GET", "/links/nope/versions", nil) },
	"restoreVersion": func(c caller) webtest.Answer {
		return c.Call(c.key, "POST", "/links/nope/versions/1/restore",
			nil)
	},
	"deleteVersion":  func(c caller) webtest.Answer { return c.Call(c.key, "DELETE", "/links/nope/versions/1", nil) },
	"listRecipients": func(c caller) webtest.Answer { return c.Call(c.key, "GET", "/links/nope/recipients", nil) },
	"addRecipients":  func(c caller) webtest.Answer { return c.Call(c.key, "POST", "/links/nope/recipients", anna) },
	"updateRecipient": func(c caller) webtest.Answer {
		return c.Call(c.key, "PATCH", "/links/nope/recipients/1", webtest.Fields{"label": "x"})
	},
	"revokeRecipient":     func(c caller) webtest.Answer { return c.Call(c.key, "DELETE", "/links/nope/recipients/1", nil) },
	"listNotes":           func(c caller) webtest.Answer { return c.Call(c.key, "GET", "/links/nope/notes", nil) },
	"addNote":             func(c caller) webtest.Answer { return c.addNote(c.key, "nope") },
	"deleteNote":          func(c caller) webtest.Answer { return c.Call(c.key, "DELETE", "/links/nope/notes/1", nil) },
	"listReaders":         func(c caller) webtest.Answer { return c.Call(c.key, "GET", "/links/nope/readers", nil) },
	"deleteReader":        func(c caller) webtest.Answer { return c.Call(c.key, "DELETE", "/links/nope/readers/1", nil) },
	"getLinkAnalytics":    func(c caller) webtest.Answer { return c.Call(c.key, "GET", "/links/nope/analytics", nil) },
	"listVisits":          func(c caller) webtest.Answer { return c.Call(c.key, "GET", "/links/nope/visits", nil) },
	"getVisit":            func(c caller) webtest.Answer { return c.Call(c.key, "GET", "/links/nope/visits/1", nil) },
	"getAccountAnalytics": func(c caller) webtest.Answer { return c.Call(c.key, "GET", "/analytics", nil) },
	"startLogin":          func(c caller) webtest.Answer { return c.Call("", "POST", "/logins", webtest.Laptop) },
	"takeLogin": func(c caller) webtest.Answer {
		return c.Call("", "POST", "/logins/take", webtest.Fields{"secret": "nope"})
	},
	"getKey":    func(c caller) webtest.Answer { return c.Call(c.key, "GET", "/key", nil) },
	"revokeKey": func(c caller) webtest.Answer { return c.Call(c.key, "DELETE", "/key", nil) },
	"listKeys":  func(c caller) webtest.Answer { return c.Call(c.key, "GET", "/keys", nil) },
	"createKey": func(c caller) webtest.Answer {
		return c.Call(c.key, "POST", "/keys", webtest.Fields{"name": "deploy", "scope": "publish"})
	},
	"revokeKeyById": func(c caller) webtest.Answer { return c.Call(c.key, "DELETE", "/keys/0", nil) },
}

// paths has the path of each operation that is used with a wrong method.
var paths = map[string]string{"status": "/status", "createUpload": "/uploads", "completeUpload": "/uploads/complete",
	"cancelUpload": "/uploads/cancel",
	"listLinks":    "/links", "listWebsites": "/websites", "listEvents": "/events", "getNotifications": "/notifications", "changeNotifications": "/notifications",
	"getLink": "/links/nope", "updateLink": "/links/nope", "deleteLink": "/links/nope", "getFile": "/links/nope/file",
	"listCaptions": "/links/nope/captions", "putCaptions": "/links/nope/captions/en",
	"deleteCaptions": "/links/nope/captions/en", "getLinkAnalytics": "/links/nope/analytics",
	"listVersions": "/links/nope/versions", "restoreVersion": "/links/nope/versions/1/restore",
	"deleteVersion": "/links/nope/versions/1",
	"listReaders":   "/links/nope/readers", "deleteReader": "/links/nope/readers/1",
	"listNotes": "/links/nope/notes", "addNote": "/links/nope/notes", "deleteNote": "/links/nope/notes/1",
	"listRecipients": "/links/nope/recipients", "addRecipients": "/links/nope/recipients",
	"updateRecipient": "/links/nope/recipients/1", "revokeRecipient": "/links/nope/recipients/1",
	"listVisits": "/links/nope/visits", "getVisit": "/links/nope/visits/1",
	"getAccountAnalytics": "/analytics", "startLogin": "/logins", "takeLogin": "/logins/take", "getKey": "/key", "revokeKey": "/key",
	"listKeys": "/keys", "createKey": "/keys", "revokeKeyById": "/keys/0"}

func wrongFilter(c caller, op string) webtest.Answer {
	return c.Call(c.key, "GET", paths[op]+"?filter=country:was:DE", nil)
}

// edit changes or deletes a link, with an If-Match header if etag is not "".
func (c caller) edit(method, slug string, change webtest.Fields, etag string) webtest.Answer {
	c.T.Helper()
	return c.conditional(method, "/links/"+slug, change, etag)
}

// conditional sends a request about a link, with an If-Match header if etag is
// not "".
func (c caller) conditional(method, path string, change webtest.Fields, etag string) webtest.Answer {
	c.T.Helper()
	b, err := json.Marshal(change)
	c.Check(err)
	req, err := http.NewRequest(method, c.URL+"/api/v1"+path, bytes.NewReader(b))
	c.Check(err)
	req.Header.Set("Authorization", "Bearer "+c.key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("If-Match", etag)
	return c.Do(req)
}

func (c caller) create(change webtest.Fields) webtest.Answer {
	return c.Call(c.key, "POST", "/uploads", webtest.NoteFile.With(change))
}

func (c caller) complete(path string, file webtest.Fields) webtest.Answer {
	return c.Call(c.key, "POST", "/uploads/complete", file.With(webtest.Fields{"path": path, "size": nil}))
}

// address returns a signed URL for the bytes of the note.
func (c caller) address() string {
	_, address := c.Begun(c.key, webtest.NoteFile)
	return address
}

// refusedBytes uploads a file that is refused in step 3.
func (c caller) refusedBytes(name, kind, content string) webtest.Answer {
	file := webtest.Fields{"name": name, "type": kind, "size": len(content)}
	return c.complete(c.Stored(c.key, file, content), file)
}

// free moves the caller's account to the plan Free with these limits.
func (c caller) free(l vitrine.Limits) caller {
	c.Limits(l)
	c.SetPlan(c.key, vitrine.PlanFree)
	return c
}

// login returns the secret of a program's login that the account has allowed.
func (c caller) login() webtest.Fields {
	c.T.Helper()
	started := c.Call("", "POST", "/logins", webtest.Laptop).Want(200, "")
	a, err := c.Server.Accounts.ByEmail(c.T.Context(), c.Emails[c.key])
	c.Check(err)
	_, err = c.Server.Logins.Decide(c.T.Context(), &vitrine.Session{Account: a.ID}, a, started.Text("code"),
		&vitrine.KeyGrant{Scope: vitrine.ScopeFull}, auth.Client{})
	c.Check(err)
	return webtest.Fields{"secret": started.Text("secret")}
}

// method calls an operation's path with a method that it does not have.
func (c caller) method(op string) webtest.Answer {
	c.T.Helper()
	address := c.URL + "/api/v1" + paths[op]
	method := http.MethodPatch
	switch {
	case paths[op] == "/links/nope", paths[op] == "/notifications", paths[op] == "/webhooks/0", op == "updateRecipient", op == "revokeRecipient":
		method = http.MethodPost
	case paths[op] == "":
		address, method = c.address(), http.MethodGet
	}
	req, err := http.NewRequest(method, address, nil)
	c.Check(err)
	return c.Do(req)
}

// provoked has a way to provoke each code from each operation whose
// documentation lists it. The key "" is for all other operations.
var provoked = map[vitrine.Code]map[string]func(c caller, op string) webtest.Answer{
	vitrine.CodeInvalidJSON: {
		"":                    func(c caller, op string) webtest.Answer { return c.Call(c.key, "POST", paths[op], "name=x") },
		"updateLink":          func(c caller, op string) webtest.Answer { return c.Call(c.key, "PATCH", paths[op], "title=x") },
		"updateRecipient":     func(c caller, op string) webtest.Answer { return c.Call(c.key, "PATCH", paths[op], "label=x") },
		"changeNotifications": func(c caller, op string) webtest.Answer { return c.Call(c.key, "PATCH", paths[op], "x=1") },
	},
	vitrine.CodeInvalidRequest: {
		"changeNotifications": func(c caller, op string) webtest.Answer {
			return c.Call(c.key, "PATCH", paths[op], webtest.Fields{"weekly": 5})
		},
		"updateLink": func(c caller, op string) webtest.Answer {
			return c.Call(c.key, "PATCH", paths[op], webtest.Fields{"title": 5})
		},
		"": func(c caller, op string) webtest.Answer {
			return c.Call(c.key, "POST", paths[op], webtest.Fields{"name": 5})
		},
		"listLinks":      func(c caller, _ string) webtest.Answer { return c.Call(c.key, "GET", "/links?cursor=!!", nil) },
		"listEvents":     func(c caller, op string) webtest.Answer { return c.Call(c.key, "GET", paths[op]+"?type=x", nil) },
		"listReaders":    func(c caller, op string) webtest.Answer { return c.Call(c.key, "GET", paths[op]+"?cursor=!!", nil) },
		"listRecipients": func(c caller, op string) webtest.Answer { return c.Call(c.key, "GET", paths[op]+"?cursor=!!", nil) },
		"updateRecipient": func(c caller, op string) webtest.Answer {
			return c.Call(c.key, "PATCH", paths[op], webtest.Fields{"label": 5})
		},
		"putCaptions": func(c caller, _ string) webtest.Answer {
			return c.Send(c.key, "PUT", c.Sound(c.key)+"/en", "text/vtt", "Good morning.")
		},
		"deleteCaptions": func(c caller, _ string) webtest.Answer { return c.Call(c.key, "DELETE", c.Sound(c.key)+"/xx", nil) },
		"restoreVersion": func(c caller, _ string) webtest.Answer { // of a link that was disabled
			slug := c.Spoken(c.key)
			_, err := c.Server.Links.Disable(c.T.Context(), slug, vitrine.Decision{By: vitrine.Administrator})
			c.Check(err)
			return c.Call(c.key, "POST", "/links/"+slug+"/versions/1/restore", nil)
		},
		"getLinkAnalytics":    wrongFilter,
		"getAccountAnalytics": wrongFilter,
		"listVisits":          wrongFilter,
		"deleteVersion": func(c caller, _ string) webtest.Answer { // the current version
			return c.Call(c.key, "DELETE", "/links/"+c.Spoken(c.key)+"/versions/2", nil)
		},
	},
	vitrine.CodeInvalidName: {"": func(c caller,
		_ string) webtest.Answer {
		return c.create(webtest.Fields{"name": "../a.txt"})
	}},
	vitrine.CodeUnsupportedType: {"": func(c caller,
		_ string) webtest.Answer {
		return c.create(webtest.Fields{"name": "a.exe"})
	}},
	vitrine.CodeTypeMismatch: {
		"createUpload": func(c caller,
			_ string) webtest.Answer {
			return c.create(webtest.Fields{"type": "image/png"})
		},
		"putFile": func(c caller, _ string) webtest.Answer {
			return c.Put(c.address(), "image/png",
				strings.NewReader(webtest.Note))
		},
	},
	vitrine.CodeInvalidSize: {"": func(c caller,
		_ string) webtest.Answer {
		return c.create(webtest.Fields{"size": 0})
	}},
	vitrine.CodePreconditionFailed: {
		"": func(c caller, op string) webtest.Answer {
			return c.edit(map[string]string{"updateLink": "PATCH", "deleteLink": "DELETE"}[op],
				c.Published(c.key, webtest.NoteFile, webtest.Note), webtest.Fields{"title": "x"}, `"other"`)
		},
		"createUpload": func(c caller, _ string) webtest.Answer {
			return c.conditional("POST", "/uploads",
				webtest.NoteFile.With(webtest.Fields{"replace": c.Published(c.key, webtest.NoteFile, webtest.Note)}), `"other"`)
		},
		"completeUpload": func(c caller, _ string) webtest.Answer {
			file := webtest.NoteFile.With(webtest.Fields{"replace": c.Published(c.key, webtest.NoteFile, webtest.Note)})
			return c.conditional("POST", "/uploads/complete",
				file.With(webtest.Fields{"path": c.Stored(c.key, file, strings.ToUpper(webtest.Note)), "size": nil}), `"other"`)
		},
		"restoreVersion": func(c caller, _ string) webtest.Answer {
			return c.conditional("POST", "/links/"+c.Spoken(c.key)+"/versions/1/restore", nil, `"other"`)
		},
		"deleteVersion": func(c caller, _ string) webtest.Answer {
			return c.conditional("DELETE", "/links/"+c.Spoken(c.key)+"/versions/1", nil, `"other"`)
		},
	},
	vitrine.CodeInvalidSlug: {
		"updateLink": func(c caller, op string) webtest.Answer {
			return c.Call(c.key, "PATCH", paths[op],
				webtest.Fields{"slug": "-"})
		},
		"createUpload": func(c caller, _ string) webtest.Answer { return c.create(webtest.Fields{"slug": "-"}) },
		"completeUpload": func(c caller, _ string) webtest.Answer {
			return c.complete(c.Stored(c.key, webtest.NoteFile, webtest.Note),
				webtest.NoteFile.With(webtest.Fields{"slug": "-"}))
		},
	},
	vitrine.CodeSlugTaken: {
		"updateLink": func(c caller, _ string) webtest.Answer {
			c.Published(c.key, webtest.NoteFile.With(webtest.Fields{"slug": "mine"}), webtest.Note)
			return c.Call(c.key, "PATCH", "/links/"+c.Published(c.key, webtest.NoteFile, webtest.Note),
				webtest.Fields{"slug": "mine"})
		},
		"createUpload": func(c caller, _ string) webtest.Answer {
			c.Published(c.key, webtest.NoteFile.With(webtest.Fields{"slug": "mine"}), webtest.Note)
			return c.create(webtest.Fields{"slug": "mine"})
		},
		"completeUpload": func(c caller, _ string) webtest.Answer { // its reservation of the slug has expired
			file := webtest.NoteFile.With(webtest.Fields{"slug": "mine"})
			path := c.Stored(c.key, file, webtest.Note)
			c.Clock.Advance(vitrine.UploadHold)
			c.Published(c.key, file, webtest.Note)
			return c.complete(path, file)
		},
	},
	vitrine.CodeInvalidIdempotencyKey: {
		"": func(c caller, _ string) webtest.Answer { return c.create(webtest.Fields{"idempotencyKey": "1"}) },
		"addRecipients": func(c caller, op string) webtest.Answer {
			return c.Call(c.key, "POST", paths[op], anna.With(webtest.Fields{"idempotencyKey": "1"}))
		},
	},
	vitrine.CodeRecipientLimit: {"": func(c caller, _ string) webtest.Answer {
		path := "/links/" + c.Published(c.key, webtest.NoteFile, webtest.Note) + "/recipients"
		c.Call(c.key, "POST", path, anna).Want(200, "")
		return c.free(vitrine.Limits{Recipients: 1}).Call(c.key, "POST", path, anna)
	}},
	vitrine.CodeIdempotencyMismatch: {
		"addRecipients": func(c caller, _ string) webtest.Answer {
			path := "/links/" + c.Published(c.key, webtest.NoteFile, webtest.Note) + "/recipients"
			once := anna.With(webtest.Fields{"idempotencyKey": "123e4567-e89b-12d3-a456-426614174000"})
			c.Call(c.key, "POST", path, once).Want(200, "")
			return c.Call(c.key, "POST", path, once.With(named("Bob's link")))
		},
		"createUpload": func(c caller, _ string) webtest.Answer {
			once := webtest.Fields{"idempotencyKey": "123e4567-e89b-12d3-a456-426614174000"}
			c.create(once).Want(200, "")
			return c.create(once.With(webtest.Fields{"name": "other.txt"}))
		},
		"completeUpload": func(c caller, _ string) webtest.Answer {
			return c.complete(c.Stored(c.key, webtest.NoteFile, webtest.Note),
				webtest.NoteFile.With(webtest.Fields{"name": "other.txt"}))
		},
	},
	vitrine.CodeUploadNotFound: {"": func(c caller, op string) webtest.Answer { return validRequests[op](c) }},
	vitrine.CodeUploadIncomplete: {"": func(c caller, _ string) webtest.Answer {
		path, _ := c.Begun(c.key, webtest.NoteFile)
		return c.complete(path, webtest.NoteFile)
	}},
	vitrine.CodeSizeMismatch: {
		"putFile": func(c caller, _ string) webtest.Answer {
			return c.Put(c.address(), "text/plain",
				strings.NewReader(webtest.Note+"x"))
		},
		"completeUpload": func(c caller, _ string) webtest.Answer { // storage has another number of bytes
			path := c.Stored(c.key, webtest.NoteFile, webtest.Note)
			c.Server.Uploads.Blobs = shorterBlobs{c.Server.Uploads.Blobs}
			return c.complete(path, webtest.NoteFile)
		},
	},
	vitrine.CodeContentMismatch: {"": func(c caller,
		_ string) webtest.Answer {
		return c.refusedBytes("a.pdf", "application/pdf", "no PDF at all")
	}},
	vitrine.CodeUnsafeFile: {"": func(c caller,
		_ string) webtest.Answer {
		return c.refusedBytes("a.txt", "text/plain", "#!/bin/sh\nrm -rf /\n")
	}},
	vitrine.CodeMalware: {"": func(c caller, _ string) webtest.Answer {
		return c.refusedBytes("a.txt", "text/plain", string(vitrinetest.EICAR()))
	}},
	vitrine.CodeBadCursor: {"": func(c caller, op string) webtest.Answer {
		return c.Call(c.key, "GET", paths[op]+"?cursor=x", nil)
	}},
	vitrine.CodeBadRange: {"": func(c caller, op string) webtest.Answer {
		return c.Call(c.key, "GET", paths[op]+"?range=1d", nil)
	}},
	vitrine.CodeUnauthorized: {"": func(c caller, op string) webtest.Answer {
		c.key = string(auth.NewKeyText())
		return validRequests[op](c)
	}},
	vitrine.CodeBanned: {
		"": func(c caller, op string) webtest.Answer {
			c.Ban(c.key)
			return validRequests[op](c)
		},
		"putFile": func(c caller, _ string) webtest.Answer {
			address := c.address()
			c.Ban(c.key)
			return c.Put(address, "text/plain", strings.NewReader(webtest.Note))
		},
		"takeLogin": func(c caller, _ string) webtest.Answer {
			secret := c.login()
			c.Ban(c.key)
			return c.Call("", "POST", "/logins/take", secret)
		},
	},
	vitrine.CodeForbidden: {"": func(c caller, op string) webtest.Answer {
		c.key = c.Scoped(c.key, vitrine.ScopeRead)
		return validRequests[op](c)
	}},
	vitrine.CodeProRequired: {
		"": func(c caller, op string) webtest.Answer { return validRequests[op](c.free(vitrine.Limits{})) },
		"updateLink": func(c caller, op string) webtest.Answer {
			return c.free(vitrine.Limits{}).Call(c.key, "PATCH", paths[op], webtest.Fields{"slug": "my-own"})
		},
		"createUpload": func(c caller, _ string) webtest.Answer {
			return c.free(vitrine.Limits{}).create(webtest.Fields{"slug": "my-own"})
		},
		"completeUpload": func(c caller, _ string) webtest.Answer {
			return c.free(vitrine.Limits{}).complete("nope", webtest.NoteFile.With(webtest.Fields{"slug": "my-own"}))
		},
	},
	vitrine.CodeLinkLimit: {
		"createUpload": func(c caller, _ string) webtest.Answer {
			c.Published(c.key, webtest.NoteFile, webtest.Note)
			return c.free(vitrine.Limits{Links: 1}).create(nil)
		},
		"completeUpload": func(c caller, _ string) webtest.Answer {
			path := c.Stored(c.key, webtest.NoteFile, webtest.Note)
			c.Clock.Advance(vitrine.UploadHold)
			c.Published(c.key, webtest.NoteFile, webtest.Note)
			return c.free(vitrine.Limits{Links: 1}).complete(path, webtest.NoteFile)
		},
	},
	vitrine.CodeFileTooLarge: {
		"createUpload": func(c caller,
			_ string) webtest.Answer {
			return c.free(vitrine.Limits{FileBytes: 5}).create(nil)
		},
		"completeUpload": func(c caller, _ string) webtest.Answer {
			path := c.Stored(c.key, webtest.NoteFile, webtest.Note)
			return c.free(vitrine.Limits{FileBytes: 5}).complete(path, webtest.NoteFile)
		},
	},
	vitrine.CodeStorageLimit: {
		"createUpload": func(c caller,
			_ string) webtest.Answer {
			return c.free(vitrine.Limits{StorageBytes: 5}).create(nil)
		},
		"completeUpload": func(c caller, _ string) webtest.Answer {
			path := c.Stored(c.key, webtest.NoteFile, webtest.Note)
			return c.free(vitrine.Limits{StorageBytes: 5}).complete(path, webtest.NoteFile)
		},
	},
	vitrine.CodeInvalidSignature: {"": func(c caller, _ string) webtest.Answer {
		return c.Put(strings.Replace(c.address(), "size=", "size=1", 1), "text/plain", strings.NewReader(webtest.Note))
	}},
	vitrine.CodeURLExpired: {"": func(c caller, _ string) webtest.Answer {
		address := c.address()
		c.Clock.Advance(time.Hour)
		return c.Put(address, "text/plain", strings.NewReader(webtest.Note))
	}},
	vitrine.CodeNotFound: {
		"listEvents":   func(c caller, op string) webtest.Answer { return c.Call(c.key, "GET", paths[op]+"?link=nope", nil) },
		"":             func(c caller, op string) webtest.Answer { return validRequests[op](c) },
		"createUpload": func(c caller, _ string) webtest.Answer { return c.create(webtest.Fields{"replace": "nope"}) },
		"completeUpload": func(c caller, _ string) webtest.Answer { // the link is deleted in between
			slug := c.Published(c.key, webtest.NoteFile, webtest.Note)
			file := webtest.NoteFile.With(webtest.Fields{"replace": slug})
			path := c.Stored(c.key, file, webtest.Note)
			c.Delete(slug)
			return c.complete(path, file)
		},
	},
	vitrine.CodeMethodNotAllowed: {"": caller.method},
	vitrine.CodeURLUsed: {"": func(c caller, _ string) webtest.Answer {
		address := c.address()
		c.Put(address, "text/plain", strings.NewReader(webtest.Note)).Want(200, "")
		return c.Put(address, "text/plain", strings.NewReader(strings.ToUpper(webtest.Note)))
	}},
	vitrine.CodeUploadInProgress: {"": func(c caller, _ string) webtest.Answer { return c.putDuring(c.address()) }},
	vitrine.CodeRateLimited: {
		"updateLink": func(c caller, _ string) webtest.Answer {
			slug := c.Published(c.key, webtest.NoteFile, webtest.Note)
			for i := range 30 {
				c.Call(c.key, "PATCH", "/links/"+slug, webtest.Fields{"disabled": i%2 == 0}).Want(200, "")
			}
			return c.Call(c.key, "PATCH", "/links/"+slug, webtest.Fields{"disabled": true})
		},
		"createUpload": func(c caller, _ string) webtest.Answer {
			c.create(nil).Want(200, "")
			return c.free(vitrine.Limits{HourlyUploads: 1}).create(nil)
		},
		"restoreVersion": func(c caller, _ string) webtest.Answer {
			slug := c.Spoken(c.key)
			for i := range 30 {
				c.Call(c.key, "POST", fmt.Sprintf("/links/%s/versions/%d/restore", slug, 1+i%2), nil).Want(200, "")
			}
			return c.Call(c.key, "POST", "/links/"+slug+"/versions/1/restore", nil)
		},
		"startLogin": func(c caller, op string) webtest.Answer { return c.repeated(60, op) },
		"createKey":  func(c caller, op string) webtest.Answer { return c.repeated(99, op) }, // after the first key
	},
	vitrine.CodeInternal: {"": func(c caller, op string) webtest.Answer { return c.broken(op, webtest.ErrDamaged) }},
	vitrine.CodeUnavailable: {"": func(c caller, op string) webtest.Answer {
		return c.broken(op, vitrine.Unavailable(webtest.ErrDamaged))
	}},
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

package api_test

import (
	"fmt"
	"regexp"
	"testing"
	"time"

	"vitrine"
	"vitrine/client"
	"vitrine/internal/app/auth"
	"vitrine/internal/test/webtest"
)

// TestKeysByAPI creates, lists and revokes keys with a key, through the Go
// client. The secret is only in the first answer, and the key of the request
// may be revoked.
func TestKeysByAPI(t *testing.T) {
	f := webtest.NewFixture(t)
	full := f.Account(vitrine.PlanPro)
	c, err := client.New(f.URL, full)
	f.Check(err)
	end := f.Clock.Now().Add(48 * time.Hour)
	made, err := c.CreateKey(t.Context(), client.KeyRequest{Name: "deploy", Scope: "publish", ExpiresAt: end,
		LinkLife: time.Hour})
	f.Check(err)
	if made.Scope != "publish" || !made.ExpiresAt.Equal(end.Truncate(time.Millisecond)) || made.LinkLife != 3600 ||
		made.Current || made.APIKey[len(made.APIKey)-4:] != made.Last4 {
		t.Errorf("created %+v", made)
	}
	f.Call(made.APIKey, "POST", "/uploads", webtest.NoteFile).Want(200, "")
	f.Call(made.APIKey, "GET", "/keys", nil).Want(403, "forbidden")
	list, err := c.Keys(t.Context())
	f.Check(err)
	if len(list) != 2 || list[0].ID != made.ID || list[0].UsedAt.IsZero() || list[0].Current || !list[1].Current {
		t.Errorf("keys = %+v", list)
	}
	revoked, err := c.RevokeKeyByID(t.Context(), made.ID)
	f.Check(err)
	if revoked.Current || revoked.RevokedAt.IsZero() {
		t.Errorf("revoked %+v", revoked)
	}
	f.Call(made.APIKey, "POST", "/uploads", webtest.NoteFile).Want(401, "unauthorized")
	if again, err := c.RevokeKeyByID(t.Context(), made.ID); err != nil || !again.RevokedAt.Equal(revoked.RevokedAt) {
		t.Errorf("revoked again: %+v, %v", again, err)
	}
	if own, err := c.RevokeKeyByID(t.Context(), list[1].ID); err != nil || !own.Current {
		t.Errorf("the key of the request: %+v, %v", own, err)
	}
	f.Call(full, "GET", "/key", nil).Want(401, "unauthorized")
}

// TestKeysByAPIOfOthers checks that a key finds no key of another account, and
// that its answer is that for an unknown one.
func TestKeysByAPIOfOthers(t *testing.T) {
	f := webtest.NewFixture(t)
	mine, other := f.Account(vitrine.PlanPro), f.Account(vitrine.PlanPro)
	id := f.Call(other, "GET", "/key", nil).Want(200, "").JSON()["id"]
	f.Call(mine, "DELETE", fmt.Sprint("/keys/", id), nil).Want(404, "not_found")
	f.Call(mine, "DELETE", "/keys/99999", nil).Want(404, "not_found")
	f.Call(mine, "DELETE", "/keys/one", nil).Want(404, "not_found")
	f.Call(other, "GET", "/key", nil).Want(200, "")
}

// TestKeyCreatesNoLargerKey checks that a key creates none that lasts longer or
// may do more, however the request is written.
func TestKeyCreatesNoLargerKey(t *testing.T) {
	f := webtest.NewFixture(t)
	full := f.Account(vitrine.PlanPro)
	for _, scope := range []vitrine.KeyScope{vitrine.ScopeRead, vitrine.ScopePublish} {
		for _, wanted := range vitrine.Scopes {
			f.Call(f.Scoped(full, scope), "POST", "/keys", webtest.Fields{"name": "x", "scope": wanted}).Want(403,
				"forbidden")
		}
	}
	end := f.Clock.Now().Add(24 * time.Hour).Truncate(time.Millisecond)
	short, err := f.Server.Keys.CreateFor(t.Context(), f.Emails[full], auth.KeyRequest{Name: "short", ExpiresAt: end,
		Scope: vitrine.ScopeFull})
	f.Check(err)
	key := string(short.Text)
	create := func(change webtest.Fields) webtest.Answer {
		return f.Call(key, "POST", "/keys", webtest.Fields{"name": "x", "scope": "full"}.With(change))
	}
	for _, at := range []string{"never", end.Add(time.Millisecond).Format(time.RFC3339Nano), "9999-12-31T00:00:00Z"} {
		if a := create(webtest.Fields{"expiresAt": at}).Want(400, "invalid_request"); a.Text("field") != "expiresAt" {
			t.Errorf("expiresAt %s: field %q", at, a.Text("field"))
		}
	}
	for _, change := range []webtest.Fields{{},
		{"expiresAt": end.Format(time.RFC3339Nano)}} {
		if got := create(change).Want(200, "").Text("expiresAt"); got != end.UTC().Format("2006-01-02T15:04:05.000Z") {
			t.Errorf("with %v the key expires at %q, want %s", change, got, end)
		}
	}
	for field, value := range map[string]any{"name": "", "scope": "admin", "expiresAt": "2001-01-01T00:00:00Z",
		"linkLifeSeconds": 3600} {
		if a := create(webtest.Fields{field: value}).Want(400, "invalid_request"); a.Text("field") != field {
			t.Errorf("%s: %v: field %q", field, value, a.Text("field"))
		}
	}
	for _, life := range []any{-1, 59, 1e12, "30"} {
		create(webtest.Fields{"scope": "publish", "linkLifeSeconds": life}).Want(400, "invalid_request")
	}
	create(webtest.Fields{"scope": nil}).Want(400, "invalid_request")
	// What the empty variable of a template gives must not get the most.
	for _, field := range []string{"name", "scope", "expiresAt", "linkLifeSeconds"} {
		for _, empty := range []string{`null`, `""`, `" "`, `0`, `0.5`, `false`, `[]`, `{}`} {
			body := `{"name": "x", "scope": "publish", "expiresAt": "2026-05-05T11:00:00Z", "linkLifeSeconds": 3600}`
			body = regexp.MustCompile(`"`+field+`": [^,}]*`).ReplaceAllString(body, `"`+field+`": `+empty)
			a := f.Send(key, "POST", "/keys", "application/json", body)
			if field == "name" && empty == `" "` {
				continue // a name
			}
			if a.Want(400, "invalid_request"); a.Text("field") != field {
				t.Errorf("%s: field %q", body, a.Text("field"))
			}
		}
	}
	for _, field := range []string{"expiresAt", "replace", "website"} {
		if a := f.Call(full, "POST", "/uploads/complete", webtest.NoteFile.With(webtest.Fields{"path": "x",
			field: ""})).Want(400, "invalid_request"); a.Text("field") != field {
			t.Errorf("%s: field %q", field, a.Text("field"))
		}
	}
}

// TestEndedKeyCreatesNone checks that a key that was revoked, or whose account
// was suspended, since its request began creates no key.
func TestEndedKeyCreatesNone(t *testing.T) {
	f := webtest.NewFixture(t)
	owner := f.Account(vitrine.PlanPro)
	c, err := f.Server.Keys.Authenticate(t.Context(), f.Scoped(owner, vitrine.ScopeFull))
	f.Check(err)
	_, err = f.Server.Keys.Revoke(t.Context(), c.Email, c.Key.ID)
	f.Check(err)
	more := auth.KeyRequest{Name: "more", Scope: vitrine.ScopeRead}
	if _, err := f.Server.Keys.CreateBy(t.Context(), c, more); vitrine.CodeOf(err) != vitrine.CodeUnauthorized {
		t.Errorf("a revoked key: %v, want unauthorized", err)
	}
	c, err = f.Server.Keys.Authenticate(t.Context(), owner)
	f.Check(err)
	f.Ban(owner)
	if _, err := f.Server.Keys.CreateBy(t.Context(), c, more); vitrine.CodeOf(err) != vitrine.CodeBanned {
		t.Errorf("a key of a suspended account: %v, want banned", err)
	}
	if keys, err := f.Server.Keys.List(t.Context(), c.Email); err != nil || len(keys) != 2 {
		t.Errorf("%d keys, %v, want 2", len(keys), err)
	}
}

package web_test

import (
	"fmt"
	"regexp"
	"testing"
	"time"

	"vitrine"
	"vitrine/client"
	"vitrine/internal/app/auth"
)

// TestKeysByAPI creates, lists and revokes keys with a key, through the Go
// client. The secret is only in the first answer, and the key of the request
// may be revoked.
func TestKeysByAPI(t *testing.T) {
	f := newFixture(t)
	full := f.account(vitrine.PlanPro)
	c, err := client.New(f.url, full)
	f.check(err)
	end := f.clock.Now().Add(48 * time.Hour)
	made, err := c.CreateKey(t.Context(), client.KeyRequest{Name: "deploy", Scope: "publish", ExpiresAt: end,
		LinkLife: time.Hour})
	f.check(err)
	if made.Scope != "publish" || !made.ExpiresAt.Equal(end.Truncate(time.Millisecond)) || made.LinkLife != 3600 ||
		made.Current || made.APIKey[len(made.APIKey)-4:] != made.Last4 {
		t.Errorf("created %+v", made)
	}
	f.call(made.APIKey, "POST", "/uploads", noteFile).want(200, "")
	f.call(made.APIKey, "GET", "/keys", nil).want(403, "forbidden")
	list, err := c.Keys(t.Context())
	f.check(err)
	if len(list) != 2 || list[0].ID != made.ID || list[0].UsedAt.IsZero() || list[0].Current || !list[1].Current {
		t.Errorf("keys = %+v", list)
	}
	revoked, err := c.RevokeKeyByID(t.Context(), made.ID)
	f.check(err)
	if revoked.Current || revoked.RevokedAt.IsZero() {
		t.Errorf("revoked %+v", revoked)
	}
	f.call(made.APIKey, "POST", "/uploads", noteFile).want(401, "unauthorized")
	if again, err := c.RevokeKeyByID(t.Context(), made.ID); err != nil || !again.RevokedAt.Equal(revoked.RevokedAt) {
		t.Errorf("revoked again: %+v, %v", again, err)
	}
	if own, err := c.RevokeKeyByID(t.Context(), list[1].ID); err != nil || !own.Current {
		t.Errorf("the key of the request: %+v, %v", own, err)
	}
	f.call(full, "GET", "/key", nil).want(401, "unauthorized")
}

// TestKeysByAPIOfOthers checks that a key finds no key of another account, and
// that its answer is that for an unknown one.
func TestKeysByAPIOfOthers(t *testing.T) {
	f := newFixture(t)
	mine, other := f.account(vitrine.PlanPro), f.account(vitrine.PlanPro)
	id := f.call(other, "GET", "/key", nil).want(200, "").json()["id"]
	f.call(mine, "DELETE", fmt.Sprint("/keys/", id), nil).want(404, "not_found")
	f.call(mine, "DELETE", "/keys/99999", nil).want(404, "not_found")
	f.call(mine, "DELETE", "/keys/one", nil).want(404, "not_found")
	f.call(other, "GET", "/key", nil).want(200, "")
}

// TestKeyCreatesNoLargerKey checks that a key creates none that lasts longer or
// may do more, however the request is written.
func TestKeyCreatesNoLargerKey(t *testing.T) {
	f := newFixture(t)
	full := f.account(vitrine.PlanPro)
	for _, scope := range []vitrine.KeyScope{vitrine.ScopeRead, vitrine.ScopePublish} {
		for _, wanted := range vitrine.Scopes {
			f.call(f.scoped(full, scope), "POST", "/keys", fields{"name": "x", "scope": wanted}).want(403, "forbidden")
		}
	}
	end := f.clock.Now().Add(24 * time.Hour).Truncate(time.Millisecond)
	short, err := f.server.Keys.Create(t.Context(), f.emails[full], auth.KeyRequest{Name: "short", ExpiresAt: end, Scope: vitrine.ScopeFull})
	f.check(err)
	key := string(short.Text)
	create := func(change fields) answer {
		return f.call(key, "POST", "/keys", fields{"name": "x", "scope": "full"}.with(change))
	}
	for _, at := range []string{"never", end.Add(time.Millisecond).Format(time.RFC3339Nano), "9999-12-31T00:00:00Z"} {
		if a := create(fields{"expiresAt": at}).want(400, "invalid_request"); a.text("field") != "expiresAt" {
			t.Errorf("expiresAt %s: field %q", at, a.text("field"))
		}
	}
	for _, change := range []fields{{},
		{"expiresAt": end.Format(time.RFC3339Nano)}} {
		if got := create(change).want(200, "").text("expiresAt"); got != end.UTC().Format("2006-01-02T15:04:05.000Z") {
			t.Errorf("with %v the key expires at %q, want %s", change, got, end)
		}
	}
	for field, value := range map[string]any{"name": "", "scope": "admin", "expiresAt": "2001-01-01T00:00:00Z",
		"linkLifeSeconds": 3600} {
		if a := create(fields{field: value}).want(400, "invalid_request"); a.text("field") != field {
			t.Errorf("%s: %v: field %q", field, value, a.text("field"))
		}
	}
	for _, life := range []any{-1, 59, 1e12, "30"} {
		create(fields{"scope": "publish", "linkLifeSeconds": life}).want(400, "invalid_request")
	}
	create(fields{"scope": nil}).want(400, "invalid_request")
	// What the empty variable of a template gives must not get the most.
	for _, field := range []string{"name", "scope", "expiresAt", "linkLifeSeconds"} {
		for _, empty := range []string{`null`, `""`, `" "`, `0`, `0.5`, `false`, `[]`, `{}`} {
			body := `{"name": "x", "scope": "publish", "expiresAt": "2026-05-05T11:00:00Z", "linkLifeSeconds": 3600}`
			body = regexp.MustCompile(`"`+field+`": [^,}]*`).ReplaceAllString(body, `"`+field+`": `+empty)
			a := f.send(key, "POST", "/keys", "application/json", body)
			if field == "name" && empty == `" "` {
				continue // a name
			}
			if a.want(400, "invalid_request"); a.text("field") != field {
				t.Errorf("%s: field %q", body, a.text("field"))
			}
		}
	}
	for _, field := range []string{"expiresAt", "replace", "website"} {
		if a := f.call(full, "POST", "/uploads/complete", noteFile.with(fields{"path": "x", field: ""})).want(400,
			"invalid_request"); a.text("field") != field {
			t.Errorf("%s: field %q", field, a.text("field"))
		}
	}
}

// TestEndedKeyCreatesNone checks that a key that was revoked, or whose account
// was suspended, since its request began creates no key.
func TestEndedKeyCreatesNone(t *testing.T) {
	f := newFixture(t)
	owner := f.account(vitrine.PlanPro)
	c, err := f.server.Keys.Authenticate(t.Context(), f.scoped(owner, vitrine.ScopeFull))
	f.check(err)
	_, err = f.server.Keys.Revoke(t.Context(), c.Email, c.Key.ID)
	f.check(err)
	more := auth.KeyRequest{Name: "more", Scope: vitrine.ScopeRead}
	if _, err := f.server.Keys.CreateBy(t.Context(), c, more); vitrine.CodeOf(err) != vitrine.CodeUnauthorized {
		t.Errorf("a revoked key: %v, want unauthorized", err)
	}
	c, err = f.server.Keys.Authenticate(t.Context(), owner)
	f.check(err)
	f.ban(owner)
	if _, err := f.server.Keys.CreateBy(t.Context(), c, more); vitrine.CodeOf(err) != vitrine.CodeBanned {
		t.Errorf("a key of a suspended account: %v, want banned", err)
	}
	if keys, err := f.server.Keys.List(t.Context(), c.Email); err != nil || len(keys) != 2 {
		t.Errorf("%d keys, %v, want 2", len(keys), err)
	}
}

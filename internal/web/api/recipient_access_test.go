package api_test

import (
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/client"
	"vitrine/internal/test/webtest"
)

// TestRecipientAccessByTheClient checks that the client gives recipients an
// access, changes it part by part and takes it back, and that what it reads is
// what it set.
func TestRecipientAccessByTheClient(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	slug := f.Published(key, webtest.NoteFile, webtest.Note)
	c, err := client.New(f.URL, key)
	f.Check(err)
	password, two, ctx := "a secret", 2, t.Context()
	list, err := c.AddRecipients(ctx, slug, []client.NewRecipient{{Label: "own", Access: &client.AccessChange{
		Password: &password, Readers: &two}}, {Label: "open", Access: &client.AccessChange{Open: true}},
		{Label: "as the link"}}, "")
	f.Check(err)
	if a := list[0].Access; a == nil || !a.Password || a.Readers != 2 || a.ReadersLeft != 2 {
		t.Errorf("own access = %+v", a)
	}
	if a := list[1].Access; a == nil || *a != (client.Access{}) || list[2].Access != nil {
		t.Errorf("open: %+v, as the link: %+v", a, list[2].Access)
	}
	f.Call(key, "PATCH", "/links/"+slug, webtest.Fields{"access": webtest.Fields{"password": "for all"}}).Want(200, "")
	is := func(want ...int) {
		t.Helper()
		for i, r := range list {
			if a := read(f, r.URL); a.Status != want[i] {
				t.Errorf("%s: %d, want %d", r.Label, a.Status, want[i])
			}
		}
	}
	is(403, 200, 403)
	change := func(i int, ch client.RecipientChange) *client.Access {
		t.Helper()
		r, err := c.UpdateRecipient(ctx, slug, list[i].ID, ch)
		f.Check(err)
		return r.Access
	}
	none := ""
	if a := change(0, client.RecipientChange{Access: &client.AccessChange{Password: &none}}); a == nil || a.Password ||
		a.Readers != 2 {
		t.Errorf("without a password: %+v", a)
	}
	if a := change(1, client.RecipientChange{Access: &client.AccessChange{AsLink: true}}); a != nil {
		t.Errorf("as the link: %+v", a)
	}
	label, until, no := "renamed", f.Clock.Now().Add(time.Hour), false
	if a := change(2, client.RecipientChange{Label: &label, ExpiresAt: &until, AllowDownload: &no,
		Access: &client.AccessChange{Open: true}}); a == nil || *a != (client.Access{}) {
		t.Errorf("open: %+v", a)
	}
	is(200, 403, 200)
	for r, err := range c.Recipients(ctx, slug) {
		f.Check(err)
		if r.ID == list[2].ID &&
			(r.Label != label || !r.ExpiresAt.Equal(until) || *r.AllowDownload || r.Access == nil) {
			t.Errorf("the changed recipient is %+v", r)
		}
	}
}

// TestRecipientAccessBadInput checks what is refused about the access of a
// recipient, with the field, and that nothing changes then.
func TestRecipientAccessBadInput(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	slug := f.Published(key, webtest.NoteFile, webtest.Note)
	path := "/links/" + slug + "/recipients"
	id := added(f, key, slug, anna)[0].ID
	refused := func(field, method, path string, body webtest.Fields) {
		t.Helper()
		a := f.Call(key, method, path, body).Want(400, "invalid_request")
		if got := a.Text("field"); got != field {
			t.Errorf("%v: field %q, want %q", body, got, field)
		}
	}
	for _, c := range []struct {
		access any
		field  string // below access
	}{
		{true, ""}, {"none", ""}, {[]int{1}, ""}, {webtest.Fields{"password": ""}, ".password"},
		{webtest.Fields{"password": strings.Repeat("x", 1025)}, ".password"},
		{webtest.Fields{"password": "a\x00b"}, ".password"}, {webtest.Fields{"password": true}, ".password"},
		{webtest.Fields{"readers": 0}, ".readers"}, {webtest.Fields{"readers": -1}, ".readers"},
		{webtest.Fields{"readers": 1.5}, ".readers"}, {webtest.Fields{"readers": int64(1e12)}, ".readers"},
		{webtest.Fields{"reader": 1}, ".reader"},
	} {
		want := "access" + c.field
		refused(want, "PATCH", path+"/"+id, webtest.Fields{"access": c.access})
		refused("recipients[1]."+want, "POST", path, webtest.Fields{"recipients": []webtest.Fields{{"label": "a"},
			{"label": "b", "access": c.access}}})
	}
	two := []webtest.Fields{{"label": "a", "access": webtest.Fields{"password": "1"}},
		{"label": "b", "access": webtest.Fields{"password": "2"}}}
	refused("recipients[1].access.password", "POST", path, webtest.Fields{"recipients": two})
	if list := rowsOf(t, f.Call(key, "GET", path, nil).Want(200, "")); len(list) != 1 || list[0].AllowDownload != nil {
		t.Errorf("after refused calls, the recipients are %+v", list)
	}
}

// TestRecipientPasswordIsNotKept checks that what a store keeps of a call does
// not depend on the password: a hash of all that was sent would be a fast one,
// and a retry finds its rows all the same.
func TestRecipientPasswordIsNotKept(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	slug := f.Published(key, webtest.NoteFile, webtest.Note)
	call := func(password string) []recipientRow {
		return added(f, key, slug, webtest.Fields{"idempotencyKey": "123e4567-e89b-12d3-a456-426614174000",
			"recipients": []webtest.Fields{{"label": "a", "access": webtest.Fields{"password": password}}}})
	}
	if one, two := call("one"), call("two"); one[0].ID != two[0].ID {
		t.Error("the hash of a call depends on the password")
	}
}

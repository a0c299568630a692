package api_test

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/audit"
	"vitrine/internal/app/export"
	"vitrine/internal/test/vitrinetest"
	"vitrine/internal/test/webtest"
)

// named is a request for recipients with labels.
func named(labels ...string) webtest.Fields {
	var rows []webtest.Fields
	for _, l := range labels {
		rows = append(rows, webtest.Fields{"label": l})
	}
	return webtest.Fields{"recipients": rows}
}

var anna = named("Anna's link")

type recipientRow struct {
	ID, Label, URL       string
	CreatedAt, RevokedAt string
	AllowDownload        *bool
}

// rowsOf reads the recipients of an answer.
func rowsOf(t testing.TB, a webtest.Answer) []recipientRow {
	t.Helper()
	var body struct{ Recipients []recipientRow }
	if err := json.Unmarshal(a.Body, &body); err != nil {
		t.Fatal(err)
	}
	return body.Recipients
}

func added(f *webtest.Fixture, key, slug string, body webtest.Fields) []recipientRow {
	f.T.Helper()
	return rowsOf(f.T, f.Call(key, "POST", "/links/"+slug+"/recipients", body).Want(200, ""))
}

// newRecipient returns the ID of a recipient that the owner of a link has
// added, or of none if the link is not there.
func (c caller) newRecipient(slug string) string {
	c.T.Helper()
	if a := c.Call(c.owner(), "POST", "/links/"+slug+"/recipients", anna); a.Status == 200 {
		return rowsOf(c.T, a)[0].ID
	}
	return "1"
}

func (c caller) editRecipient(slug string, change webtest.Fields) webtest.Answer {
	c.T.Helper()
	return c.toRecipient("PATCH", slug, change)
}

// toRecipient sends a request about a recipient: one that does not exist, and
// if the caller may ask for it, a new one.
func (c caller) toRecipient(method, slug string, body any) webtest.Answer {
	c.T.Helper()
	if a := c.Call(c.key, method, "/links/"+slug+"/recipients/1", body); a.Status != 404 {
		return a
	}
	return c.Call(c.key, method, "/links/"+slug+"/recipients/"+c.newRecipient(slug), body)
}

// read gets an address as a reader's browser.
func read(f *webtest.Fixture, address string) webtest.Answer {
	f.T.Helper()
	req, err := http.NewRequest(http.MethodGet, address, nil)
	f.Check(err)
	req.Header.Set("User-Agent", webtest.Desktop)
	return f.Do(req)
}

// TestRecipientAddresses checks that each way to a link below a recipient's
// address works, stays with this address, and says nothing of its label, and
// that wrong tokens are unknown.
func TestRecipientAddresses(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	slug, other := f.Published(key, webtest.NoteFile.With(webtest.Fields{"slug": "deck-one"}), webtest.Note), f.Published(key, webtest.NoteFile, webtest.Note)
	rows := added(f, key, slug, named("Anna Secretname", "Anna Secretname"))
	if len(rows) != 2 || rows[0].ID == rows[1].ID || rows[0].URL == rows[1].URL {
		t.Fatalf("rows = %+v, want two with their own IDs and addresses", rows)
	}
	here := rows[0].URL
	if !regexp.MustCompile(`^` + f.URL + `/p/deck-one/[a-z2-7]{26}$`).MatchString(here) {
		t.Fatalf("address %q", here)
	}
	token := here[len(here)-26:]
	for _, path := range []string{"", "/embed", "/picture", "/download", "/qr.svg", "/qr.png", "/report"} {
		a := read(f, here+path)
		if a.Status != 200 || strings.Contains(string(a.Body)+fmt.Sprint(a.Header), "Secretname") {
			t.Errorf("%q: status %d, %v", path, a.Status, a.Header)
		}
	}
	page := string(read(f, here).Body)
	for _, want := range []string{`og:url" content="` + here + `"`, here + "/picture", "/p/deck-one/" + token + "/download?",
		url.QueryEscape(here) + "&amp;format=json", here + "/embed", "/p/deck-one/" + token + "/qr.svg"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	oembed := string(read(f, f.URL+"/oembed?url="+url.QueryEscape(here)).Body)
	if !strings.Contains(oembed, here+"/embed") || strings.Contains(oembed, "Secretname") {
		t.Errorf("oEmbed: %s", oembed)
	}
	for path, want := range map[string]string{
		"/p/deck-one/" + strings.ToUpper(token): here[len(f.URL):], "/p/deck-one/" + token + "/": here[len(f.URL):],
		"/p/Deck-One/" + token + "/download": here[len(f.URL):] + "/download", "/p/deck-one/" + token + ").": here[len(f.URL):],
	} {
		if a := read(f, f.URL+path); a.Status != 308 || a.Header.Get("Location") != want {
			t.Errorf("%s: %d to %q, want %q", path, a.Status, a.Header.Get("Location"), want)
		}
	}
	unknown := read(f, f.URL+"/p/"+other)
	for _, path := range []string{"/p/" + other + "/" + token, "/p/deck-one/" + strings.Repeat("a", 26),
		"/p/" + other + "/" + token + "/download", "/p/deck-one/x", "/p/deck-one/" + token + "x", "/p/nope/" + token} {
		if a := read(f, f.URL+path); a.Status != 404 {
			t.Errorf("%s: %d, want 404", path, a.Status)
		}
	}
	if unknown.Status != 200 {
		t.Errorf("the plain address of the other link: %d", unknown.Status)
	}
	f.Call(key, "PATCH", "/links/deck-one", webtest.Fields{"slug": "deck-two"}).Want(200, "")
	if a := read(f, here+"/download"); a.Status != 308 ||
		a.Header.Get("Location") != "/p/deck-two/"+token+"/download" {
		t.Errorf("below an old slug: %d to %q", a.Status, a.Header.Get("Location"))
	}
	f.Delete("deck-two")
	if a := read(f, f.URL+"/p/deck-two/"+token); a.Status != 404 {
		t.Errorf("of a deleted link: %d", a.Status)
	}
}

// TestRecipientEnds checks that an address that is revoked or has expired gets
// 410, and that its switch for downloads replaces that of the link.
func TestRecipientEnds(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	pdf := string(webtest.MakePDF(1))
	slug := f.Published(key, webtest.Fields{"name": "deck.pdf", "type": "application/pdf", "size": len(pdf)}, pdf)
	until := f.Clock.Now().Add(time.Hour).Format(time.RFC3339)
	rows := added(f, key, slug, webtest.Fields{"recipients": []webtest.Fields{{"label": "a"}, {"label": "b", "expiresAt": until},
		{"label": "c", "allowDownload": false}}})
	path := "/links/" + slug + "/recipients/"
	status := func(i, page, download int) {
		t.Helper()
		if a, b := read(f, rows[i].URL).Status, read(f, rows[i].URL+"/download").Status; a != page || b != download {
			t.Errorf("recipient %d: page %d, download %d, want %d, %d", i, a, b, page, download)
		}
	}
	status(0, 200, 200)
	status(1, 200, 200)
	status(2, 200, 404)
	content := f.URL + regexp.MustCompile(`/c/[^/"]+/`).FindString(string(read(f, rows[0].URL).Body)) + "file"
	if a := read(f, content); a.Status != 200 {
		t.Fatalf("content %q: %d", content, a.Status)
	}
	f.Call(key, "DELETE", path+rows[0].ID, nil).Want(204, "")
	f.Call(key, "DELETE", path+rows[0].ID, nil).Want(204, "")
	status(0, 410, 410)
	if a := read(f, content); a.Status != 410 {
		t.Errorf("content of a page from before: %d, want 410", a.Status)
	}
	status(1, 200, 200)
	f.Clock.Advance(time.Hour)
	status(1, 410, 410)
	f.Call(key, "PATCH", path+rows[1].ID, webtest.Fields{"expiresAt": "never"}).Want(200, "")
	status(1, 200, 200)
	f.Call(key, "PATCH", "/links/"+slug, webtest.Fields{"allowDownload": false}).Want(200, "")
	f.Call(key, "PATCH", path+rows[2].ID, webtest.Fields{"allowDownload": true, "label": ""}).Want(200, "")
	status(1, 200, 404)
	status(2, 200, 200)
	f.Call(key, "PATCH", "/links/"+slug, webtest.Fields{"disabled": true}).Want(200, "")
	status(1, 410, 410)
	list := rowsOf(t, f.Call(key, "GET", "/links/"+slug+"/recipients", nil).Want(200, ""))
	if len(list) != 3 || list[0].RevokedAt == "" || list[1].RevokedAt != "" || list[2].Label != "" {
		t.Errorf("list = %+v", list)
	}
	stranger := f.Account(vitrine.PlanPro)
	f.Call(stranger, "GET", "/links/"+slug+"/recipients", nil).Want(404, "not_found")
	f.Call(stranger, "POST", "/links/"+slug+"/recipients", anna).Want(404, "not_found")
	f.Call(stranger, "PATCH", path+rows[1].ID, webtest.Fields{"label": "x"}).Want(404, "not_found")
	f.Call(stranger, "DELETE", path+rows[1].ID, nil).Want(404, "not_found")
}

// TestRecipientTransferEnds checks that a running transfer ends when the
// recipient is revoked, and one of another recipient does not.
func TestRecipientTransferEnds(t *testing.T) {
	f := webtest.NewFixture(t)
	f.Server.RecheckEvery = 10 * time.Millisecond
	ended := webtest.Endings(f.Site, "/download")
	key := f.Account(vitrine.PlanPro)
	text := strings.Repeat("words and words\n", 4<<20)
	slug := f.Published(key, webtest.NoteFile.With(webtest.Fields{"size": len(text)}), text)
	rows := added(f, key, slug, named("a", "b"))
	begin := func(address string) func() (int64, error) {
		conn, err := net.Dial("tcp", strings.TrimPrefix(f.URL, "http://"))
		f.Check(err)
		t.Cleanup(func() { conn.Close() })
		_, _ = io.WriteString(conn, "GET "+strings.TrimPrefix(address, f.URL)+"/download HTTP/1.1\r\nHost: localhost\r\n\r\n")
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || res.StatusCode != 200 {
			t.Fatal(res, err)
		}
		return func() (int64, error) {
			_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
			return io.Copy(io.Discard, res.Body)
		}
	}
	cut, whole := begin(rows[0].URL), begin(rows[1].URL)
	f.Call(key, "DELETE", "/links/"+slug+"/recipients/"+rows[0].ID, nil).Want(204, "")
	ended()
	if n, err := cut(); n >= int64(len(text)) || err == nil {
		t.Errorf("%d of %d bytes, %v", n, len(text), err)
	}
	if n, err := whole(); n != int64(len(text)) || err != nil {
		t.Errorf("of another recipient: %d of %d bytes, %v", n, len(text), err)
	}
}

// TestRecipientLimitRace checks that many calls at once add exactly as many
// recipients as the plan allows, in full calls, and that retries add none.
func TestRecipientLimitRace(t *testing.T) {
	onEachStore(t, func(t *testing.T, store string) {
		f := webtest.NewFixtureAt(t, store)
		f.Limits(vitrine.Limits{Recipients: 50})
		key := f.Account(vitrine.PlanFree)
		slug := f.Published(key, webtest.NoteFile, webtest.Note)
		path := "/links/" + slug + "/recipients"
		added := webtest.Parallel(100, func(i int) webtest.Answer {
			return f.Call(key, "POST", path, named("a", "b", "c").With(webtest.Fields{
				"idempotencyKey": fmt.Sprintf("123e4567-e89b-12d3-a456-4266141740%02x", i)}))
		})
		ids, ok := map[string]bool{}, 0
		for i, a := range added {
			switch a.Status {
			case 200:
				ok++
				for _, r := range rowsOf(t, a) {
					ids[r.ID] = true
				}
				again := f.Call(key, "POST", path, named("a", "b", "c").With(webtest.Fields{
					"idempotencyKey": fmt.Sprintf("123e4567-e89b-12d3-a456-4266141740%02x", i)})).Want(200, "")
				if !slices.Equal(rowsOf(t, again), rowsOf(t, a)) {
					t.Errorf("a retry answered %s, want %s", again.Body, a.Body)
				}
			default:
				a.Want(403, "recipient_limit")
			}
		}
		if ok != 16 || len(ids) != 48 {
			t.Errorf("%d calls added %d recipients, want 16 and 48", ok, len(ids))
		}
		var listed []string
		for cursor := ""; ; {
			a := f.Call(key, "GET", path+"?limit=20&cursor="+cursor, nil).Want(200, "")
			for _, r := range rowsOf(t, a) {
				listed = append(listed, r.ID)
			}
			if cursor = a.Text("nextCursor"); cursor == "" {
				break
			}
		}
		if len(listed) != 48 || len(ids) != 48 {
			t.Errorf("%d are listed", len(listed))
		}
		f.Call(key, "POST", path, named("a", "b", "c")).Want(403, "recipient_limit")
		f.Call(key, "DELETE", path+"/"+listed[0], nil).Want(204, "")
		f.Call(key, "POST", path, named("a", "b", "c")).Want(200, "")
	})
}

// TestRecipientsAreAudited checks that the audit finds a recipient without its
// link, and that the export of an account has its recipients.
func TestRecipientsAreAudited(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	slug := f.Published(key, webtest.NoteFile, webtest.Note)
	rows := added(f, key, slug, named("=HYPERLINK(1)", "Bob's link"))
	faults := func() (list []string) {
		a := &audit.Checker{Store: f.Server.Links.Store, Blobs: f.Blobs, Log: f.Log, Now: f.Server.Now}
		f.Check(a.Run(t.Context(), func(text string) { list = append(list, text) }))
		return list
	}
	if list := faults(); list != nil {
		t.Errorf("faults: %q", list)
	}
	a, err := f.Server.Accounts.ByEmail(t.Context(), f.Emails[key])
	f.Check(err)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	e := export.Exporter{Store: f.Server.Links.Store, Blobs: f.Blobs, Analytics: f.Server.Analytics,
		Events: f.Server.Events, Now: f.Server.Now, URL: func(s vitrine.Slug) string { return f.URL + "/p/" + string(s) }}
	f.Check(e.Write(t.Context(), a, z))
	f.Check(z.Close())
	read, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	f.Check(err)
	table, err := fs.ReadFile(read, "recipients.csv")
	f.Check(err)
	for _, want := range []string{rows[0].URL, rows[1].URL, "'=HYPERLINK(1)", "Bob's link"} {
		if !strings.Contains(string(table), want) {
			t.Errorf("the export has no %q: %s", want, table)
		}
	}
	stranger, err := f.Server.Accounts.ByEmail(t.Context(), f.Emails[f.Account(vitrine.PlanFree)])
	f.Check(err)
	for name, damage := range map[string]func(r *vitrine.Recipient){
		"account": func(r *vitrine.Recipient) { r.Account = stranger.ID },
		"number":  func(r *vitrine.Recipient) { r.Number = -1 },
		"token":   func(r *vitrine.Recipient) { r.Token = "x" },
		"hash":    func(r *vitrine.Recipient) { r.Access = &vitrine.Access{Password: "x", Round: "a"} },
		"round":   func(r *vitrine.Recipient) { r.Access = &vitrine.Access{Readers: 1} },
	} {
		var was vitrine.Recipient
		put := func(change func(r *vitrine.Recipient)) {
			f.Check(f.Server.Links.Store.Update(t.Context(), func(tx vitrine.Tx) error {
				l, err := tx.LinkBySlug(vitrine.Slug(slug))
				f.Check(err)
				list, err := tx.Recipients(vitrine.RecipientQuery{Link: l.ID, After: -2, Limit: 1})
				f.Check(err)
				change(list[0])
				return tx.PutRecipient(list[0])
			}))
		}
		put(func(r *vitrine.Recipient) { was = *r; damage(r) })
		if list := faults(); len(list) != 1 {
			t.Errorf("%s: faults %q, want one", name, list)
		}
		put(func(r *vitrine.Recipient) { *r = was })
	}
	id := f.Confirmed(slug, "ann@example.com")
	if list := faults(); list != nil {
		t.Errorf("with a known reader: faults %q", list)
	}
	update := func(change func(tx vitrine.Tx) error) { f.Check(f.Server.Links.Store.Update(t.Context(), change)) }
	l, err := f.Server.Links.BySlug(t.Context(), slug)
	f.Check(err)
	update(func(tx vitrine.Tx) error {
		return errors.Join(tx.DeleteKnownReader(l.ID, id),
			tx.AddKnownReader(&vitrine.KnownReader{Link: l.ID, Round: "A", Email: "Ann@example.com ", At: f.Clock.Now()}))
	})
	if list := faults(); len(list) != 1 || !strings.Contains(list[0], "known reader") {
		t.Errorf("a reader with a wrong address: faults %q, want one", list)
	}
	update(func(tx vitrine.Tx) error { return tx.AddGateCounts(l.ID, vitrine.GateCounts{Shown: 1}) })
	f.Delete(slug)
	if list := faults(); list != nil {
		t.Errorf("of a deleted link: faults %q", list)
	}
	update(func(tx vitrine.Tx) error {
		return tx.AddPlace(&vitrine.Place{Link: l.ID, Round: "A", At: f.Clock.Now()})
	})
	if list := faults(); len(list) != 1 || !strings.Contains(list[0], "is deleted, but") {
		t.Errorf("a place at a deleted link: faults %q, want one", list)
	}
	f.Check(f.Server.Links.Store.Read(t.Context(), func(tx vitrine.Tx) error {
		return tx.EachRecipient(func(r *vitrine.Recipient) error {
			t.Errorf("a deleted link has the recipient %d", r.ID)
			return nil
		})
	}))
}

// TestRecipientNumbers checks that views, downloads and reports know the
// recipient, that a link preview is not "opened", and that no label is in a
// shared report or among recent views.
func TestRecipientNumbers(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	slug := f.Published(key, webtest.NoteFile, webtest.Note)
	rows := added(f, key, slug, named("Anna Secretname", "Bob Secretname", "Carl Secretname"))
	visit := func(address, agent string) string {
		req, err := http.NewRequest(http.MethodGet, address, nil)
		f.Check(err)
		req.Header.Set("User-Agent", agent)
		a := f.Do(req).Want(200, "")
		f.Clock.Advance(time.Minute)
		return string(a.Body)
	}
	beacon := html.UnescapeString(regexp.MustCompile(`data-beacon="([^"]*)"`).FindStringSubmatch(visit(rows[0].URL, webtest.Desktop))[1])
	req, err := http.NewRequest(http.MethodPost, f.URL+beacon,
		strings.NewReader(`{"engaged":9000,"present":12000,"depth":40}`))
	f.Check(err)
	req.Header.Set("Content-Type", "text/plain;charset=UTF-8")
	f.Do(req).Want(204, "")
	visit(rows[0].URL, webtest.Desktop)
	visit(rows[1].URL, "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)")
	visit(rows[2].URL+"/download", webtest.Desktop)
	visit(f.URL+"/p/"+slug, webtest.Desktop)
	visit(f.URL+"/p/"+slug+"/download", webtest.Desktop+" other")

	type row struct {
		ID, Progress            string
		Opened                  bool
		FirstAt, LastAt         string
		Views, EngagedMs        int64
		Downloads               int64
		RevokedAt, Label, Other string
	}
	var list struct{ Recipients []row }
	f.Check(json.Unmarshal(f.Call(key, "GET", "/links/"+slug+"/recipients", nil).Want(200, "").Body, &list))
	for i, want := range []row{
		{Opened: true, Views: 2, EngagedMs: 9000, Progress: "40% scrolled"}, {}, {Downloads: 1}} {
		got := list.Recipients[i]
		if (got.FirstAt == "") == want.Opened || (got.LastAt > got.FirstAt) != want.Opened {
			t.Errorf("recipient %d: from %q to %q", i, got.FirstAt, got.LastAt)
		}
		want.ID, want.Label, want.FirstAt, want.LastAt = rows[i].ID, rows[i].Label, got.FirstAt, got.LastAt
		vitrinetest.Equal(t, fmt.Sprint("recipient ", i), got, want)
	}
	total := func(filter string) (views, downloads, bots float64) {
		totals := f.Call(key, "GET", "/links/"+slug+"/analytics?"+filter, nil).Want(200, "").JSON()["totals"].(map[string]any)
		return totals["views"].(float64), totals["rangeDownloads"].(float64), totals["botsExcluded"].(float64)
	}
	for filter, want := range map[string][3]float64{"": {3, 2, 1}, "filter=recipient:is:" + rows[0].ID: {2, 0, 0},
		"filter=recipient:is:" + rows[1].ID: {0, 0, 1}, "filter=recipient:is:" + rows[2].ID: {0, 1, 0},
		"filter=recipient:is:": {1, 1, 0}, "filter=recipient:is_not:": {2, 1, 1}, "filter=recipient:is:1": {0, 0, 0},
		"filter=recipient:is:&filter=country:is:": {1, 0, 0}} {
		if views, downloads, bots := total(filter); [3]float64{views, downloads, bots} != want {
			t.Errorf("%q: %v views, %v downloads, %v bots, want %v", filter, views, downloads, bots, want)
		}
	}
	for _, bad := range []string{"x", "-1", "0", "01", "99999999999999999999"} {
		f.Call(key, "GET", "/links/"+slug+"/analytics?filter=recipient:is:"+bad, nil).Want(400, "invalid_request")
	}
	visits := f.Call(key, "GET", "/links/"+slug+"/visits?filter=recipient:is:"+rows[1].ID, nil).Want(200, "")
	if !strings.Contains(string(visits.Body), `"recipient":"`+rows[1].ID+`"`) ||
		!strings.Contains(string(visits.Body), `"excluded":"link_preview"`) {
		t.Errorf("visits: %s", visits.Body)
	}
	csv := string(f.Call(key, "GET", "/links/"+slug+"/visits?format=csv", nil).Body)
	if !strings.Contains(csv, ",recipient,") || !strings.Contains(csv, ","+rows[0].ID+",") {
		t.Errorf("visits as CSV: %s", csv)
	}
	for _, path := range []string{"/links/" + slug + "/analytics", "/links/" + slug + "/visits", "/analytics"} {
		if a := f.Call(key, "GET", path, nil); strings.Contains(string(a.Body), "Secretname") {
			t.Errorf("%s has a label: %s", path, a.Body)
		}
	}
}

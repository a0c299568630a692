package public_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/test/webtest"
)

// TestEmailGate follows a reader through an email gate: with the code, and with
// the address in the mail, in another browser.
func TestEmailGate(t *testing.T) {
	s := webtest.NewSite(t)
	s.TrustProxy()
	post := s.Gatekeeper()
	l := s.Publish("quarterly-secret.txt", []byte("the text"), webtest.Titled("Quarterly secret"))
	here := "/p/" + string(l.Slug)
	s.AskEmail(l, access.Email{Allow: []string{"example.com", "bücher.example"}, Deny: []string{"eve@example.com"},
		Consent: "Keep it to yourself."})
	gate := s.Status(s.Get(here+"?utm_source=LinkedIn"), 403)
	for _, has := range []string{`type="email"`, "Keep it to yourself.", "Report abuse", "owner of the link sees"} {
		if !strings.Contains(gate.Text, has) {
			t.Errorf("the gate is without %q\n%s", has, gate.Text)
		}
	}
	if strings.Contains(gate.Text, "uarterly") || len(gate.Cookies()) != 0 {
		t.Errorf("the gate reveals something, or sets %v", gate.Cookies())
	}
	if r := s.Post(here, url.Values{"email": {"ann@example.com"}}); r.StatusCode != 403 ||
		!strings.Contains(r.Text, "Tick the box") {
		t.Errorf("without consent: %d", r.StatusCode)
	}
	asked := s.AskCode(l, " Ann@Example.com ", "192.0.2.1")
	mails := post.To("ann@example.com")
	if len(mails) != 1 || strings.Contains(mails[0].Text, "uarterly") {
		t.Fatalf("mails: %q", mails)
	}
	if r := s.SendCode(l, asked, "000 000x", "192.0.2.1"); r.StatusCode != 403 || webtest.AskedIn(r) != asked {
		t.Errorf("a wrong code: %d\n%s", r.StatusCode, r.Text)
	}
	code := mails[0].Code()
	wide := strings.Map(func(r rune) rune { // as some keyboards of phones write digits
		if r == ' ' {
			return '\u3000'
		}
		return r - '0' + '０'
	}, code)
	for _, typed := range []string{code, strings.ReplaceAll(code, " ", ""), " " + code + " ", wide} {
		r := s.Status(s.SendCode(l, asked, typed, "192.0.2.1"), 303)
		if page := s.Status(s.Get(here, webtest.PassOf(r)), 200); !strings.Contains(page.Text, "Quarterly") {
			t.Error("the page is without the title")
		}
	}

	// The address in the mail confirms nothing by itself.
	address := mails[0].Address()
	for range 3 {
		s.Status(s.Do(http.MethodHead, address, ""), 403)
		if r := s.Status(s.Get(address), 403); len(r.Cookies()) != 0 || !strings.Contains(r.Text, "ann@example.com") {
			t.Errorf("the address in the mail answers\n%s", r.Text)
		}
	}
	mailed := address[strings.Index(address, "=")+1:]
	r := s.Status(s.Post(here+"?utm_source=LinkedIn", url.Values{"mailed": {mailed}}), 303)
	if to := r.Header.Get("Location"); to != here+"?utm_source=LinkedIn" {
		t.Errorf("the button leads to %q", to)
	}
	pass := webtest.PassOf(r)
	s.Status(s.Get(here, pass), 200)
	if r := s.Status(s.Get(address, pass), 303); r.Header.Get("Location") != here {
		t.Errorf("with a pass, the address in the mail leads to %q", r.Header.Get("Location"))
	}

	readers, err := s.Server.Gates.Readers(t.Context(), l, 0, 10)
	s.Check(err)
	if len(readers) != 1 || readers[0].Email != "ann@example.com" || readers[0].Consent != "Keep it to yourself." ||
		time.Since(readers[0].At) > time.Hour {
		t.Errorf("who passed: %+v", readers)
	}
	if page := s.Status(s.Get("/links/"+string(l.Slug)+"/analytics", s.SignIn(s.Account)), 200); strings.Contains(
		page.Text, "ann@") {
		t.Error("the report has an address of a reader")
	}

	// A changed list ends passes, codes and addresses of before.
	s.AskEmail(l, access.Email{Allow: []string{"example.org"}})
	s.Status(s.Get(here, pass), 403)
	for name, r := range map[string]webtest.Reply{"code": s.SendCode(l, asked, code, "192.0.2.1"),
		"address": s.Post(here, url.Values{"mailed": {mailed}})} {
		if len(r.Cookies()) != 0 || r.StatusCode != 403 || !strings.Contains(r.Text, "Enter your address again") {
			t.Errorf("a %s of before the change: %d", name, r.StatusCode)
		}
	}
}

// TestEmailGateTellsNothing checks that the answer to an address that may not
// open a link is the one that others get, and that no code of it is right.
func TestEmailGateTellsNothing(t *testing.T) {
	s := webtest.NewSite(t)
	s.TrustProxy()
	post := s.Gatekeeper()
	l := s.Publish("notes.txt", []byte("the text"))
	s.AskEmail(l, access.Email{Allow: []string{"example.com", "eve@example.org"}, Deny: []string{"mallory@example.com"}})
	plain := func(email string) string {
		r := s.Post("/p/"+string(l.Slug), url.Values{"email": {email}})
		text := regexp.MustCompile(`nonce="[^"]*"|value="[^"]*"`).ReplaceAllString(r.Text, "")
		return fmt.Sprint(r.StatusCode, r.Header.Get("Retry-After"), r.Header.Get("Content-Length") != "",
			strings.ReplaceAll(text, email, "ADDRESS"))
	}
	want := plain("ann@example.com")
	for email, sent := range map[string]int{"eve@example.org": 1, "bob@example.org": 0, "mallory@example.com": 0,
		"ann@sub.example.com": 0} {
		for n := range 4 {
			got := plain(email)
			if n == 0 && got != want {
				t.Errorf("%s gets\n%s\nand not\n%s", email, got, want)
			}
			if n == 3 && !strings.HasPrefix(got, "429") {
				t.Errorf("the fourth code to %s: %.3s", email, got)
			}
		}
		if got := len(post.To(email)); got != 3*sent {
			t.Errorf("%d mails to %s", got, email)
		}
	}
	asked := s.AskCode(l, "carl@example.org", "198.51.100.7")
	forged := strings.Replace(asked, "Y2FybEBleGFtcGxlLm9yZw", "YW5uQGV4YW1wbGUuY29t", 1) // ann@example.com
	if forged == asked {
		t.Fatal("the address is not in what the page sends")
	}
	if r := s.SendCode(l, forged, "123456", "198.51.100.7"); !strings.Contains(r.Text, "Enter your address again") {
		t.Errorf("a forged request: %d", r.StatusCode)
	}
	_, err := s.Server.Gates.Readers(t.Context(), l, 0, 10)
	s.Check(err)
}

// TestWrongCodes checks the limits of codes: of wrong ones by network, while
// the reader from another network gets in; and of those asked for.
func TestWrongCodes(t *testing.T) {
	s := webtest.NewSite(t)
	s.TrustProxy()
	post := s.Gatekeeper()
	l := s.Publish("notes.txt", []byte("the text"))
	s.AskEmail(l, access.Email{})
	asked := s.AskCode(l, "ann@example.com", "192.0.2.1")
	code := post.To("ann@example.com")[0].Code()
	for i := range 5 {
		s.Status(s.SendCode(l, asked, fmt.Sprintf("12345%d", i), "192.0.2.1"), 403)
	}
	late := s.Status(s.SendCode(l, asked, code, "192.0.2.2"), 429)
	if late.Header.Get("Retry-After") == "" || !strings.Contains(late.Text, "Try again in") {
		t.Errorf("after five wrong codes\n%s", late.Text)
	}
	s.Status(s.SendCode(l, asked, code, "198.51.100.1"), 303)
	for i := range 5 { // ten wrong ones of one request, from two networks
		s.Status(s.SendCode(l, asked, fmt.Sprintf("12345%d", i), "203.0.113.1"), 403)
	}
	s.Status(s.SendCode(l, asked, code, "198.51.100.2"), 429)
	s.Status(s.SendCode(l, s.AskCode(l, "ann@example.com", "198.51.100.1"), post.To("ann@example.com")[1].Code(),
		"198.51.100.1"), 303)
	s.Ahead.Add(int64(access.CodeLife))
	if r := s.SendCode(l, asked, code, "203.0.114.1"); r.StatusCode != 403 || webtest.AskedIn(r) != "" {
		t.Errorf("an old code: %d", r.StatusCode)
	}

	s.Ahead.Add(int64(time.Hour))
	ask := func(email, from string) int {
		return s.Post("/p/"+string(l.Slug), url.Values{"email": {email}}, "X-Forwarded-For: "+from).StatusCode
	}
	for i := range 20 {
		if got := ask(fmt.Sprintf("a%d@example.com", i), "192.0.2.1"); got != 403 {
			t.Fatalf("code %d of a network: %d", i, got)
		}
	}
	if got := ask("b@example.com", "192.0.2.9"); got != 429 {
		t.Errorf("the 21st code of a network: %d", got)
	}
	for i := range 180 {
		if got := ask(fmt.Sprintf("c%d@example.com", i), fmt.Sprintf("10.0.%d.1", i)); got != 403 {
			t.Fatalf("code %d of a link: %d", i, got)
		}
	}
	if got := ask("d@example.com", "10.1.1.1"); got != 429 {
		t.Errorf("the 201st code of a link: %d", got)
	}
}

// TestEmailGateWithOthers checks an email gate beside a password and a limit of
// readers: no code without the password, and a place after both.
func TestEmailGateWithOthers(t *testing.T) {
	s := webtest.NewSite(t)
	s.TrustProxy()
	post := s.Gatekeeper()
	l := s.Publish("notes.txt", []byte("the text"))
	here := "/p/" + string(l.Slug)
	s.AskEmail(l, access.Email{})
	s.Protect(l, "right")
	s.Limit(l, 1)
	send := func(f url.Values) webtest.Reply { return s.Post(here, f, "X-Forwarded-For: 192.0.2.1") }
	for _, f := range []url.Values{{"email": {"ann@example.com"}}, {"email": {"ann@example.com"}, "password": {"wrong"}},
		{"password": {"right"}}, {"password": {"right"}, "email": {"ann"}}, {"asked": {"x.y.z.w"}}, {"mailed": {"x"}},
		{"asked": {"x"}, "code": {"123456"}}} {
		if r := send(f); r.StatusCode != 403 || len(r.Cookies()) != 0 || webtest.AskedIn(r) != "" {
			t.Errorf("%v: %d", f, r.StatusCode)
		}
	}
	page := s.Status(send(url.Values{"email": {"ann@example.com"}, "password": {"right"}}), 403)
	again := s.Status(send(url.Values{"asked": {webtest.AskedIn(page)}}), 403)
	mails := post.To("ann@example.com")
	if len(mails) != 2 || mails[0].Code() != mails[1].Code() {
		t.Fatalf("a mail that is sent again has the same code: %q", mails)
	}
	pass := webtest.PassOf(s.Status(s.SendCode(l, webtest.AskedIn(again), mails[0].Code(), "192.0.2.1"), 303))
	s.Status(s.Get(here+"/download", pass), 403) // without a place
	shown := s.Status(s.Get(here, pass), 200)
	s.Status(s.Get(here+"/download", webtest.PassOf(shown)), 200)
	if s.Left(l) != 1 {
		t.Errorf("before anybody read, %d readers are left", s.Left(l))
	}
}

// TestEmailAPI sets the email gate of a link by the API, and checks bad input.
func TestEmailAPI(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	slug := f.Published(key, webtest.Fields{"name": "notes.txt", "type": "text/plain", "size": 5}, "hello")
	path := "/links/" + slug
	email := func(v any) map[string]any { return map[string]any{"access": map[string]any{"email": v}} }
	lists := func(allow ...string) map[string]any { return email(map[string]any{"allow": allow}) }
	if a := f.Call(key, "PATCH", path, lists("example.com")).Want(400, "invalid_request"); a.Text("field") !=
		"access.email" || !strings.Contains(a.Text("error"), "sends no mail") {
		t.Errorf("without a mail server: %s", a.Body)
	}
	f.Gatekeeper()
	a := f.Call(key, "PATCH", path, email(map[string]any{"allow": []string{"Example.com", "@bücher.example", "example.com"},
		"deny": []string{"Eve@Example.com"}, "consent": "Agreed?"})).Want(200, "")
	if got := fmt.Sprint(a.JSON()["access"]); got !=
		"map[email:map[allow:[example.com xn--bcher-kva.example] consent:Agreed? deny:[eve@example.com]] gate:map[passed:0 shown:0]]" {
		t.Errorf("access is %s", got)
	}
	tag := a.Header.Get("ETag")
	many := make([]string, 500)
	for i := range many {
		many[i] = fmt.Sprintf("company-number-%d.example", i)
	}
	f.Call(key, "PATCH", path, lists(many...)).Want(200, "")
	for _, bad := range []struct {
		body  any
		field string
	}{
		{lists(append(many, "one.example")...), "access.email"},
		{email(map[string]any{"allow": many, "deny": []string{"example.com"}}), "access.email"},
		{lists("@"), "access.email.allow"}, {lists(""), "access.email.allow"}, {lists("com"), "access.email.allow"},
		{lists("аpple.com"), "access.email.allow"}, {lists("a b@example.com"), "access.email.allow"},
		{lists("ann@"), "access.email.allow"}, {lists("a\x00@example.com"), "access.email.allow"},
		{lists("*@example.com "), ""}, // an address like any other
		{email(map[string]any{"deny": []string{"@"}}), "access.email.deny"},
		{email(map[string]any{"allow": "example.com"}), "access.email.allow"},
		{email(map[string]any{"allow": []any{5}}), "access.email.allow"},
		{email(map[string]any{"alow": []string{}}), "access.email.alow"},
		{email(map[string]any{"consent": strings.Repeat("x", 1001)}), "access.email.consent"},
		{email(map[string]any{"consent": "a\x00b"}), "access.email.consent"},
		{email(true), "access.email"}, {email("example.com"), "access.email"},
	} {
		if bad.field == "" {
			f.Call(key, "PATCH", path, bad.body).Want(200, "")
		} else if a := f.Call(key, "PATCH", path, bad.body).Want(400, "invalid_request"); a.Text("field") != bad.field {
			t.Errorf("%v: field %q, want %q", bad.body, a.Text("field"), bad.field)
		}
	}
	if f.Call(key, "GET", path, nil).Header.Get("ETag") == tag {
		t.Error("a changed list does not change the ETag")
	}
	f.Status(f.Get("/p/"+slug), 403)
	if a := f.Call(key, "PATCH", path, email(false)).Want(200, ""); a.JSON()["access"] != nil {
		t.Errorf("after false, the link has access %v", a.JSON()["access"])
	}
	f.Status(f.Get("/p/"+slug), 200)
	made := f.Published(key, webtest.Fields{"name": "more.txt", "type": "text/plain", "size": 5,
		"access": map[string]any{"email": map[string]any{}}}, "hello")
	f.Status(f.Get("/p/"+made), 403)
}

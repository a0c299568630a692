package signer

import (
	"maps"
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/report"
)

var Noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

func TestSignedPut(t *testing.T) {
	s := New([]byte("secret"))
	g := vitrine.PutGrant{Key: vitrine.NewUploadID(), Size: 1234, Type: "text/plain; charset=utf-8",
		Expires: Noon.Add(10 * time.Minute)}
	q := s.SignPut(g)
	if got, err := s.VerifyPut(string(g.Key), q, Noon); err != nil || got != g {
		t.Fatalf("VerifyPut = %+v, %v", got, err)
	}
	if _, err := s.VerifyPut(string(g.Key), q, g.Expires); vitrine.CodeOf(err) != vitrine.CodeURLExpired {
		t.Errorf("VerifyPut at the expiry = %v, want url_expired", err)
	}
	if _, err := s.VerifyPut(string(vitrine.NewUploadID()), q,
		Noon); vitrine.CodeOf(err) != vitrine.CodeInvalidSignature {
		t.Errorf("VerifyPut with another key = %v, want invalid_signature", err)
	}
	if _, err := New([]byte("other")).VerifyPut(string(g.Key), q,
		Noon); vitrine.CodeOf(err) != vitrine.CodeInvalidSignature {
		t.Errorf("VerifyPut with another secret = %v, want invalid_signature", err)
	}
	change := map[string]string{"size": "1235", "type": "text/html", "expires": "99999999999",
		"signature": strings.Repeat("A", 22)}
	for name, v := range change {
		c := maps.Clone(q)
		c[name] = []string{v}
		if _, err := s.VerifyPut(string(g.Key), c, Noon); vitrine.CodeOf(err) != vitrine.CodeInvalidSignature {
			t.Errorf("VerifyPut with another %s = %v, want invalid_signature", name, err)
		}
		c[name] = append(q[name], v)
		if _, err := s.VerifyPut(string(g.Key), c, Noon); vitrine.CodeOf(err) != vitrine.CodeInvalidSignature {
			t.Errorf("VerifyPut with two %s = %v, want invalid_signature", name, err)
		}
		delete(c, name)
		if _, err := s.VerifyPut(string(g.Key), c, Noon); vitrine.CodeOf(err) != vitrine.CodeInvalidSignature {
			t.Errorf("VerifyPut without %s = %v, want invalid_signature", name, err)
		}
	}
}

// TestSignatureFields checks that fields are length-prefixed: moving a
// character from one to the next changes the signature.
func TestSignatureFields(t *testing.T) {
	s := New([]byte("secret"))
	if s.Sign(PurposePut, "ab", "c") == s.Sign(PurposePut, "a", "bc") {
		t.Error("two lists of fields have the same signature")
	}
	if s.Sign(PurposePut, "ab") == s.Sign(PurposeView, "ab") {
		t.Error("two purposes have the same signature")
	}
}

func TestViewToken(t *testing.T) {
	s := New([]byte("secret"))
	v := vitrine.Viewed{Link: 7, View: vitrine.NewViewIDs().Next(Noon), Kind: report.ContentPages, Pages: 12}
	token := s.ViewToken(v)
	if got, err := s.ParseViewToken(token, Noon.Add(vitrine.TokenLife-time.Millisecond)); err != nil || got != v {
		t.Fatalf("ParseViewToken = %+v, %v", got, err)
	}
	if url.QueryEscape(token) != token {
		t.Errorf("token %q is not safe in a URL", token)
	}
	if _, err := s.ParseViewToken(token, Noon.Add(vitrine.TokenLife)); vitrine.CodeOf(err) != vitrine.CodeURLExpired {
		t.Errorf("ParseViewToken after a day = %v, want url_expired", err)
	}
	for _, bad := range []string{"", ".", "....", token + "A", token[:len(token)-1], "8" + token[1:],
		s.ContentToken(Content{Link: 7, Version: 1}, Noon.Add(time.Hour)), strings.Replace(token, "pages.12", "pages.99", 1)} {
		if _, err := s.ParseViewToken(bad, Noon); vitrine.CodeOf(err) != vitrine.CodeInvalidSignature {
			t.Errorf("ParseViewToken(%q) = %v, want invalid_signature", bad, err)
		}
	}
}

func TestContentToken(t *testing.T) {
	s := New([]byte("secret"))
	token := s.ContentToken(Content{Link: 7, Version: 1}, Noon.Add(time.Hour))
	pass := vitrine.Pass{Round: "abc", Place: 5}
	for _, c := range []Content{{Link: 7, Version: 1}, {Link: 7, Version: 1, Recipient: 9},
		{Link: 7, Version: 1, Pass: pass}, {Link: 7, Version: 1, Pass: pass, Recipient: 9},
		{Link: 7, Version: 1, Pass: vitrine.Pass{Round: "abc"}, Recipient: 9}} {
		if got, err := s.ParseContentToken(s.ContentToken(c, Noon.Add(time.Hour)), Noon); err != nil || got != c {
			t.Fatalf("ParseContentToken = %+v, %v, want %+v", got, err, c)
		}
	}
	to := s.ContentToken(Content{Link: 7, Version: 1, Recipient: 9}, Noon.Add(time.Hour))
	for _, bad := range []string{strings.Replace(to, ".9.", ".8.", 1), strings.Replace(to, ".9.", ".", 1),
		strings.Replace(token, ".1.", ".1.9.", 1), to[1:]} {
		if _, err := s.ParseContentToken(bad, Noon); vitrine.CodeOf(err) != vitrine.CodeInvalidSignature {
			t.Errorf("ParseContentToken(%q) = %v, want invalid_signature", bad, err)
		}
	}
	if _, err := s.ParseContentToken(token, Noon.Add(time.Hour)); vitrine.CodeOf(err) != vitrine.CodeURLExpired {
		t.Errorf("ParseContentToken after the expiry = %v, want url_expired", err)
	}
	if _, err := s.ParseContentToken("8"+token[1:], Noon); vitrine.CodeOf(err) != vitrine.CodeInvalidSignature {
		t.Errorf("ParseContentToken with another link = %v, want invalid_signature", err)
	}
	for _, pass := range []vitrine.Pass{{}, {Round: "A"}, {Round: "A", Place: 35}, {Round: "A", Owner: true}} {
		c := Content{Link: 7, Version: 2, Pass: pass}
		token := s.ContentToken(c, Noon.Add(time.Hour))
		if got, err := s.ParseContentToken(token, Noon); err != nil || got != c {
			t.Errorf("ParseContentToken = %+v, %v, want %+v", got, err, c)
		}
		if other := strings.Replace(token, ".A.", ".B.", 1); other != token {
			if _, err := s.ParseContentToken(other, Noon); vitrine.CodeOf(err) != vitrine.CodeInvalidSignature {
				t.Errorf("ParseContentToken of another access = %v, want invalid_signature", err)
			}
		}
	}
}

// TestPass checks that a pass is good for one access of one link and one place,
// and for a time.
func TestPass(t *testing.T) {
	s := New([]byte("secret"))
	l := &vitrine.Link{ID: 7}
	l.Access.Round = "A"
	const life = time.Hour
	text := s.Pass(l, 35, Noon)
	if !PassTime(text).Equal(Noon) {
		t.Errorf("PassTime = %v, want %v", PassTime(text), Noon)
	}
	other, later := *l, *l
	other.ID, later.Access.Round = 8, "B"
	at, rest, _ := strings.Cut(text, ".")
	for _, c := range []struct {
		what, text string
		link       *vitrine.Link
		now        time.Time
		good       bool
	}{
		{"at once", text, l, Noon, true},
		{"at its end", text, l, Noon.Add(life - time.Second), true},
		{"after its end", text, l, Noon.Add(life), false},
		{"of the future", text, l, Noon.Add(-vitrine.ClockJump), false},
		{"of another link", text, &other, Noon, false},
		{"of an earlier access", text, &later, Noon, false},
		{"with another place", strings.Replace(text, ".z.", ".y.", 1), l, Noon, false},
		{"with another time", at[:len(at)-1] + "z." + rest, l, Noon, false},
		{"with more", text + ".x", l, Noon, false},
		{"of nothing", "", l, Noon, false},
	} {
		want := vitrine.Pass{}
		if c.good {
			want = vitrine.Pass{Round: "A", Place: 35}
		}
		if got := s.ParsePass(c.text, c.link, c.now, life); got != want {
			t.Errorf("a pass %s is worth %+v, want %+v", c.what, got, want)
		}
	}
}

func TestViewID(t *testing.T) {
	ids := vitrine.NewViewIDs()
	a, b := ids.Next(Noon), ids.Next(Noon)
	if a == b || !a.Time().Equal(Noon) || a.Ms() != Noon.UnixMilli() {
		t.Errorf("IDs %d and %d at %v, want different ones", a, b, a.Time())
	}
	if later := ids.Next(Noon.Add(time.Millisecond)); later <= a || later <= b {
		t.Error("a later view has a smaller ID")
	}
	if end := vitrine.ViewIDAt(time.Date(2099, 12, 31, 23, 59, 59, 999e6, time.UTC).UnixMilli(), 1<<21-1); end <= a {
		t.Error("IDs overflow before 2100")
	}
}

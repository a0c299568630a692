package main

import (
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

func (s *server) killLogin() {
	if s.login != nil {
		_ = s.login.Process.Kill()
		_ = s.login.Wait()
	}
}

// cmdLogin ARGS... starts "vitrine login" and waits for its code. It stores the
// code in CODE and the page in PAGE.
func cmdLogin(ts *testscript.TestScript, _ bool, args []string) {
	s := serverOf(ts)
	p := exec.Command("vitrine", append([]string{"login"}, args...)...)
	p.Env = append(os.Environ(), "XDG_CONFIG_HOME="+ts.Getenv("XDG_CONFIG_HOME"),
		"VITRINE_SERVER="+ts.Getenv("VITRINE_SERVER"))
	out, err := p.StderrPipe()
	ts.Check(err)
	ts.Check(p.Start())
	s.login, s.loginOutput = p, readLines(out)
	code, ok := s.loginOutput.wait(`code: ([A-Z]{4}-[A-Z]{4})\n`)
	if !ok {
		ts.Fatalf("login printed no code:\n%s", code)
	}
	page, ok := s.loginOutput.wait(`\n  (http\S+)\n`)
	if !ok {
		ts.Fatalf("login printed no page address:\n%s", page)
	}
	ts.Setenv("CODE", code)
	ts.Setenv("PAGE", page)
}

// postForm sends a form to the server and returns the response, without its
// body.
func postForm(ts *testscript.TestScript, path, cookie string, form url.Values) *http.Response {
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	req, err := http.NewRequest(http.MethodPost, ts.Getenv("VITRINE_SERVER")+path, strings.NewReader(form.Encode()))
	ts.Check(err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	req.Header.Set("Cookie", cookie)
	res, err := client.Do(req)
	ts.Check(err)
	res.Body.Close()
	return res
}

// signIn signs in with a link from "account sign-in" and returns the cookie of
// the session.
func signIn(ts *testscript.TestScript, link string) (session string) {
	u, err := url.Parse(link)
	ts.Check(err)
	for _, c := range postForm(ts, u.Path, "", nil).Cookies() {
		if !strings.HasSuffix(c.Name, "-device") {
			session = c.Name + "=" + c.Value
		}
	}
	return session
}

// cmdDecide LINK allow|refuse [SCOPE EXPIRES] signs in with a link from
// "account sign-in" and allows or refuses CODE. With "!", the server must not
// accept the scope and the end.
func cmdDecide(ts *testscript.TestScript, neg bool, args []string) {
	scope, expires := "full", "90d"
	if len(args) > 2 {
		scope, expires = args[2], args[3]
	}
	answer := url.Values{"code": {ts.Getenv("CODE")}, "answer": {args[1]}, "scope": {scope}, "expires": {expires}}
	res := postForm(ts, "/device", signIn(ts, args[0]), answer)
	if accepted := res.StatusCode == http.StatusOK; accepted == neg {
		ts.Fatalf("POST /device: %s", res.Status)
	}
}

// cmdWebsite LINK SLUG signs in with a link from "account sign-in" and creates
// a website, as the page Websites does.
func cmdWebsite(ts *testscript.TestScript, _ bool, args []string) {
	form := url.Values{"title": {"Website " + args[1]}, "slug": {args[1]}}
	if res := postForm(ts, "/websites", signIn(ts, args[0]), form); res.StatusCode != http.StatusSeeOther {
		ts.Fatalf("POST /websites: %s, want 303", res.Status)
	}
}

// cmdDecided waits until the login program ends, successfully or, with "!",
// with an error, and writes its output to login.log.
func cmdDecided(ts *testscript.TestScript, neg bool, _ []string) {
	s := serverOf(ts)
	text := s.loginOutput.drain()
	err := s.login.Wait()
	s.login = nil
	ts.Check(os.WriteFile(ts.MkAbs("login.log"), []byte(text), 0o600))
	if (err != nil) != neg {
		ts.Fatalf("login ended with %v:\n%s", err, text)
	}
}

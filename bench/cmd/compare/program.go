package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"vitrine/bench/dataset"
)

// program is one of the two programs, with its data and its server.
type program struct {
	bin, data string
	key       string  // of the account's API key
	cookie    string  // of the account's session
	imported  float64 // milliseconds of processor time of the import
	slug      string  // of a published text
	beacon    string  // where beacons of a view of it are sent; "" before it is opened
	sent      int     // beacons and uploads until now
	url       string
	client    http.Client
	cmd       *exec.Cmd
}

const (
	owner   = "owner0@example.org" // dataset.Params.Account
	browser = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36"
)

// run runs an administrator's command, in the spelling that the program knows.
func (p *program) run(spellings ...string) (out []byte, state *os.ProcessState, err error) {
	for _, words := range spellings {
		cmd := exec.Command(p.bin, append(strings.Fields(words), "--data", p.data)...)
		var said bytes.Buffer
		cmd.Stderr = &said
		if out, err = cmd.Output(); err == nil {
			return out, cmd.ProcessState, nil
		}
		err = fmt.Errorf("%s: %w: %s", words, err, said.String())
	}
	return nil, nil, err
}

// fill makes an instance with an account and its history.
func (p *program) fill(data dataset.Params) error {
	links, views, err := data.Files()
	if err != nil {
		return err
	}
	const create = "account create " + owner + " --plan lifetime --json"
	out, _, err := p.run("admin "+create, create)
	if err != nil {
		return err
	}
	var account struct{ APIKey string }
	if err := json.Unmarshal(out, &account); err != nil {
		return err
	}
	p.key = account.APIKey
	if _, _, err := p.run("admin import links "+links, "import links "+links); err != nil {
		return err
	}
	_, state, err := p.run("admin import views "+views, "import views "+views, "import opens "+views)
	if err != nil {
		return err
	}
	p.imported = float64(state.UserTime()+state.SystemTime()) / float64(time.Millisecond)
	return nil
}

// serve starts the server anew, signs in, and publishes a text.
func (p *program) serve(setting string) error {
	p.stop()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	addr := l.Addr().String()
	l.Close()
	p.url, p.beacon = "http://"+addr, ""
	p.client = http.Client{Timeout: time.Minute, Transport: &http.Transport{}}
	p.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	p.cmd = exec.Command(p.bin, "serve", "--data", p.data, "--listen", addr, "--public-url", p.url)
	p.cmd.Env = os.Environ()
	if setting != "" {
		p.cmd.Env = append(p.cmd.Env, setting)
	}
	if err := p.cmd.Start(); err != nil {
		return err
	}
	for try := 0; ; try++ {
		if _, err = p.ask(http.MethodGet, "/readyz", "", nil); err == nil {
			break
		}
		if try == 1000 {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
	if err := p.idle(); err != nil {
		return err
	}
	if p.slug, err = p.publish(); err != nil {
		return err
	}
	return p.signIn()
}

func (p *program) stop() {
	if p.cmd != nil && p.cmd.ProcessState == nil {
		_ = p.cmd.Process.Signal(os.Interrupt)
		_ = p.cmd.Wait()
	}
}

// idle waits until the server has done its work after a start.
func (p *program) idle() error {
	for calm := 0; calm < 4; {
		before, err := p.cpu()
		if err != nil {
			return err
		}
		time.Sleep(500 * time.Millisecond)
		after, err := p.cpu()
		if err != nil {
			return err
		}
		if calm++; after-before > 20 {
			calm = 0
		}
	}
	return nil
}

func (p *program) signIn() error {
	out, _, err := p.run("admin account sign-in "+owner, "account sign-in "+owner)
	if err != nil {
		return err
	}
	u, err := url.Parse(strings.TrimSpace(string(out)))
	if err != nil {
		return err
	}
	req, err := http.NewRequest(http.MethodPost, p.url+u.Path, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := p.client.Do(req)
	if err != nil {
		return err
	}
	res.Body.Close()
	var cookies []string
	for _, c := range res.Cookies() {
		cookies = append(cookies, c.Name+"="+c.Value)
	}
	if p.cookie = strings.Join(cookies, "; "); p.cookie == "" {
		return errors.New("signing in set no cookie: " + res.Status)
	}
	return nil
}

// publish publishes a text in three steps and returns its slug.
func (p *program) publish() (slug string, err error) {
	p.sent++
	text := fmt.Sprintf("A page to be opened often, number %d.\n", p.sent)
	var begun struct{ SignedURL, Path string }
	body := fmt.Sprintf(`{"name":"page.txt","type":"text/plain","size":%d}`, len(text))
	if err := p.call("/api/v1/uploads", body, &begun); err != nil {
		return "", err
	}
	put, err := http.NewRequest(http.MethodPut, begun.SignedURL, strings.NewReader(text))
	if err != nil {
		return "", err
	}
	put.Header.Set("Content-Type", "text/plain")
	if _, err := p.do(put); err != nil {
		return "", err
	}
	var link struct{ Slug, URL string }
	err = p.call("/api/v1/uploads/complete", fmt.Sprintf(`{"path":%q,"name":"page.txt","type":"text/plain"}`, begun.Path), &link)
	if link.Slug == "" {
		link.Slug = filepath.Base(link.URL)
	}
	return link.Slug, err
}

func (p *program) call(path, body string, into any) error {
	out, err := p.ask(http.MethodPost, path, body,
		map[string]string{"Authorization": "Bearer " + p.key, "Content-Type": "application/json"})
	if err != nil {
		return err
	}
	return json.Unmarshal(out, into)
}

func (p *program) ask(method, path, body string, headers map[string]string) ([]byte, error) {
	req, err := http.NewRequest(method, p.url+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", browser)
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	return p.do(req)
}

func (p *program) do(req *http.Request) ([]byte, error) {
	res, err := p.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	out, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode >= 300 {
		err = &statusError{res.StatusCode, fmt.Sprintf("%s %s: %s: %.200s", req.Method, req.URL.Path, res.Status, out)}
	}
	return out, err
}

// statusError is an answer that is no success.
type statusError struct {
	status int
	text   string
}

func (e *statusError) Error() string { return e.text }

// cpu returns the processor time of the server in milliseconds.
func (p *program) cpu() (ms float64, err error) {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", p.cmd.Process.Pid))
	if err != nil || len(files) == 0 {
		return 0, errors.Join(err, errors.New("the server is not running"))
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			continue // a thread that has ended
		}
		first, _, _ := strings.Cut(string(text), " ")
		ns, err := strconv.ParseFloat(first, 64)
		if err != nil {
			return 0, err
		}
		ms += ns / 1e6
	}
	return ms, nil
}

// resident returns the memory of the server in KiB, without files.
func (p *program) resident() (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if v, ok := strings.CutPrefix(line, "RssAnon:"); ok {
			return strconv.ParseFloat(strings.Fields(v)[0], 64)
		}
	}
	return 0, errors.New("no RssAnon in the status of the server")
}

// spends returns the processor time of one request of a kind, in milliseconds.
func (p *program) spends(k kind) (float64, error) {
	return p.perRequest(k, p.cpu)
}

// grows returns the bytes that one request of a kind allocates, in KiB, of a
// server that collects no garbage.
func (p *program) grows(k kind) (float64, error) {
	return p.perRequest(k, p.resident)
}

func (p *program) perRequest(k kind, figure func() (float64, error)) (float64, error) {
	before, err := figure()
	if err != nil {
		return 0, err
	}
	_, n := k.rounds(*rounds)
	for range n {
		if err := k.ask(p); err != nil {
			return 0, err
		}
	}
	after, err := figure()
	return (after - before) / float64(n), err
}

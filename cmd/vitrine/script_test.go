package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"flag"
	"fmt"
	"image"
	"image/png"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"vitrine/internal/backend/preview"
	"vitrine/internal/cli/terminal"

	"github.com/rogpeppe/go-internal/testscript"
)

// clockVariable names the variable with the difference between the clock of a
// program run by a test and that of the machine: a duration, such as -1m.
const clockVariable = "VITRINE_TEST_CLOCK"

// drainVariable names the variable that lets a server drain until it receives
// SIGUSR1, whatever its settings say.
const drainVariable = "VITRINE_TEST_DRAIN"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == preview.Verb { // a child of a program under test
		main()
	}
	killAtStep()
	// Most tests wait for servers. Four at once keep two cores busy.
	_ = flag.Set("test.parallel", "4")
	testscript.Main(m, map[string]func(){"vitrine": func() { os.Exit(runProgram(testConsole())) }})
}

// testConsole returns the terminal of a program that a test runs: its clock and
// timers are what the variables say.
func testConsole() *terminal.Terminal {
	t := terminal.Console()
	if os.Getenv(drainVariable) != "" {
		drained := make(chan os.Signal, 1)
		signal.Notify(drained, syscall.SIGUSR1)
		t.Pause = func(time.Duration) <-chan time.Time {
			over := make(chan time.Time)
			go func() { <-drained; close(over) }()
			return over
		}
	}
	t.Poll = func(time.Duration) <-chan time.Time { return time.After(10 * time.Millisecond) }
	if ahead, err := time.ParseDuration(os.Getenv(clockVariable)); err == nil {
		t.Clock = func() time.Time { return time.Now().Add(ahead) }
	}
	return t
}

// TestScript runs the program as its users do: every command of a script is a
// process, and "serve" starts one that keeps running.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			s := &server{}
			e.Values[serverKey{}] = s
			e.Defer(s.kill)
			e.Defer(s.killLogin)
			e.Setenv("VITRINE_DATA", e.WorkDir+"/data")
			e.Setenv("VITRINE_LISTEN", "127.0.0.1:0") // the default may be in use
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"serve":   cmdServe,
			"halt":    cmdHalt,
			"setenv":  cmdSetenv,
			"fetch":   cmdFetch,
			"await":   cmdAwait,
			"begin":   cmdBegin,
			"finish":  cmdFinish,
			"refuses": cmdRefuses,
			"make":    cmdMake,
			"sql":     cmdSQL,
			"login":   cmdLogin,
			"decide":  cmdDecide,
			"decided": cmdDecided,
			"website": cmdWebsite,
		},
	})
}

type serverKey struct{}

// server is the server that a script runs, and the upload in progress.
type server struct {
	process *exec.Cmd
	ending  bool // it has received SIGTERM
	log     *lines
	upload  *io.PipeWriter
	answer  chan error

	login       *exec.Cmd // the login program that waits for a decision
	loginOutput *lines
}

func serverOf(ts *testscript.TestScript) *server { return ts.Value(serverKey{}).(*server) }

func (s *server) kill() {
	if s.upload != nil {
		s.upload.Close()
	}
	if s.process != nil {
		_ = s.process.Process.Kill()
		_ = s.process.Wait()
	}
}

// lines collects the output of a server, and lets a script wait for a line.
type lines struct {
	mu   sync.Mutex
	more sync.Cond
	text bytes.Buffer
	end  bool
}

func readLines(r io.Reader) *lines {
	l := &lines{}
	l.more.L = &l.mu
	go func() {
		for sc := bufio.NewScanner(r); sc.Scan(); {
			l.mu.Lock()
			l.text.WriteString(sc.Text() + "\n")
			l.mu.Unlock()
			l.more.Broadcast()
		}
		l.mu.Lock()
		l.end = true
		l.mu.Unlock()
		l.more.Broadcast()
	}()
	return l
}

// wait returns the first group of the pattern as soon as it matches, and false
// if the server ended before.
func (l *lines) wait(pattern string) (string, bool) {
	re := regexp.MustCompile(pattern)
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		if m := re.FindStringSubmatch(l.text.String()); m != nil {
			return m[len(m)-1], true
		}
		if l.end {
			return l.text.String(), false
		}
		l.more.Wait()
	}
}

// sofar returns the output until now.
func (l *lines) sofar() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// drain returns the whole output after the server has ended.
func (l *lines) drain() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	for !l.end {
		l.more.Wait()
	}
	return l.text.String()
}

// cmdServe starts a server on a free port, waits until it serves, and sets
// VITRINE_SERVER.
func cmdServe(ts *testscript.TestScript, neg bool, args []string) {
	s := serverOf(ts)
	s.kill()
	verb := "serve"
	if len(args) > 0 && args[0] == "demo" {
		verb, args = args[0], args[1:]
	}
	*s = server{process: exec.Command("vitrine", append([]string{verb, "--listen", "127.0.0.1:0"}, args...)...)}
	s.process.Env = append(os.Environ(), "VITRINE_DATA="+ts.Getenv("VITRINE_DATA"),
		"TMPDIR="+ts.Getenv("TMPDIR"))
	out, err := s.process.StderrPipe()
	ts.Check(err)
	ts.Check(s.process.Start())
	s.log = readLines(out)
	port, ok := s.log.wait(serving)
	if ok == neg {
		ts.Fatalf("serving: %v\n%s", ok, port)
	}
	ts.Setenv("VITRINE_SERVER", "http://localhost:"+port)
}

// cmdHalt stops the server with SIGTERM, unless "refuses" has done so, expects
// it to exit with 0, and writes its output to serve.log. "! halt" always sends
// a signal, after "refuses" a second one, and expects another exit status.
func cmdHalt(ts *testscript.TestScript, neg bool, _ []string) {
	s := serverOf(ts)
	if !s.ending || neg {
		ts.Check(s.process.Process.Signal(syscall.SIGTERM))
	}
	text := s.log.drain()
	err := s.process.Wait()
	s.process = nil
	ts.Check(os.WriteFile(ts.MkAbs("serve.log"), []byte(text), 0o600))
	if (err != nil) != neg {
		ts.Fatalf("the server ended with %v:\n%s", err, text)
	}
}

// cmdSetenv NAME FILE [PATTERN] sets a variable to the content of a file, or to
// the first group of the pattern in it.
func cmdSetenv(ts *testscript.TestScript, _ bool, args []string) {
	value := strings.TrimSpace(ts.ReadFile(args[1]))
	if len(args) > 2 {
		m := regexp.MustCompile(args[2]).FindStringSubmatch(value)
		if m == nil {
			ts.Fatalf("no match for %s in %s", args[2], value)
		}
		value = m[1]
	}
	ts.Setenv(args[0], value)
}

// person is the user agent of a person's browser.
const person = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"

// cmdFetch [-X METHOD] [-H HEADER]... [-d BODY] URL works like curl: it writes
// the body to standard output, status and headers to standard error. It fails
// from status 400 on.
func cmdFetch(ts *testscript.TestScript, neg bool, args []string) {
	method, body, header := "", "", http.Header{"User-Agent": {person}}
	for ; len(args) > 1; args = args[2:] {
		switch args[0] {
		case "-X":
			method = args[1]
		case "-d":
			method, body = cmp.Or(method, http.MethodPost), args[1]
		case "-H":
			name, value, _ := strings.Cut(args[1], ":")
			header.Set(name, strings.TrimSpace(value))
		default:
			ts.Fatalf("fetch: unknown argument %s", args[0])
		}
	}
	req, err := http.NewRequest(method, args[0], strings.NewReader(body))
	ts.Check(err)
	req.Header = header
	res, err := http.DefaultClient.Do(req)
	ts.Check(err)
	defer res.Body.Close()
	fmt.Fprintln(ts.Stderr(), res.Status)
	ts.Check(res.Header.Write(ts.Stderr()))
	_, err = io.Copy(ts.Stdout(), res.Body)
	ts.Check(err)
	if refused := res.StatusCode >= 400; refused != neg {
		ts.Fatalf("%s %s: status %s", method, args[0], res.Status)
	}
}

// cmdAwait URL TYPE sends requests until the answer has a Content-Type, for at
// most a minute.
func cmdAwait(ts *testscript.TestScript, _ bool, args []string) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for range 600 {
		res, err := http.Get(args[0])
		ts.Check(err)
		res.Body.Close()
		if res.Header.Get("Content-Type") == args[1] {
			return
		}
		<-tick.C
	}
	ts.Fatalf("%s is not of type %s after a minute", args[0], args[1])
}

// cmdBegin URL TYPE SIZE begins a PUT and returns when the server reads its
// body.
func cmdBegin(ts *testscript.TestScript, _ bool, args []string) {
	s := serverOf(ts)
	u, err := url.Parse(args[0])
	ts.Check(err)
	size, err := strconv.Atoi(args[2])
	ts.Check(err)
	conn, err := net.Dial("tcp", u.Host)
	ts.Check(err)
	fmt.Fprintf(conn, "PUT %s HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n",
		u.RequestURI(), u.Host, args[1], size)
	answers := bufio.NewReader(conn)
	proceed, err := answers.ReadString('\n')
	ts.Check(err)
	if !strings.Contains(proceed, "100") {
		ts.Fatalf("PUT: %s, want 100 Continue", proceed)
	}
	_, err = answers.ReadString('\n')
	ts.Check(err)
	body, feed := io.Pipe()
	answer := make(chan error, 1)
	s.upload, s.answer = feed, answer
	go func() {
		defer conn.Close()
		_, err := io.Copy(conn, body)
		if err == nil {
			var res *http.Response
			if res, err = http.ReadResponse(answers, nil); err == nil && res.StatusCode != http.StatusOK {
				err = fmt.Errorf("PUT: %s, want 200", res.Status)
			}
		}
		answer <- err
	}()
	_, err = io.WriteString(feed, strings.Repeat("x", size/2))
	ts.Check(err)
}

// cmdFinish SIZE sends the rest of the upload that begin has begun, and expects
// it to be stored.
func cmdFinish(ts *testscript.TestScript, _ bool, args []string) {
	s := serverOf(ts)
	size, err := strconv.Atoi(args[0])
	ts.Check(err)
	_, err = io.WriteString(s.upload, strings.Repeat("x", size-size/2))
	ts.Check(err)
	ts.Check(s.upload.Close())
	ts.Check(<-s.answer)
}

// cmdRefuses sends SIGTERM to the server and waits until it accepts no more
// connections.
func cmdRefuses(ts *testscript.TestScript, _ bool, _ []string) {
	s := serverOf(ts)
	s.ending = true
	ts.Check(s.process.Process.Signal(syscall.SIGTERM))
	if text, ok := s.log.wait("stopping: "); !ok {
		ts.Fatalf("the server ended before it logged that it stops:\n%s", text)
	}
	u, err := url.Parse(ts.Getenv("VITRINE_SERVER"))
	ts.Check(err)
	if conn, err := net.Dial("tcp", "127.0.0.1:"+u.Port()); err == nil {
		conn.Close()
		ts.Fatalf("the server still accepts connections")
	}
}

// cmdMake KIND FILE [N] makes a real file: a PDF of N pages, a PNG, a text of N
// bytes, or a WAV of N bytes of silence.
func cmdMake(ts *testscript.TestScript, _ bool, args []string) {
	n := 1
	if len(args) > 2 {
		var err error
		n, err = strconv.Atoi(args[2])
		ts.Check(err)
	}
	var b bytes.Buffer
	switch args[0] {
	case "pdf":
		writePDF(&b, n)
	case "png":
		ts.Check(png.Encode(&b, image.NewGray(image.Rect(0, 0, 8, 8))))
	case "text":
		b.WriteString(strings.Repeat("x", n))
	case "wav":
		writeWAV(&b, n)
	default:
		ts.Fatalf("make: unknown kind %s", args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), b.Bytes(), 0o600))
}

// writeWAV writes n samples of silence at 8 kHz, mono, 8 bits.
func writeWAV(b *bytes.Buffer, n int) {
	fmt.Fprintf(b, "RIFF%sWAVEfmt %s\x01\x00\x01\x00%s%s\x01\x00\x08\x00data%s", le32(36+n), le32(16), le32(8000),
		le32(8000), le32(n))
	b.WriteString(strings.Repeat("\x80", n))
}

func le32(n int) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(n)) }

// writePDF writes a PDF with empty pages.
func writePDF(b *bytes.Buffer, pages int) {
	var offsets []int
	object := func(format string, args ...any) {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(b, "%d 0 obj\n"+format+"\nendobj\n", append([]any{len(offsets)}, args...)...)
	}
	b.WriteString("%PDF-1.4\n")
	object("<</Type/Catalog/Pages 2 0 R>>")
	var kids []string
	for i := range pages {
		kids = append(kids, fmt.Sprintf("%d 0 R", i+3))
	}
	object("<</Type/Pages/Count %d/Kids[%s]>>", pages, strings.Join(kids, " "))
	for range pages {
		object("<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>")
	}
	start := b.Len()
	fmt.Fprintf(b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, o := range offsets {
		fmt.Fprintf(b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, start)
}

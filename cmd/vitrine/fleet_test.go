package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"vitrine"
	"vitrine/client"
	"vitrine/internal/backend/sqlstore"
	"vitrine/internal/cli/instance"
	"vitrine/internal/test/vitrinetest"

	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// fleet is one instance with two servers, each with its own data directory,
// over one PostgreSQL and one bucket, behind a balancer.
type fleet struct {
	t        testing.TB
	places   instance.Places // shared by the servers
	store    vitrine.Store   // the servers' store, as seen by another process
	balancer *balancer
	url      string // of the balancer: the instance's public URL
	servers  [2]*fleetServer
}

// fleetServer is one server of a fleet.
type fleetServer struct {
	data, url string
	listen    string        // the address it listens on at each start
	ahead     time.Duration // how far its clock is ahead
	process   *exec.Cmd
	log       *lines
}

// newFleetOver starts a fleet over a database and a view log. If views is "",
// the database has the view log.
func newFleetOver(t testing.TB, database, views string) *fleet {
	t.Helper()
	return newFleetAt(t, [2]time.Duration{}, database, views)
}

// newFleetAt starts a fleet whose servers have clocks that are ahead.
func newFleetAt(t testing.TB, ahead [2]time.Duration, database, views string) *fleet {
	t.Helper()
	f := &fleet{t: t}
	bucket := vitrinetest.SharedS3(t)
	name := bucket.Bucket(t)
	// The bucket's server stores objects as files. It removes a directory with
	// its last object, and fails to put another one there at that moment. These
	// objects keep the directories.
	for _, key := range []string{"incoming/stays", "blobs/stays"} {
		if _, err := bucket.API().PutObject(t.Context(),
			&s3.PutObjectInput{Bucket: &name, Key: &key, Body: strings.NewReader("x")}); err != nil {
			t.Fatal(err)
		}
	}
	f.places = instance.Places{Database: database, Views: views, Files: bucket.Address(name, "")}
	f.balancer = &balancer{}
	front := httptest.NewServer(f.balancer.handler())
	t.Cleanup(front.Close)
	go f.balancer.poll(t.Context())
	f.url = front.URL
	// Start both at once on an empty database.
	var wg sync.WaitGroup
	for i := range f.servers {
		f.servers[i] = &fleetServer{data: t.TempDir(), listen: "127.0.0.1:0", ahead: ahead[i]}
		f.start(f.servers[i])
	}
	for _, s := range f.servers {
		wg.Go(func() { f.await(s) })
		t.Cleanup(func() { f.kill(s) })
	}
	wg.Wait()
	if t.Failed() {
		t.FailNow()
	}
	store, err := sqlstore.Open(database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	f.store = store
	return f
}

// start starts a server with additional settings and waits for it.
func (f *fleet) start(s *fleetServer, more ...string) {
	f.t.Helper()
	s.process, s.log = serveProcess(f.t, append(f.settings(s), more...), "--listen", s.listen, "--public-url", f.url,
		"--trusted-proxy", "127.0.0.1", "--drain", "1h",
		"--plan-lifetime", "uploads=0", "--plan-pro", "uploads=15", "--office", "off", "--ffmpeg", "off", "--heif",
		"off")
}

// settings returns the environment of a server's program.
func (f *fleet) settings(s *fleetServer) []string {
	return []string{"VITRINE_DATA=" + s.data, "VITRINE_DATABASE=" + f.places.Database,
		"VITRINE_VIEWS=" + f.places.Views, "VITRINE_FILES=" + f.places.Files,
		clockVariable + "=" + s.ahead.String(), drainVariable + "=until SIGUSR1"}
}

// await waits until a server serves and adds it to the balancer.
func (f *fleet) await(s *fleetServer) {
	port, ok := s.log.wait(serving)
	if !ok {
		f.t.Errorf("the server ended before it served:\n%s", port)
		return
	}
	s.listen = "127.0.0.1:" + port
	s.url = "http://" + s.listen
	f.balancer.add(s.url)
}

func (f *fleet) kill(s *fleetServer) {
	f.balancer.remove(s.url)
	if s.process != nil {
		_ = s.process.Process.Kill()
		_ = s.process.Wait()
		s.process = nil
	}
}

// term stops a server with SIGTERM and waits for its end. The server drains
// until the balancer sends it no more requests.
func (f *fleet) term(s *fleetServer) {
	f.t.Helper()
	if err := s.process.Process.Signal(syscall.SIGTERM); err != nil {
		f.t.Fatal(err)
	}
	f.within(hang, "the balancer sends it nothing", func() bool { return f.balancer.drained(s.url) })
	if err := s.process.Process.Signal(syscall.SIGUSR1); err != nil {
		f.t.Fatal(err)
	}
	late := time.AfterFunc(hang, func() { _ = s.process.Process.Signal(syscall.SIGQUIT) }) // prints the goroutines of a server that hangs
	text := s.log.drain()
	late.Stop()
	if err := s.process.Wait(); err != nil {
		f.t.Errorf("the server ended with %v:\n%s", err, text)
	}
	s.process = nil
	f.balancer.remove(s.url)
}

// run runs a command of the administrator.
func (f *fleet) run(args ...string) string {
	f.t.Helper()
	places := f.places
	places.Data = f.servers[0].data
	out, all, err := verb(placed(args, places)...)
	if err != nil {
		f.t.Fatalf("vitrine %s: %v: %s", strings.Join(args, " "), err, all)
	}
	return strings.TrimSpace(out)
}

// account creates an account and returns its key.
func (f *fleet) account(email, plan string) string {
	f.t.Helper()
	return f.run("admin", "account", "create", email, "--plan", plan)
}

func (f *fleet) client(address, key string) *client.Client {
	f.t.Helper()
	c, err := client.New(address, key, client.WithAttempts(1))
	if err != nil {
		f.t.Fatal(err)
	}
	return c
}

var fleetText = bytes.Repeat([]byte("Nothing of this may be lost.\n"), 2000)

func textFile() client.File {
	return client.File{Name: "a.txt", Size: int64(len(fleetText)), Content: bytes.NewReader(fleetText)}
}

// outcome is an answer of the API.
type outcome struct {
	status                                    int
	Path, SignedURL, ResumableURL, Slug, Code string
	Existing                                  *struct{ Slug string }
}

// post sends an object to the API of a server.
func (f *fleet) post(s *fleetServer, key, path string, body map[string]any) (o outcome) {
	b, err := json.Marshal(body)
	if err != nil {
		f.t.Error(err)
		return o
	}
	req, err := http.NewRequest(http.MethodPost, s.url+"/api/v1"+path, bytes.NewReader(b))
	if err != nil {
		f.t.Error(err)
		return o
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		f.t.Error(err)
		return o
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(&o); err != nil {
		f.t.Error(err)
	}
	o.status = res.StatusCode
	return o
}

func beginText(more ...any) map[string]any {
	body := map[string]any{"name": "a.txt", "type": "text/plain", "size": len(fleetText)}
	for i := 0; i < len(more); i += 2 {
		body[more[i].(string)] = more[i+1]
	}
	return body
}

// race sends n requests of the same kind to both servers at once.
func (f *fleet) race(n int, ask func(s *fleetServer) outcome) []outcome {
	all := make([]outcome, n)
	var ready, done sync.WaitGroup
	ready.Add(n)
	for i := range n {
		done.Go(func() {
			ready.Done()
			ready.Wait()
			all[i] = ask(f.servers[i%2])
		})
	}
	done.Wait()
	return all
}

// ofStatus returns the number of outcomes with a status and code.
func ofStatus(all []outcome, status int, code string) (n int) {
	for _, o := range all {
		if o.status == status && o.Code == code {
			n++
		}
	}
	return n
}

// getPage requests a page like a person's browser.
func getPage(ctx context.Context, address string) (status int, body string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0, "", err
	}
	req.Header.Set("User-Agent", person)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return res.StatusCode, string(b), err
}

// hang is how long a test waits for an event that takes much less, so that a
// hanging test fails.
const hang = 2 * time.Minute

// within polls until a condition holds, and fails the test if it does not in
// time.
func (f *fleet) within(d time.Duration, what string, is func() bool) {
	f.t.Helper()
	tick, end := time.NewTicker(20*time.Millisecond), time.Now().Add(d)
	defer tick.Stop()
	for !is() {
		if time.Now().After(end) {
			f.t.Errorf("not within %s: %s", d, what)
			return
		}
		<-tick.C
	}
}

// traffic is the load while servers start and stop: page views and uploads.
type traffic struct {
	f             *fleet
	key, slug     string
	stop          context.CancelFunc
	done          sync.WaitGroup
	pages, broken atomic.Int64 // page loads that were answered with 200, and other ones
	mu            sync.Mutex
	links         []string
	failures      []string
}

// begin views a link and uploads through each of the addresses, with the same
// number of clients for each.
func (f *fleet) begin(key string, addresses ...string) *traffic {
	f.t.Helper()
	l, err := f.client(f.servers[1].url, key).Upload(f.t.Context(), textFile(), client.Options{})
	if err != nil {
		f.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(f.t.Context())
	r := &traffic{f: f, key: key, slug: l.Slug, stop: stop}
	for i := range 4 {
		address := addresses[i%len(addresses)]
		r.done.Go(func() {
			for ctx.Err() == nil {
				status, _, err := getPage(context.WithoutCancel(ctx), address+"/p/"+l.Slug)
				if err != nil || status != 200 {
					r.broken.Add(1)
					r.fail("page: %d, %v", status, err)
				} else {
					r.pages.Add(1)
				}
			}
		})
		if i < 2 {
			c := f.client(address, key)
			r.done.Go(func() {
				for ctx.Err() == nil {
					l, err := c.Upload(context.WithoutCancel(ctx), textFile(), client.Options{})
					if err != nil {
						r.fail("upload: %v", err)
						continue
					}
					r.mu.Lock()
					r.links = append(r.links, l.Slug)
					r.mu.Unlock()
				}
			})
		}
	}
	return r
}

// answered waits until n more pages were answered.
func (r *traffic) answered(n int64) {
	r.f.t.Helper()
	before := r.pages.Load()
	r.f.within(hang, "pages are answered", func() bool { return r.pages.Load() > before+n })
}

func (r *traffic) fail(format string, args ...any) {
	r.mu.Lock()
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
	r.mu.Unlock()
	select { // servers that are down answer quickly
	case <-time.After(5 * time.Millisecond):
	case <-r.f.t.Context().Done():
	}
}

// end ends the traffic and checks that nothing acknowledged is lost.
func (r *traffic) end() {
	f := r.f
	f.t.Helper()
	r.stop()
	r.done.Wait()
	there := map[string]int{}
	for l, err := range f.client(f.url, r.key).AllLinks(f.t.Context(), client.Query{}) {
		if err != nil {
			f.t.Fatal(err)
		}
		there[l.Slug]++
	}
	for _, slug := range r.links {
		if there[slug] != 1 {
			f.t.Errorf("acknowledged link %s is listed %d times, want 1", slug, there[slug])
		}
	}
	var rep *client.LinkReport
	f.within(hang, "all that was answered is counted, what was in a spool too", func() bool {
		var err error
		rep, err = f.client(f.url, r.key).LinkAnalytics(f.t.Context(), r.slug, client.ReportQuery{Range: "7d"})
		return err == nil && int64(rep.Totals.Views) >= r.pages.Load()
	})
	if rep == nil {
		return
	}
	if v := int64(rep.Totals.Views); v < r.pages.Load() || v > r.pages.Load()+r.broken.Load() {
		f.t.Errorf("%d pages were answered and %d were not, but %d views counted", r.pages.Load(), r.broken.Load(), v)
	}
	f.t.Logf("%d links, %d pages answered, %d not answered", len(r.links), r.pages.Load(), r.broken.Load())
}

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vitrine/internal/backend/s3"
	"vitrine/internal/cli/instance"
	"vitrine/internal/test/vitrinetest"
)

// diagnosis runs vitrine doctor. It returns its output and whether it
// succeeded.
func diagnosis(t *testing.T, data string, args ...string) (output string, healthy bool) {
	t.Helper()
	out, err := vitrineOn(data, append([]string{"doctor"}, args...)...)
	return out, err == nil
}

func wantLines(t *testing.T, output string, lines ...string) {
	t.Helper()
	for _, l := range lines {
		if !strings.Contains(output, l) {
			t.Errorf("output lacks %s:\n%s", l, output)
		}
	}
}

// contents returns the names and checksums of the files of a directory.
func contents(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		fmt.Fprintf(&all, "%s %x\n", path, sha256.Sum256(b))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// TestDoctor tests an instance that keeps everything in its directory: what is
// fine, what is a warning and what is wrong. The doctor changes nothing.
func TestDoctor(t *testing.T) {
	t.Parallel()
	k := &killed{t: t, data: filepath.Join(t.TempDir(), "data")}
	output, healthy := diagnosis(t, k.data)
	wantLines(t, output, "does not exist yet: \"vitrine serve\" creates it", "is empty: ",
		"warning  instance: There is no Vitrine instance in "+k.data, "There is no instance yet")
	if !healthy || strings.Contains(output, "Nothing is wrong") {
		t.Errorf("doctor of a new instance: healthy = %v: %s", healthy, output)
	}
	if quiet, _ := diagnosis(t, k.data, "--quiet"); !strings.HasPrefix(quiet, "warning  instance: ") {
		t.Errorf("doctor --quiet of a new instance prints %q", quiet)
	}
	k.run("admin", "account", "create", "owner@example.org")
	before := contents(t, k.data)
	output, healthy = diagnosis(t, k.data)
	wantLines(t, output, "ok       data directory: ", "vitrine.db (SQLite 3.", "schema version",
		"No server has ever run",
		"No malware scanner", "No public URL is set")
	wantLines(t, output, "ok       previews: Files are read behind namespaces", "note     scanner: ", "note     mail: ", "note     address: ", "Nothing is wrong.")
	if quiet, _ := diagnosis(t, k.data, "--quiet"); quiet != "" {
		t.Errorf("doctor --quiet prints %q for a healthy instance, want nothing", quiet)
	}
	output, _ = diagnosis(t, k.data, "--quiet", "--listen", ":0")
	if !strings.HasPrefix(output, "warning  address: No public URL") || strings.Count(output, "\n") != 1 {
		t.Errorf("doctor --quiet prints %q, want only that links do not work elsewhere", output)
	}
	if after := contents(t, k.data); after != before || !healthy {
		t.Errorf("healthy = %v, want true; files before\n%sand after\n%s", healthy, before, after)
	}
	server, kill := k.serve()
	defer kill()
	port := server[strings.LastIndexByte(server, ':'):]
	output, healthy = diagnosis(t, k.data, "--public-url", server, "--content-url", "http://127.0.0.1"+port)
	wantLines(t, output, "A server runs on "+k.data+": process ", ", at "+server, "--public-url "+server+" answers.",
		"--content-url http://127.0.0.1"+port+" answers.", "ok       uploads: "+server+" lets bodies of any size through.")
	if !healthy {
		t.Error(output)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead := l.Addr().String()
	l.Close()
	output, healthy = diagnosis(t, k.data, "--public-url", "http://"+dead, "--clamd", dead, "--office",
		"/nowhere/soffice",
		"--smtp", "smtp://user:secret@"+dead, "--mail-from", "a@example.org", "--database",
		"postgres://user:secret@"+dead+"/db")
	wantLines(t, output, "wrong    address: --public-url http://"+dead+" does not reach a Vitrine server",
		"wrong    scanner: clamd at tcp:"+dead,
		"wrong    previews: --office: /nowhere/soffice cannot be run", "wrong    mail: The mail server cannot be used",
		"wrong    database: postgres://user:xxxxx@"+dead+"/db cannot be read")
	if healthy || strings.Contains(output, "secret") {
		t.Errorf("healthy = %v, want false and no secret: %s", healthy, output)
	}
	out, err := vitrineOn(k.data, "doctor", "--json", "--database", "postgres://u@"+dead+"/db")
	first, _, _ := strings.Cut(out, "\n")
	var f struct{ Part, State string }
	if jerr := json.Unmarshal([]byte(first), &f); jerr != nil || err == nil || f.State != "ok" ||
		f.Part != "data directory" {
		t.Errorf("doctor --json = %v, %v: %s", err, jerr, out)
	}
	store, err := instance.Places{Data: k.data}.OpenStore()
	if err != nil {
		t.Fatal(err)
	}
	store.Close()
}

// TestDoctorElsewhere tests an instance that keeps nothing in its directory.
func TestDoctorElsewhere(t *testing.T) {
	t.Parallel()
	database, bucket := vitrinetest.PostgresDatabase(t), vitrinetest.SharedS3(t)
	name := bucket.Bucket(t)
	files := bucket.Address(name, "")
	data := filepath.Join(t.TempDir(), "data")
	args := []string{"--database", database, "--files", files, "--public-url", "https://127.0.0.1:9"}
	output, healthy := diagnosis(t, data, args...)
	wantLines(t, output, "is empty: ", "clock: The clock of the database agrees",
		"passes all checks",
		"wrong    files: ", "warning  address: --public-url https://127.0.0.1:9 does not answer")
	if healthy {
		t.Error(output)
	}
	if out, err := vitrineOn(data, "admin", "account", "create", "owner@example.org", "--database", database, "--files",
		files); err != nil {
		t.Fatalf("account create: %v: %s", err, out)
	}
	b, err := s3.Open(t.Context(), files, time.Now)
	if err == nil {
		err = b.Cors(t.Context(), "https://127.0.0.1:9")
	}
	if err != nil {
		t.Fatal(err)
	}
	output, _ = diagnosis(t, data, args...)
	wantLines(t, output, "schema version ", ") answers in", "Browsers may upload to it from https://127.0.0.1:9")
	output, _ = diagnosis(t, data, "--database", strings.Replace(database, "/test", "/nothing", 1))
	wantLines(t, output, "wrong    database: ", "does not exist")
	output, healthy = diagnosis(t, data, "--database", database, "--files", bucket.Address("no-such-bucket", ""))
	wantLines(t, output, "wrong    files: ", "There is no bucket \"no-such-bucket\"")
	if healthy {
		t.Error(output)
	}
}

// TestDoctorClamd checks that clamd's settings are read from its configuration
// file if the file belongs to the configured clamd.
func TestDoctorClamd(t *testing.T) {
	t.Parallel()
	d := vitrinetest.Clamd(t, "MaxFileSize 20M", "MaxScanSize 40M", "StreamMaxLength 30M")
	data := filepath.Join(t.TempDir(), "data")
	conf := filepath.Join(filepath.Dir(d.Socket), "clamd.conf")
	output, healthy := diagnosis(t, data, "--clamd", "unix:"+d.Socket, "--clamd-conf", conf)
	wantLines(t, output, "It reports files that exceed its limits",
		"wrong    scanner: MaxFileSize of "+conf+" is 21 MB, less than MaxScanSize",
		"warning  scanner: StreamMaxLength of "+conf+" is 31 MB, and the plans allow")
	if healthy {
		t.Error(output)
	}
	output, _ = diagnosis(t, data, "--clamd", d.TCP, "--clamd-conf", conf, "--plan-free", "file=10MB", "--plan-pro",
		"file=10MB", "--plan-lifetime", "file=10MB")
	if strings.Contains(output, "StreamMaxLength") {
		t.Errorf("StreamMaxLength is reported for files of 10 MB: %s", output)
	}
	output, _ = diagnosis(t, data, "--clamd", "unix:"+d.Socket, "--clamd-conf", os.DevNull)
	wantLines(t, output, "warning  scanner: The settings of clamd cannot be read here")
}

// TestDoctorProxy measures what proxies let through.
func TestDoctorProxy(t *testing.T) {
	t.Parallel()
	k := &killed{t: t, data: filepath.Join(t.TempDir(), "data")}
	server, kill := k.serve()
	defer kill()
	to, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	pass := httputil.NewSingleHostReverseProxy(to)
	limited := func(most int64, reads bool) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.ContentLength > most {
				http.Error(w, "too large", http.StatusRequestEntityTooLarge)
				return
			}
			if reads { // like nginx, the whole body before it asks the server
				b, err := io.ReadAll(r.Body)
				if err != nil {
					panic(http.ErrAbortHandler)
				}
				r.Body = io.NopCloser(bytes.NewReader(b))
			}
			pass.ServeHTTP(w, r)
		}
	}
	for _, c := range []struct {
		what  string
		proxy http.HandlerFunc
		line  string
		fails bool
	}{
		{"no limit", limited(math.MaxInt64, false), "ok       uploads: %s lets bodies of any size through.", false},
		{"a tunnel", limited(100_000_000, false), "ok       uploads: The proxy at %s lets bodies of about 92 MB through.", false},
		{"nginx without settings", limited(1<<20, true), "warning  uploads: The proxy at %s refuses bodies of more than about 1.0 MB.", false},
		{"hardly anything", limited(10_000, true), "wrong    uploads: The proxy at %s refuses bodies of 66 kB", true},
		{"GET only", func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet {
				http.Error(w, "no", http.StatusForbidden)
				return
			}
			pass.ServeHTTP(w, r)
		}, "warning  uploads: %s does not let uploads through: it answers 403 Forbidden.", false},
	} {
		proxy := httptest.NewServer(c.proxy)
		output, healthy := diagnosis(t, k.data, "--public-url", proxy.URL)
		wantLines(t, output, fmt.Sprintf(c.line, proxy.URL))
		if healthy == c.fails {
			t.Errorf("%s: healthy = %v: %s", c.what, healthy, output)
		}
		proxy.Close()
	}
}

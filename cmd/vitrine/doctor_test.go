package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vitrine/internal/s3"
	"vitrine/internal/vitrinetest"
)

// diagnosis runs the doctor. It returns its output in lines and whether it
// succeeded.
func diagnosis(t *testing.T, data string, args ...string) (said string, healthy bool) {
	t.Helper()
	out, err := vitrineOn(data, append([]string{"doctor"}, args...)...)
	return out, err == nil
}

func wants(t *testing.T, said string, lines ...string) {
	t.Helper()
	for _, l := range lines {
		if !strings.Contains(said, l) {
			t.Errorf("not said: %s\nbut:\n%s", l, said)
		}
	}
}

// contents returns the files of a directory, with their sums.
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

// An instance with everything in its directory: what is fine, what is a
// warning, what is wrong; and nothing is changed.
func TestDoctor(t *testing.T) {
	t.Parallel()
	k := &killed{t: t, data: filepath.Join(t.TempDir(), "data")}
	said, healthy := diagnosis(t, k.data)
	wants(t, said, "is not there yet: \"vitrine serve\" makes a new instance", "has nothing in it yet")
	if !healthy {
		t.Errorf("a new instance is none: %s", said)
	}
	k.run("account", "create", "owner@example.org")
	before := contents(t, k.data)
	said, healthy = diagnosis(t, k.data)
	wants(t, said, "ok       data directory: ", "vitrine.db, SQLite 3.", "schema version", "None was ever run",
		"No malware scanner", "No public URL is set")
	if after := contents(t, k.data); after != before || !healthy {
		t.Errorf("healthy: %v; before\n%safter\n%s", healthy, before, after)
	}
	url, kill := k.serve()
	defer kill()
	port := url[strings.LastIndexByte(url, ':'):]
	said, healthy = diagnosis(t, k.data, "--public-url", url, "--content-url", "http://127.0.0.1"+port)
	wants(t, said, "serves it at "+url, "--public-url "+url+" answers.",
		"--content-url http://127.0.0.1"+port+" answers.")
	if !healthy {
		t.Error(said)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead := l.Addr().String()
	l.Close()
	said, healthy = diagnosis(t, k.data, "--public-url", "http://"+dead, "--clamd", dead, "--office",
		"/nowhere/soffice",
		"--smtp", "smtp://user:secret@"+dead, "--mail-from", "a@example.org", "--database",
		"postgres://user:secret@"+dead+"/db")
	wants(t, said, "wrong    address: --public-url http://"+dead+" does not lead to a server of Vitrine",
		"wrong    scanner: clamd at tcp:"+dead,
		"wrong    previews: --office: /nowhere/soffice cannot be run", "wrong    mail: The mail server cannot be used",
		"wrong    database: postgres://user:xxxxx@"+dead+"/db cannot be read")
	if healthy || strings.Contains(said, "secret") {
		t.Errorf("healthy: %v: %s", healthy, said)
	}
	out, err := vitrineOn(k.data, "doctor", "--json", "--database", "postgres://u@"+dead+"/db")
	first, _, _ := strings.Cut(out, "\n")
	var f finding
	if jerr := json.Unmarshal([]byte(first), &f); jerr != nil || err == nil || f.State != fine ||
		f.Part != "data directory" {
		t.Errorf("%v, %v: %s", err, jerr, out)
	}
	store, err := placeFlags{Data: k.data}.openStore()
	if err != nil {
		t.Fatal(err)
	}
	store.Close()
}

// An instance with everything elsewhere.
func TestDoctorElsewhere(t *testing.T) {
	t.Parallel()
	database, bucket := vitrinetest.PostgresDatabase(t), vitrinetest.SharedS3(t)
	name := bucket.Bucket(t)
	files := bucket.Address(name, "")
	data := filepath.Join(t.TempDir(), "data")
	args := []string{"--database", database, "--files", files, "--public-url", "https://127.0.0.1:9"}
	said, healthy := diagnosis(t, data, args...)
	wants(t, said, "has nothing in it yet", "clock: That of the database is the same", "can do all that is asked of it",
		"wrong    files: ", "warning  address: --public-url https://127.0.0.1:9 does not answer")
	if healthy {
		t.Error(said)
	}
	if out, err := vitrineOn(data, "account", "create", "owner@example.org", "--database", database, "--files",
		files); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	b, err := s3.Open(t.Context(), files, time.Now)
	if err == nil {
		err = b.Cors(t.Context(), "https://127.0.0.1:9")
	}
	if err != nil {
		t.Fatal(err)
	}
	said, _ = diagnosis(t, data, args...)
	wants(t, said, "schema version ", ", answers in", "Browsers may upload to it from https://127.0.0.1:9")
	said, _ = diagnosis(t, data, "--database", strings.Replace(database, "/test", "/nothing", 1))
	wants(t, said, "wrong    database: ", "does not exist")
	said, healthy = diagnosis(t, data, "--database", database, "--files", bucket.Address("no-such-bucket", ""))
	wants(t, said, "wrong    files: ", "There is no bucket \"no-such-bucket\"")
	if healthy {
		t.Error(said)
	}
}

// clamd's settings are told from its file, where the file is of the clamd that
// is named.
func TestDoctorClamd(t *testing.T) {
	t.Parallel()
	d := vitrinetest.Clamd(t, "MaxFileSize 20M", "MaxScanSize 40M", "StreamMaxLength 30M")
	data := filepath.Join(t.TempDir(), "data")
	conf := filepath.Join(filepath.Dir(d.Socket), "clamd.conf")
	said, healthy := diagnosis(t, data, "--clamd", "unix:"+d.Socket, "--clamd-conf", conf)
	wants(t, said, "it reports what is over its limits",
		"wrong    scanner: MaxFileSize of "+conf+" is 21MB, less than MaxScanSize",
		"warning  scanner: StreamMaxLength of "+conf+" is 31MB, and the plans allow")
	if healthy {
		t.Error(said)
	}
	said, _ = diagnosis(t, data, "--clamd", d.TCP, "--clamd-conf", conf, "--plan-free", "file=10MB", "--plan-pro",
		"file=10MB", "--plan-lifetime", "file=10MB")
	if strings.Contains(said, "StreamMaxLength") {
		t.Errorf("of files of 10 MB: %s", said)
	}
	said, _ = diagnosis(t, data, "--clamd", "unix:"+d.Socket, "--clamd-conf", os.DevNull)
	wants(t, said, "warning  scanner: The settings of clamd cannot be read here")
}

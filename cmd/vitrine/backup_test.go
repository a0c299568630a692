package main

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine"
	"vitrine/client"
	"vitrine/internal/backend/spool"
	"vitrine/internal/backend/viewlog"
	"vitrine/internal/cli/instance"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// load is an instance under load: it creates, views and deletes links until end
// is called.
type load struct {
	*killed
	url           string
	administrator *instance.Instance
	done          sync.WaitGroup
	ended         chan struct{}

	lmu   sync.Mutex
	alive map[string]bool // acknowledged links whose deletion has not begun
	views int             // page loads of the first link that were answered
}

func (l *load) begin(url string) {
	c, err := client.New(url, l.key)
	if err != nil {
		l.t.Fatal(err)
	}
	l.url, l.ended, l.alive = url, make(chan struct{}), map[string]bool{}
	if l.administrator, err = instance.Open(l.t.Context(), instance.Places{Data: l.data}); err != nil {
		l.t.Fatal(err)
	}
	ctx := context.Background()
	first := l.put(ctx, c)
	l.links = []string{first}
	loop := func(f func()) {
		l.done.Go(func() {
			for {
				select {
				case <-l.ended:
					return
				default:
					f()
				}
			}
		})
	}
	for range 2 {
		loop(func() { l.put(ctx, c) })
		loop(func() { l.remove(first) })
		loop(func() { l.view(url) })
	}
}

func (l *load) end() {
	close(l.ended)
	l.done.Wait()
	if err := l.administrator.Close(); err != nil {
		l.t.Error(err)
	}
}

func (l *load) put(ctx context.Context, c *client.Client) string {
	text := bytes.Repeat([]byte("Nothing of this may be lost.\n"), 1+rand.IntN(5000))
	link, err := c.Upload(ctx, client.File{Name: "a.txt", Size: int64(len(text)), Content: bytes.NewReader(text)},
		client.Options{})
	if err != nil {
		l.t.Error(err)
		<-l.ended
		return ""
	}
	l.lmu.Lock()
	defer l.lmu.Unlock()
	l.alive[link.Slug] = true
	return link.Slug
}

func (l *load) remove(but string) {
	l.lmu.Lock()
	slug := ""
	for s := range l.alive {
		if s != but && len(l.alive) > 10 {
			slug = s
			delete(l.alive, s)
			break
		}
	}
	l.lmu.Unlock()
	if slug == "" {
		l.view(l.url)
		return
	}
	if err := l.administrator.Links.Delete(context.Background(), slug, vitrine.Decision{By: vitrine.Administrator}); err != nil {
		l.t.Errorf("delete %s: %v", slug, err)
	}
}

func (l *load) view(url string) {
	h := &held{t: l.t, url: url}
	h.get("/p/" + l.links[0])
	l.lmu.Lock()
	defer l.lmu.Unlock()
	l.views++
}

// acknowledged returns what a backup that begins now must contain.
func (l *load) acknowledged() (links []string, views int) {
	l.lmu.Lock()
	defer l.lmu.Unlock()
	for s := range l.alive {
		links = append(links, s)
	}
	return links, l.views
}

// stillAlive returns those of the links whose deletion has not begun since.
func (l *load) stillAlive(links []string) (alive []string) {
	l.lmu.Lock()
	defer l.lmu.Unlock()
	for _, s := range links {
		if l.alive[s] {
			alive = append(alive, s)
		}
	}
	return alive
}

// TestBackup makes full and incremental backups of an instance under load, on
// its own file system and on another. After a restore the audit finds no fault,
// and everything that was acknowledged before the backup began is there.
func TestBackup(t *testing.T) {
	t.Parallel()
	l := &load{killed: &killed{t: t, data: filepath.Join(t.TempDir(), "data"),
		settings: []string{"VITRINE_PLAN_LIFETIME=links=0,storage=0,uploads=0"}}}
	l.key = strings.TrimSpace(l.run("admin", "account", "create", "owner@example.org"))
	url, kill := l.serve()
	defer kill()
	l.begin(url)
	type made struct {
		dir   string
		links []string
		views int
	}
	var backups []made
	roots := []string{t.TempDir(), vitrinetest.OtherFileSystem(t)}
	for i := range 4 {
		links, views := l.acknowledged()
		b := made{dir: filepath.Join(roots[i%2], fmt.Sprint("backup", i)), views: views}
		args := []string{"admin", "backup", b.dir}
		if i >= 2 {
			args = append(args, "--since", backups[i-2].dir)
		}
		if out, err := vitrineOn(l.data, args...); err != nil {
			t.Fatalf("vitrine %v: %v: %s", args, err, out)
		}
		b.links = l.stillAlive(links)
		backups = append(backups, b)
	}
	l.end()
	for i, b := range backups {
		data := filepath.Join(roots[(i/2)%2], fmt.Sprint("restored", i))
		if out, err := vitrineOn(data, "admin", "restore", "--deep", b.dir); err != nil {
			t.Fatalf("restore: %v: %s", err, out)
		}
		if out, err := vitrineOn(data, "admin", "audit", "--deep", "--all"); err != nil {
			t.Fatalf("audit: %v: %s", err, out)
		}
		checkRestored(t, data, l.links[0], b.links, b.views)
		t.Logf("%s: at least %d links and %d views", b.dir, len(b.links), b.views)
	}
	if out, err := vitrineOn(filepath.Join(roots[0], "restored0"), "admin", "restore", backups[1].dir); err == nil ||
		!strings.Contains(out, "exists and is not empty") {
		t.Errorf("restoring over an instance: %v: %s, want an error", err, out)
	}
}

// TestReadersMove restores what protects a link and its album, its recipients
// and what their readers left from a backup, under another secret: the rows are
// the same, the gates and the addresses work, the audit finds no fault, and
// with the account all of it is deleted.
func TestReadersMove(t *testing.T) {
	t.Parallel()
	h := newHistory(t, 4)
	root := t.TempDir()
	before := h.numbers(instance.Places{Data: h.data})
	if !strings.Contains(before, `"ann@example.com"`) || !strings.Contains(before, `"=Anna"`) ||
		!strings.Contains(before, `"Doors"`) {
		t.Fatalf("the instance has no readers: %s", before)
	}
	must := func(data string, args ...string) {
		t.Helper()
		if out, err := vitrineOn(data, args...); err != nil {
			t.Fatalf("vitrine %v: %v: %s", args, err, out)
		}
	}
	restored := filepath.Join(root, "restored")
	must(h.data, "admin", "backup", filepath.Join(root, "backup"))
	must(restored, "admin", "restore", filepath.Join(root, "backup"))
	must(restored, "admin", "rotate-secret", "--yes")
	if after := h.numbers(instance.Places{Data: restored}); after != before {
		t.Errorf("the restored instance has\n%s\nwant\n%s", after, before)
	}
	k := &killed{t: t, data: restored, key: h.key}
	address, kill := k.serve()
	ask := func(method, path, body, cookie string) (int, string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, address+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Cookie", cookie)
		res, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		cookie, _, _ = strings.Cut(res.Header.Get("Set-Cookie"), ";")
		return res.StatusCode, cookie
	}
	for i, r := range h.recipients {
		plain := "/p/" + h.protected
		path, password := plain+"/"+string(r.Token), []string{"open+sesame", "own", ""}[i]
		if got, _ := ask("GET", path, "", ""); got != []int{403, 403, 410}[i] {
			t.Errorf("recipient %d gets %d", i, got)
		}
		if password == "" {
			continue
		}
		got, pass := ask("POST", path, "password="+password, "")
		if got != 303 {
			t.Errorf("recipient %d with the password gets %d", i, got)
		}
		if got, _ := ask("GET", path, "", pass); got != 200 {
			t.Errorf("recipient %d with a pass gets %d", i, got)
		}
		if got, _ := ask("GET", plain, "", pass); got != []int{200, 403}[i] {
			t.Errorf("with the pass of recipient %d, the plain address answers %d", i, got)
		}
	}
	if got, _ := ask("GET", "/a/doors", "", ""); got != 403 {
		t.Errorf("the album answers %d without a pass", got)
	}
	got, pass := ask("POST", "/a/doors", "password=album", "")
	if got != 303 {
		t.Errorf("the album with the password answers %d", got)
	}
	got, place := ask("GET", "/a/doors", "", pass)
	if got != 200 || place == "" {
		t.Errorf("the album with its pass answers %d, and gives the place %q", got, place)
	}
	if got, _ := ask("GET", "/p/"+h.protected, "", place); got != 200 {
		t.Errorf("the link with a place in its album answers %d", got)
	}
	kill()
	must(restored, "admin", "audit", "--deep", "--all")
	must(restored, "admin", "account", "delete", "--yes", "owner@example.org")
	in, err := instance.Open(t.Context(), instance.Places{Data: restored})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := in.Accounts.PurgeClosed(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := fmt.Sprint(h.leftByReaders(in)...); left != "[] [] [] [] {0 0} [] 0 {0 0} [] 0" {
		t.Errorf("of a deleted account, there is %s", left)
	}
}

func checkRestored(t *testing.T, data, first string, links []string, views int) {
	t.Helper()
	in, err := instance.Open(t.Context(), instance.Places{Data: data})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	for _, slug := range links {
		if _, err := in.Links.BySlug(t.Context(), slug); err != nil {
			t.Errorf("%s: link %s was acknowledged before the backup: %v", data, slug, err)
		}
	}
	l, err := in.Links.BySlug(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	counts, err := in.Log.Counts(t.Context(), []vitrine.LinkID{l.ID})
	if err != nil || counts[l.ID].Views < int64(views) {
		t.Errorf("%s: %d views, %v, want at least the %d acknowledged before the backup", data, counts[l.ID].Views, err,
			views)
	}
}

// TestBackupCutOff kills a backup at each step. The result is either no backup
// or a complete one, and the next backup succeeds. On a full disk a backup
// fails with an error and leaves no files.
func TestBackupCutOff(t *testing.T) {
	t.Parallel()
	r := seeded(t)
	k := &killed{t: t, data: filepath.Join(t.TempDir(), "data")}
	k.key = strings.TrimSpace(k.run("admin", "account", "create", "owner@example.org"))
	url, kill := k.serve()
	if err := k.upload(url, 3); err != nil {
		t.Fatal(err)
	}
	kill()
	to := filepath.Join(vitrinetest.OtherFileSystem(t), "backup")
	restores := func() {
		t.Helper()
		data := filepath.Join(t.TempDir(), "restored")
		if out, err := vitrineOn(data, "admin", "restore", to); err != nil {
			t.Fatalf("restoring a backup that was renamed into place: %v: %s", err, out)
		}
		if err := os.RemoveAll(to); err != nil {
			t.Fatal(err)
		}
	}
	_, steps, _ := killedRun(t, 0, "admin", "backup", "--data", k.data, to)
	restores()
	for _, step := range killPoints(r, steps, 4) {
		output, _, ended := killedRun(t, step, "admin", "backup", "--data", k.data, to)
		if ended {
			t.Fatalf("a backup of %d steps was not killed at step %d: %s", steps, step, output)
		}
		if _, err := os.Lstat(to); err == nil {
			restores()
		} else if last := "renamed " + to + "\n"; strings.Contains(output, last) {
			t.Errorf("after %q: %v", last, err)
		}
	}
	if out, err := vitrineOn(k.data, "admin", "backup", to); err != nil {
		t.Fatalf("backup after the killed ones: %v: %s", err, out)
	}
	restores()

	small := vitrinetest.SmallFileSystem(t, "2m")
	out, err := vitrineOn(k.data, "admin", "backup", filepath.Join(small, "backup"))
	if err == nil || !strings.Contains(out, "there is no space for") {
		t.Errorf("backup to a full disk: %v: %s, want an error", err, out)
	}
	if left, err := os.ReadDir(small); err != nil || len(left) > 0 {
		t.Errorf("files left on the full disk: %v, %v, want none", left, err)
	}
}

// TestBackupSpool checks that views which a server could not write to its log
// are in the spool, and in the log of a backup.
func TestBackupSpool(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	if out, err := vitrineOn(data, "admin", "account", "create", "owner@example.org"); err != nil {
		t.Fatalf("account create: %v: %s", err, out)
	}
	links := filepath.Join(t.TempDir(), "links")
	if err := os.WriteFile(links, []byte(`{"slug":"our-figures","title":"Report","kind":"pdf","createdAt":"2026-01-01T00:00:00.000Z","account":"owner@example.org"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := vitrineOn(data, "admin", "import", "links", links); err != nil {
		t.Fatalf("import links: %v: %s", err, out)
	}
	s, err := spool.Open(filepath.Join(data, instance.SpoolDir), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4 { // the last one belongs to a deleted link
		id := vitrine.ViewIDAt(time.Now().UnixMilli(), i)
		v := vitrine.ViewRecord{Account: 1, View: report.View{Link: 1 + int64(i/3), ID: int64(id),
			Viewer: uint64(i + 1)}}
		if err := s.Append(vitrine.Batch{Views: []vitrine.ViewRecord{v}}); err != nil {
			t.Fatal(err)
		}
	}
	// The spool file is still open, as on a running server, and its next record
	// is incomplete.
	files, err := filepath.Glob(filepath.Join(data, instance.SpoolDir, "*.spool"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	f, err := os.OpenFile(files[0], os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("\xff\xfe\xff\x01\x10\x00"); err != nil {
		t.Fatal(err)
	}
	f.Close()
	to := filepath.Join(t.TempDir(), "backup")
	if out, err := vitrineOn(data, "admin", "backup", to); err != nil {
		t.Fatalf("backup: %v: %s", err, out)
	}
	if left, err := os.ReadDir(filepath.Join(to, instance.SpoolDir)); err != nil || len(left) > 0 {
		t.Errorf("the backup's spool has %v, %v, want no files", left, err)
	}
	if left, err := os.ReadDir(filepath.Join(data, instance.SpoolDir)); err != nil || len(left) != 1 {
		t.Errorf("the instance's spool has %v, %v, want one file", left, err)
	}
	restored := filepath.Join(t.TempDir(), "restored")
	if out, err := vitrineOn(restored, "admin", "restore", to); err != nil {
		t.Fatalf("restore: %v: %s", err, out)
	}
	log, err := viewlog.Open(filepath.Join(restored, instance.ViewsFile))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	counts, err := log.Counts(t.Context(), []vitrine.LinkID{1, 2})
	if err != nil || counts[1].Views != 3 || counts[2].Views != 0 {
		t.Errorf("restored counts = %+v, %v, want the 3 spooled views of link 1 and none of the deleted link 2", counts,
			err)
	}
}

// TestRestoreDamaged restores backups in which something was changed or is
// missing. Restore must refuse them and leave no files.
func TestRestoreDamaged(t *testing.T) {
	t.Parallel()
	k := &killed{t: t, data: filepath.Join(t.TempDir(), "data")}
	k.key = strings.TrimSpace(k.run("admin", "account", "create", "owner@example.org"))
	url, kill := k.serve()
	if err := k.upload(url, 1); err != nil {
		t.Fatal(err)
	}
	kill()
	good := filepath.Join(vitrinetest.OtherFileSystem(t), "backup")
	if out, err := vitrineOn(k.data, "admin", "backup", good); err != nil {
		t.Fatalf("backup: %v: %s", err, out)
	}
	for name, damage := range map[string]func(dir string) error{
		"no manifest.json": func(dir string) error { return os.Remove(filepath.Join(dir, instance.ManifestName)) },
		"manifest.json of": func(dir string) error {
			return os.Truncate(filepath.Join(dir, instance.ManifestName),
				40)
		},
		"vitrine.db has":         func(dir string) error { return os.Truncate(filepath.Join(dir, instance.StoreFile), 4096) },
		"views.db: no such file": func(dir string) error { return os.Remove(filepath.Join(dir, instance.ViewsFile)) },
		"it has 0 files": func(dir string) error {
			return os.RemoveAll(filepath.Join(dir, instance.FilesDir, "blobs",
				blobOf(t, dir)[:2]))
		},
		"not those that were uploaded": func(dir string) error {
			key := blobOf(t, dir)
			path := filepath.Join(dir, instance.FilesDir, "blobs", key[:2], key)
			b, err := os.ReadFile(path)
			if err == nil {
				b[7] ^= 1
				err = os.WriteFile(path, b, 0o600)
			}
			return err
		},
	} {
		dir := filepath.Join(t.TempDir(), "backup")
		if err := os.CopyFS(dir, os.DirFS(good)); err != nil {
			t.Fatal(err)
		}
		if err := damage(dir); err != nil {
			t.Fatal(name, err)
		}
		root := vitrinetest.OtherFileSystem(t)
		out, err := vitrineOn(filepath.Join(root, "data"), "admin", "restore", dir)
		if err == nil || !strings.Contains(out, name) {
			t.Errorf("%s: restore = %v: %s, want an error that names it", name, err, out)
		}
		if left, err := os.ReadDir(root); err != nil || len(left) > 0 {
			t.Errorf("%s: restore left %v, %v, want no files", name, left, err)
		}
	}
}

// blobOf returns the key of a blob in a backup.
func blobOf(t *testing.T, dir string) string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, instance.FilesDir, "blobs", "*", "*.sha256"))
	if err != nil || len(all) == 0 {
		t.Fatal(all, err)
	}
	return strings.TrimSuffix(filepath.Base(all[0]), ".sha256")
}

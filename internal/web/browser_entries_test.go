package web_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"path"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/filetype"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// inArchive returns the files of an archive, in this order.
func inArchive(t testing.TB) []struct{ name, content string } {
	return []struct{ name, content string }{
		{"kit/", ""},
		{"kit/readme.md", "# Read me\n\nHello <b>there</b>.\n"},
		{"kit/picture.png", string(png)},
		{"kit/report.pdf", string(samples["report.pdf"])},
		{"kit/page.html", "<!doctype html><script>alert(1)</script><p>Hello"},
		{"kit/main.go", "package main // <script>\n"},
		{"kit/data.bin", "\x00\x01"},
		{"kit/clip.webm", string(mustRead("testdata/clip.webm"))},
		{"kit/song.mp3", string(mustRead("testdata/song.mp3"))},
		{"kit/contract.docx", string(makeDOCX(t, 3, "http://a.test"))},
	}
}

func zipped(t testing.TB, method uint16) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range inArchive(t) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: f.name, Method: method})
		if err == nil && f.content != "" {
			_, err = w.Write([]byte(f.content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func tarred(t testing.TB) []byte {
	var b bytes.Buffer
	z := tar.NewWriter(&b)
	for _, f := range inArchive(t) {
		h := &tar.Header{Name: f.name, Mode: 0o644, Size: int64(len(f.content)), Typeflag: tar.TypeReg}
		if strings.HasSuffix(f.name, "/") {
			h.Typeflag, h.Mode = tar.TypeDir, 0o755
		}
		if err := z.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := z.Write([]byte(f.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gzipped(t testing.TB, content []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestArchiveSealed checks that a file which is too large to unpack for a
// reader is listed, and that the page says why it cannot be opened.
func TestArchiveSealed(t *testing.T) {
	var b bytes.Buffer
	z := tar.NewWriter(&b)
	for name, size := range map[string]int64{"large.txt": filetype.MaxMember + 1, "small.txt": 5} {
		if err := z.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: size}); err != nil {
			t.Fatal(err)
		}
		if _, err := z.Write(bytes.Repeat([]byte("a"), int(size))); err != nil {
			t.Fatal(err)
		}
	}
	s := newSite(t)
	s.check(z.Close())
	previewer(t, s)
	l := s.publish("kit.tgz", gzipped(t, b.Bytes()))
	s.check(s.server.Previews.Make(t.Context()))
	page := s.status(s.get("/p/"+string(l.Slug)), 200).body
	if n := strings.Count(page, `target="entry"`); n != 1 ||
		!strings.Contains(page, "Some files cannot be opened here") {
		t.Fatalf("%d entries can be opened, want 1:\n%s", n, page)
	}
	open := s.attr(page, `href="([^"]+/entry/[01])"`)
	if r := s.status(s.get(open), 200); !strings.Contains(r.body, "aaaaa") {
		t.Errorf("the small entry:\n%s", r.body)
	}
	s.status(s.get(open[:len(open)-1]+map[string]string{"0": "1", "1": "0"}[open[len(open)-1:]]), 404)
}

// TestArchiveEntries checks that single files of an archive are shown from its
// sealed bytes, as long as the link is public, and that scripts in them do not
// run.
func TestArchiveEntries(t *testing.T) {
	for name, content := range map[string][]byte{"deflated.zip": zipped(t, zip.Deflate),
		"stored.zip": zipped(t, zip.Store), "plain.tar": tarred(t),
		"packed.tgz": gzipped(t, tarred(t)), "packed.tar.gz": gzipped(t, tarred(t))} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			previewer(t, s)
			l := s.publish(name, content, viewOnly)
			s.check(s.server.Previews.Make(t.Context()))
			page := s.status(s.get("/p/"+string(l.Slug)), 200).body
			base := s.attr(page, `href="([^"]+/entry/)1"`)
			if n := strings.Count(page, `target="entry"`); n != 8 {
				t.Fatalf("%d entries can be opened, want 8:\n%s", n, page)
			}
			for i, want := range map[int]string{1: "Hello", 4: "&lt;script&gt;alert(1)",
				5: "package main // &lt;script&gt;", 2: `src="2/bytes"`} {
				r := s.status(s.get(base+fmt.Sprint(i)), 200)
				if !strings.Contains(r.body, want) || strings.Contains(r.body, "<script>alert") {
					t.Errorf("entry %d:\n%s", i, r.body)
				}
				if policy := r.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy,
					"sandbox allow-scripts") || strings.Contains(policy, "allow-same-origin") ||
					!strings.Contains(policy, "default-src 'none'") {
					t.Errorf("policy of entry %d = %s", i, policy)
				}
			}
			if r := s.status(s.get(base+"2/bytes"), 200); r.body != string(png) ||
				r.Header.Get("Content-Type") != "image/png" ||
				r.Header.Get("Content-Security-Policy") != "default-src 'none'; sandbox" {
				t.Errorf("%d bytes, headers %v", len(r.body), r.Header)
			}
			pdf := string(samples["report.pdf"])
			if r := s.status(s.get(base+"3/bytes", "Range: bytes=100-199"), 206); r.body != pdf[100:200] {
				t.Errorf("bytes of a range = %q", r.body)
			}
			for i, want := range map[string]string{"7": "video/webm", "8": "audio/mpeg"} {
				if r := s.status(s.get(base+i), 200); !strings.Contains(r.body, `src="`+i+`/bytes" controls`) {
					t.Errorf("entry %s:\n%s", i, r.body)
				}
				whole := s.status(s.get(base+i+"/bytes"), 200).body
				r := s.status(s.get(base+i+"/bytes", "Range: bytes=1000-"), 206)
				if r.body != whole[1000:] || r.Header.Get("Content-Type") != want {
					t.Errorf("entry %s: %d bytes from the 1000th of %d, type %s, want %s", i, len(r.body), len(whole),
						r.Header.Get("Content-Type"), want)
				}
			}
			if r := s.status(s.get(base+"3"), 303); r.Header.Get("Location") != "3/view" {
				t.Errorf("a PDF redirects to %s, want 3/view", r.Header.Get("Location"))
			}
			for _, bad := range []string{"0", "6", "10", "-1", "x", "1/bytes", "1/view", "4/bytes", "6/bytes"} {
				s.status(s.get(base+bad), 404)
			}
			s.status(s.get(base+"2/bytes", "Sec-Fetch-Dest: document"), 303)
			s.status(s.get(base+"2/download"), 404)
			s.status(s.get(base+"2/download", "Sec-Fetch-Dest: document"), 303)
			s.countOpens(l, 1)
			s.setState(l, vitrine.StateDisabled)
			s.status(s.get(base+"1"), 410)
			s.status(s.get(base+"2/bytes"), 410)
		})
	}
}

// TestArchiveEntryDownload checks that the files that a page shows of an
// archive are sent as attachments, and no others, as long as the link allows
// downloads.
func TestArchiveEntryDownload(t *testing.T) {
	s := newSite(t)
	previewer(t, s)
	l := s.publish("kit.zip", zipped(t, zip.Deflate))
	s.check(s.server.Previews.Make(t.Context()))
	base := s.attr(s.status(s.get("/p/"+string(l.Slug)), 200).body, `href="([^"]+/entry/)1"`)
	for i, f := range inArchive(t) {
		at := base + fmt.Sprint(i) + "/download"
		if i == 0 || f.name == "kit/data.bin" {
			s.status(s.get(at), 404)
			continue
		}
		r := s.status(s.get(at, "Sec-Fetch-Dest: document"), 200)
		if r.body != f.content || r.Header.Get("Content-Type") != "application/octet-stream" ||
			!strings.HasPrefix(r.Header.Get("Content-Disposition"), `attachment; filename="`+path.Base(f.name)+`"`) ||
			r.Header.Get("Content-Security-Policy") != "default-src 'none'; sandbox" {
			t.Errorf("%s: %d bytes, want %d; headers %v", f.name, len(r.body), len(f.content), r.Header)
		}
		if r := s.status(s.get(at, "Range: bytes=2-4"), 206); r.body != f.content[2:5] {
			t.Errorf("%s: a range = %q, want %q", f.name, r.body, f.content[2:5])
		}
	}
	s.setState(l, vitrine.StateDisabled)
	s.status(s.get(base+"1/download"), 410)
}

// TestBrowserArchiveEntries opens a file of an archive over the list and closes
// it.
func TestBrowserArchiveEntries(t *testing.T) {
	s := newSite(t)
	previewer(t, s)
	l := s.publish("kit.zip", zipped(t, zip.Deflate))
	s.check(s.server.Previews.Make(t.Context()))
	tb := newTab(t, s.page(l))
	open := func(name string) {
		t.Helper()
		tb.run(chromedp.Click(fmt.Sprintf(`//a[@target="entry"][normalize-space()=%q]`, name)))
		tb.until(`document.getElementById("entry").open && document.getElementById("entry-name").textContent === "` +
			name + `"`)
	}
	open("readme.md")
	tb.frame("/entry/1").until(`document.body.textContent.includes("Read me")`)
	tb.accessible("a file of an archive")
	tb.run(chromedp.Click("#entry-close"))
	tb.until(`!document.getElementById("entry").open`)
	open("picture.png")
	tb.frame("/entry/2").until(`document.querySelector("img.whole").naturalWidth > 0`)
	tb.run(chromedp.Click("#entry-close"))
	open("report.pdf")
	f := tb.frame("/entry/3/view")
	f.until(`document.querySelector(".page canvas") !== null && document.getElementById("count").textContent === "12"`)
	f.quiet()
	tb.run(chromedp.Click("#entry-close"))
	open("contract.docx")
	tb.frame("/entry/9/view").until(`document.querySelector("section.docx")?.textContent.length > 10`)
	tb.run(chromedp.Click("#entry-close"))
	for i, name := range []string{"clip.webm", "song.mp3"} {
		open(name)
		f := tb.frame(fmt.Sprintf("/entry/%d", 7+i))
		f.until(`document.querySelector("video, audio") !== null`)
		f.run(chromedp.Evaluate(`document.querySelector("video, audio").muted = true, document.querySelector("video, audio").play()`,
			nil, awaited))
		f.until(`((m) => m.currentTime > 0.2 && m.seekable.end(0) > 1)(document.querySelector("video, audio"))`)
		if name != "song.mp3" {
			tb.run(chromedp.Click("#entry-close"))
		}
	}
	tb.run(chromedp.Focus("#entry-close"), chromedp.KeyEvent(kb.Escape))
	tb.until(`!document.getElementById("entry").open`)
	tb.quiet()
}

// TestBrowserArchiveNext goes from one file of an archive to the others with
// buttons and keys, which leave no trace in the history.
func TestBrowserArchiveNext(t *testing.T) {
	s := newSite(t)
	previewer(t, s)
	l := s.publish("kit.zip", zipped(t, zip.Deflate))
	s.check(s.server.Previews.Make(t.Context()))
	tb := newTab(t, s.page(l))
	var before int
	tb.run(chromedp.Evaluate(`history.length`, &before),
		chromedp.Click(`//a[@target="entry"][normalize-space()="main.go"]`))
	at := func(name, place string, entry int) {
		t.Helper()
		tb.until(fmt.Sprintf(`document.getElementById("entry-name").textContent === %q &&
			document.getElementById("entry-place").textContent === %q &&
			document.getElementById("entry-download").href.endsWith("/entry/%d/download")`, name, place, entry))
		tb.frame(fmt.Sprintf("/entry/%d", entry)).until(`document.readyState === "complete"`)
	}
	at("main.go", "3 of 8", 5)
	tb.run(chromedp.KeyEvent(kb.ArrowRight)) // in the frame, which has the focus
	at("page.html", "4 of 8", 4)
	tb.run(chromedp.Click("#entry-next"))
	at("picture.png", "5 of 8", 2)
	tb.run(chromedp.KeyEvent(kb.ArrowLeft))
	at("page.html", "4 of 8", 4)
	for i, name := range []string{"main.go", "contract.docx", "clip.webm"} {
		tb.run(chromedp.Click("#entry-back"))
		at(name, fmt.Sprintf("%d of 8", 3-i), []int{5, 9, 7}[i])
	}
	tb.until(`document.getElementById("entry-back").disabled && !document.getElementById("entry-next").disabled`)
	tb.run(chromedp.Click("#entry-close"))
	tb.until(fmt.Sprintf(`!document.getElementById("entry").open && history.length === %d &&
		document.activeElement.textContent === "clip.webm"`, before))
	tb.quiet()
}

// TestBrowserArchiveIndent checks that what is in a folder is visibly
// further in than the folder, on each width.
func TestBrowserArchiveIndent(t *testing.T) {
	s := newSite(t)
	previewer(t, s)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range []string{"a/b/c/deep.txt", "a/b/c/d/deeper.txt", "a/one.csv", "root.pdf"} {
		_, err := z.Create(name)
		s.check(err)
	}
	s.check(z.Close())
	l := s.publish("deep.zip", b.Bytes())
	s.check(s.server.Previews.Make(t.Context()))
	for _, width := range []int64{1280, 390, 320} {
		tb := newTab(t, chromedp.EmulateViewport(width, 800), s.page(l))
		tb.run(chromedp.Evaluate(`document.querySelectorAll(".tree details").forEach((d) => (d.open = true))`, nil))
		tb.until(`[...document.querySelectorAll(".tree details")].every((d) => {
			const left = (e) => e.getBoundingClientRect().left;
			const name = left(d.querySelector("summary bdi"));
			return [...d.querySelector("ul").children].every((li) => left(li.querySelector("bdi")) - name >= 20);
		}) && document.documentElement.scrollWidth <= innerWidth`)
		tb.accessible("folders in folders")
	}
}

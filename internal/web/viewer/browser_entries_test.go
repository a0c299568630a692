package viewer_test

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
	"vitrine/internal/test/webtest"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func tarred(t testing.TB) []byte {
	var b bytes.Buffer
	z := tar.NewWriter(&b)
	for _, f := range webtest.InArchive(t) {
		h := &tar.Header{Name: f.Name, Mode: 0o644, Size: int64(len(f.Content)), Typeflag: tar.TypeReg}
		if strings.HasSuffix(f.Name, "/") {
			h.Typeflag, h.Mode = tar.TypeDir, 0o755
		}
		if err := z.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := z.Write([]byte(f.Content)); err != nil {
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
	s := webtest.NewSite(t)
	s.Check(z.Close())
	webtest.Previewer(t, s)
	l := s.Publish("kit.tgz", gzipped(t, b.Bytes()))
	s.Check(s.Server.Previews.Make(t.Context()))
	page := s.Status(s.Get("/p/"+string(l.Slug)), 200).Text
	if n := strings.Count(page, `target="entry"`); n != 1 ||
		!strings.Contains(page, "Some files cannot be opened here") {
		t.Fatalf("%d entries can be opened, want 1:\n%s", n, page)
	}
	open := s.Attr(page, `href="([^"]+/entry/[01])"`)
	if r := s.Status(s.Get(open), 200); !strings.Contains(r.Text, "aaaaa") {
		t.Errorf("the small entry:\n%s", r.Text)
	}
	s.Status(s.Get(open[:len(open)-1]+map[string]string{"0": "1", "1": "0"}[open[len(open)-1:]]), 404)
}

// TestArchiveEntries checks that single files of an archive are shown from its
// sealed bytes, as long as the link is public, and that scripts in them do not
// run.
func TestArchiveEntries(t *testing.T) {
	for name, content := range map[string][]byte{"deflated.zip": webtest.Zipped(t, zip.Deflate),
		"stored.zip": webtest.Zipped(t, zip.Store), "plain.tar": tarred(t),
		"packed.tgz": gzipped(t, tarred(t)), "packed.tar.gz": gzipped(t, tarred(t))} {
		t.Run(name, func(t *testing.T) {
			s := webtest.NewSite(t)
			webtest.Previewer(t, s)
			l := s.Publish(name, content, webtest.ViewOnly)
			s.Check(s.Server.Previews.Make(t.Context()))
			page := s.Status(s.Get("/p/"+string(l.Slug)), 200).Text
			base := s.Attr(page, `href="([^"]+/entry/)1"`)
			if n := strings.Count(page, `target="entry"`); n != 8 {
				t.Fatalf("%d entries can be opened, want 8:\n%s", n, page)
			}
			for i, want := range map[int]string{1: "Hello", 4: "&lt;script&gt;alert(1)",
				5: "package main // &lt;script&gt;", 2: `src="2/bytes"`} {
				r := s.Status(s.Get(base+fmt.Sprint(i)), 200)
				if !strings.Contains(r.Text, want) || strings.Contains(r.Text, "<script>alert") {
					t.Errorf("entry %d:\n%s", i, r.Text)
				}
				if policy := r.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy,
					"sandbox allow-scripts") || strings.Contains(policy, "allow-same-origin") ||
					!strings.Contains(policy, "default-src 'none'") {
					t.Errorf("policy of entry %d = %s", i, policy)
				}
			}
			if r := s.Status(s.Get(base+"2/bytes"), 200); r.Text != string(webtest.Png) ||
				r.Header.Get("Content-Type") != "image/png" ||
				r.Header.Get("Content-Security-Policy") != "default-src 'none'; sandbox" {
				t.Errorf("%d bytes, headers %v", len(r.Text), r.Header)
			}
			pdf := string(webtest.Samples["report.pdf"])
			if r := s.Status(s.Get(base+"3/bytes", "Range: bytes=100-199"), 206); r.Text != pdf[100:200] {
				t.Errorf("bytes of a range = %q", r.Text)
			}
			for i, want := range map[string]string{"7": "video/webm", "8": "audio/mpeg"} {
				if r := s.Status(s.Get(base+i), 200); !strings.Contains(r.Text, `src="`+i+`/bytes" controls`) {
					t.Errorf("entry %s:\n%s", i, r.Text)
				}
				whole := s.Status(s.Get(base+i+"/bytes"), 200).Text
				r := s.Status(s.Get(base+i+"/bytes", "Range: bytes=1000-"), 206)
				if r.Text != whole[1000:] || r.Header.Get("Content-Type") != want {
					t.Errorf("entry %s: %d bytes from the 1000th of %d, type %s, want %s", i, len(r.Text), len(whole),
						r.Header.Get("Content-Type"), want)
				}
			}
			if r := s.Status(s.Get(base+"3"), 303); r.Header.Get("Location") != "3/view" {
				t.Errorf("a PDF redirects to %s, want 3/view", r.Header.Get("Location"))
			}
			for _, bad := range []string{"0", "6", "10", "-1", "x", "1/bytes", "1/view", "4/bytes", "6/bytes"} {
				s.Status(s.Get(base+bad), 404)
			}
			s.Status(s.Get(base+"2/bytes", "Sec-Fetch-Dest: document"), 303)
			s.Status(s.Get(base+"2/download"), 404)
			s.Status(s.Get(base+"2/download", "Sec-Fetch-Dest: document"), 303)
			s.CountViews(l, 1)
			s.SetState(l, vitrine.StateDisabled)
			s.Status(s.Get(base+"1"), 410)
			s.Status(s.Get(base+"2/bytes"), 410)
		})
	}
}

// TestArchiveEntryDownload checks that the files that a page shows of an
// archive are sent as attachments, and no others, as long as the link allows
// downloads.
func TestArchiveEntryDownload(t *testing.T) {
	s := webtest.NewSite(t)
	webtest.Previewer(t, s)
	l := s.Publish("kit.zip", webtest.Zipped(t, zip.Deflate))
	s.Check(s.Server.Previews.Make(t.Context()))
	base := s.Attr(s.Status(s.Get("/p/"+string(l.Slug)), 200).Text, `href="([^"]+/entry/)1"`)
	for i, f := range webtest.InArchive(t) {
		at := base + fmt.Sprint(i) + "/download"
		if i == 0 || f.Name == "kit/data.bin" {
			s.Status(s.Get(at), 404)
			continue
		}
		r := s.Status(s.Get(at, "Sec-Fetch-Dest: document"), 200)
		if r.Text != f.Content || r.Header.Get("Content-Type") != "application/octet-stream" ||
			!strings.HasPrefix(r.Header.Get("Content-Disposition"), `attachment; filename="`+path.Base(f.Name)+`"`) ||
			r.Header.Get("Content-Security-Policy") != "default-src 'none'; sandbox" {
			t.Errorf("%s: %d bytes, want %d; headers %v", f.Name, len(r.Text), len(f.Content), r.Header)
		}
		if r := s.Status(s.Get(at, "Range: bytes=2-4"), 206); r.Text != f.Content[2:5] {
			t.Errorf("%s: a range = %q, want %q", f.Name, r.Text, f.Content[2:5])
		}
	}
	s.SetState(l, vitrine.StateDisabled)
	s.Status(s.Get(base+"1/download"), 410)
}

// TestBrowserArchiveEntries opens a file of an archive over the list and closes
// it.
func TestBrowserArchiveEntries(t *testing.T) {
	s := webtest.NewSite(t)
	webtest.Previewer(t, s)
	l := s.Publish("kit.zip", webtest.Zipped(t, zip.Deflate))
	s.Check(s.Server.Previews.Make(t.Context()))
	tb := webtest.NewTab(t, s.Page(l))
	open := func(name string) {
		t.Helper()
		tb.Run(chromedp.Click(fmt.Sprintf(`//a[@target="entry"][normalize-space()=%q]`, name)))
		tb.Until(`document.getElementById("entry").open && document.getElementById("entry-name").textContent === "` +
			name + `"`)
	}
	tb.Accessible("an archive")
	open("readme.md")
	tb.Frame("/entry/1").Until(`document.body.textContent.includes("Read me")`)
	tb.Accessible("a file of an archive")
	tb.Run(chromedp.Click("#entry-close"))
	tb.Until(`!document.getElementById("entry").open`)
	open("picture.png")
	tb.Frame("/entry/2").Until(`document.querySelector("img.whole").naturalWidth > 0`)
	tb.Run(chromedp.Click("#entry-close"))
	open("report.pdf")
	f := tb.Frame("/entry/3/view")
	f.Until(`document.querySelector(".page canvas") !== null && document.getElementById("count").textContent === "12"`)
	f.Quiet()
	tb.Run(chromedp.Click("#entry-close"))
	open("contract.docx")
	tb.Frame("/entry/9/view").Until(`document.querySelector("section.docx")?.textContent.length > 10`)
	tb.Run(chromedp.Click("#entry-close"))
	for i, name := range []string{"clip.webm", "song.mp3"} {
		open(name)
		f := tb.Frame(fmt.Sprintf("/entry/%d", 7+i))
		f.Until(`document.querySelector("video, audio") !== null`)
		f.Run(chromedp.Evaluate(`document.querySelector("video, audio").muted = true, document.querySelector("video, audio").play()`,
			nil, webtest.Awaited))
		f.Until(`((m) => m.currentTime > 0.2 && m.seekable.end(0) > 1)(document.querySelector("video, audio"))`)
		if name != "song.mp3" {
			tb.Run(chromedp.Click("#entry-close"))
		}
	}
	tb.Run(chromedp.Focus("#entry-close"), webtest.Keys(kb.Escape))
	tb.Until(`!document.getElementById("entry").open`)
	tb.Quiet()
}

// TestBrowserArchiveNext goes from one file of an archive to the others with
// buttons and keys, which leave no trace in the history.
func TestBrowserArchiveNext(t *testing.T) {
	s := webtest.NewSite(t)
	webtest.Previewer(t, s)
	l := s.Publish("kit.zip", webtest.Zipped(t, zip.Deflate))
	s.Check(s.Server.Previews.Make(t.Context()))
	tb := webtest.NewTab(t, s.Page(l))
	var before int
	tb.Run(chromedp.Evaluate(`history.length`, &before),
		chromedp.Click(`//a[@target="entry"][normalize-space()="main.go"]`))
	at := func(name, place string, entry int) {
		t.Helper()
		tb.Until(fmt.Sprintf(`document.getElementById("entry-name").textContent === %q &&
			document.getElementById("entry-place").textContent === %q &&
			document.getElementById("entry-download").href.endsWith("/entry/%d/download")`, name, place, entry))
		tb.Frame(fmt.Sprintf("/entry/%d", entry)).Until(`document.readyState === "complete"`)
	}
	at("main.go", "3 of 8", 5)
	tb.Run(webtest.Keys(kb.ArrowRight)) // in the frame, which has the focus
	at("page.html", "4 of 8", 4)
	tb.Run(chromedp.Click("#entry-next"))
	at("picture.png", "5 of 8", 2)
	tb.Run(webtest.Keys(kb.ArrowLeft))
	at("page.html", "4 of 8", 4)
	for i, name := range []string{"main.go", "contract.docx", "clip.webm"} {
		tb.Run(chromedp.Click("#entry-back"))
		at(name, fmt.Sprintf("%d of 8", 3-i), []int{5, 9, 7}[i])
	}
	tb.Until(`document.getElementById("entry-back").disabled && !document.getElementById("entry-next").disabled`)
	tb.Run(chromedp.Click("#entry-close"))
	tb.Until(fmt.Sprintf(`!document.getElementById("entry").open && history.length === %d &&
		document.activeElement.textContent === "clip.webm"`, before))
	tb.Quiet()
}

// TestBrowserArchiveIndent checks that what is in a folder is visibly
// further in than the folder, on each width.
func TestBrowserArchiveIndent(t *testing.T) {
	s := webtest.NewSite(t)
	webtest.Previewer(t, s)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range []string{"a/b/c/deep.txt", "a/b/c/d/deeper.txt", "a/one.csv", "root.pdf"} {
		_, err := z.Create(name)
		s.Check(err)
	}
	s.Check(z.Close())
	l := s.Publish("deep.zip", b.Bytes())
	s.Check(s.Server.Previews.Make(t.Context()))
	for _, width := range []int64{1280, 390, 320} {
		tb := webtest.NewTab(t, chromedp.EmulateViewport(width, 800), s.Page(l))
		tb.Run(chromedp.Evaluate(`document.querySelectorAll(".tree details").forEach((d) => (d.open = true))`, nil))
		tb.Until(`[...document.querySelectorAll(".tree details")].every((d) => {
			const left = (e) => e.getBoundingClientRect().left;
			const name = left(d.querySelector("summary bdi"));
			return [...d.querySelector("ul").children].every((li) => left(li.querySelector("bdi")) - name >= 20);
		}) && document.documentElement.scrollWidth <= innerWidth`)
		tb.Accessible("folders in folders")
	}
}

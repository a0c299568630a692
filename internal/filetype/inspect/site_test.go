package inspect

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/filetype"
)

// index is the first page of every sample.
var index = member{name: "index.html", data: "<!doctype html><title>Garden</title>"}

func siteOf(members ...member) []byte { return zipFile(append([]member{index}, members...)...) }

func inspectedSite(t *testing.T, data []byte) (*Site, filetype.Facts, error) {
	t.Helper()
	site, facts, err := InspectSite(bytes.NewReader(data), int64(len(data)))
	read, err2 := ReadSite(bytes.NewReader(data), int64(len(data)))
	if err == nil && (err2 != nil || !reflect.DeepEqual(read, site)) {
		t.Errorf("read again the website = %+v, %v, want %+v", read, err2, site)
	}
	return site, facts, err
}

// TestSiteEntries checks that an entry that no website serves is left out with
// a reason, and that the others are served.
func TestSiteEntries(t *testing.T) {
	for _, c := range []struct {
		want, what string
		m          member
	}{
		{"", "style", member{name: "css/style.css", data: "a{}"}},
		{"", "script", member{name: "app.js", data: "export {}"}},
		{"", "module", member{name: "app.MJS", data: "export {}"}},
		{"", "WebAssembly", member{name: "a.wasm", data: "\x00asm\x01\x00\x00\x00"}},
		{"", "page with a word of PHP", member{name: "about.html", data: "<p>Write &lt;?php"}},
		{"", "two extensions", member{name: "jquery.min.js", data: "x"}},
		{"", "empty file", member{name: "empty.txt"}},
		{"", "name of a device", member{name: "aux.html", data: "x"}},
		{EntryUnlisted, "no extension", member{name: "LICENSE", data: "x"}},
		{EntryUnlisted, "archive", member{name: "all.zip", data: "PK\x03\x04"}},
		{EntryUnlisted, "document", member{name: "letter.docx", data: "x"}},
		{EntryProgram, "PHP", member{name: "index.php", data: "x"}},
		{EntryProgram, "shell script", member{name: "build.sh", data: "x"}},
		{EntryProgram, "Windows program", member{name: "setup.EXE", data: "x"}},
		{EntryProgram, "Python", member{name: "serve.py", data: "x"}},
		{EntryProgram, "macro document", member{name: "a.docm", data: "x"}},
		{EntryProgram, "program called a picture", member{name: "photo.png", data: peProgram()}},
		{EntryProgram, "Unix program called a font", member{name: "a.woff2", data: elfProgram}},
		{EntryProgram, "WebAssembly called a script", member{name: "a.js", data: "\x00asm\x01\x00\x00\x00"}},
		{EntryProgram, "shell script called text", member{name: "a.txt", data: "#!/bin/sh\nrm"}},
		{EntryProgram, "PHP called a page", member{name: "a.html", data: "<?php phpinfo();"}},
		{EntryProgram, "batch script called text", member{name: "a.md", data: "@echo off\r\n"}},
		{EntryHidden, "repository", member{name: ".git/config.txt", data: "x"}},
		{EntryHidden, "secrets", member{name: "a/.env", data: "x"}},
		{EntryHidden, "Finder", member{name: ".DS_Store", data: "x"}},
		{EntryHidden, "Finder's folder", member{name: "__MACOSX/._index.html", data: "x"}},
		{EntryHidden, "server's settings", member{name: ".htaccess", data: "x"}},
		{EntryEscapes, "parent folder", member{name: "../a.html", data: "x"}},
		{EntryEscapes, "parent folder within", member{name: "a/../../b.html", data: "x"}},
		{EntryEscapes, "absolute", member{name: "/etc/a.html", data: "x"}},
		{EntryEscapes, "drive", member{name: "C:/a.html", data: "x"}},
		{"", "folder of Windows", member{name: `a\b.html`, data: "x"}},
		{EntryEscapes, "parent folder of Windows", member{name: `..\b.html`, data: "x"}},
		{EntryHidden, "hidden folder of Windows", member{name: `.git\b.html`, data: "x"}},
		{EntryEscapes, "two slashes", member{name: "a//b.html", data: "x"}},
		{EntryEscapes, "its own folder", member{name: "./b.html", data: "x"}},
		{EntryBadName, "control character", member{name: "a\nb.html", data: "x"}},
		{EntryBadName, "text direction", member{name: "a\u202eb.html", data: "x"}},
		{EntryBadName, "not UTF-8", member{name: "a\xff.html", data: "x"}},
		{EntryBadName, "long", member{name: strings.Repeat("a/", 600) + "b.html", data: "x"}},
		{EntryBadName, "dot at the end", member{name: "a./b.html", data: "x"}},
		{EntryLink, "link", member{name: "a.html", data: "/etc/passwd", mode: 0o120777}},
		{EntryTwice, "duplicate", member{name: "index.html", data: "x"}},
		{"", "other case", member{name: "Index.html", data: "x"}},
	} {
		site, facts, err := inspectedSite(t, siteOf(c.m))
		if err != nil || facts.Hold != "" {
			t.Errorf("%s: %v, held for %q", c.what, err, facts.Hold)
			continue
		}
		got := ""
		if len(site.Refused) == 1 {
			got = site.Refused[0].Reason
		}
		if _, served := site.Files[strings.ReplaceAll(c.m.name, `\`, "/")]; got != c.want || served != (c.want == "" || c.want == EntryTwice) ||
			site.RefusedTotal != len(site.Refused) {
			t.Errorf("%s: reason %q, want %q; files %v", c.what, got, c.want, slices.Collect(maps.Keys(site.Files)))
		}
		if c.want != "" && EntryMeaning(c.want) == "" {
			t.Errorf("EntryMeaning(%s) is empty", c.want)
		}
	}
}

func TestSiteTooLarge(t *testing.T) {
	_, err := siteSource(bytes.NewReader(nil), filetype.MaxSiteBytes+1)
	var p *filetype.Problem
	if !errors.As(err, &p) || p.Reason != filetype.ReasonSiteTooLarge {
		t.Errorf("error = %v, want site_too_large", err)
	}
	if _, err := siteSource(bytes.NewReader(nil), filetype.MaxSiteBytes); err != nil {
		t.Error(err)
	}
}

func TestSiteWhole(t *testing.T) {
	var many []member
	for i := range filetype.MaxSiteEntries {
		many = append(many, member{name: fmt.Sprintf("%d.txt", i), data: "x", store: true})
	}
	for _, c := range []struct {
		want, what string
		data       []byte
	}{
		{"", "one page", siteOf()},
		{filetype.ReasonNoIndex, "no first page", zipFile(member{name: "about.html", data: "x"})},
		{filetype.ReasonNoIndex, "in capitals", zipFile(member{name: "INDEX.HTML", data: "x"})},
		{filetype.ReasonNoIndex, "nothing", zipFile()},
		{filetype.ReasonNoIndex, "two folders", zipFile(member{name: "a/index.html", data: "x"},
			member{name: "b/index.html", data: "x"})},
		{filetype.ReasonNoIndex, "hidden ones alone", zipFile(member{name: ".git/index.html", data: "x"})},
		{filetype.ReasonEncryptedSite, "password", siteOf(member{name: "a.txt", data: "x", flags: 1})},
		{filetype.ReasonTooManyEntries, "many entries", siteOf(many...)},
		{filetype.ReasonBomb, "bomb", siteOf(member{name: "a.txt", data: strings.Repeat("\x00", 120*filetype.MiB)})},
		{filetype.ReasonOtherContent, "no ZIP", []byte("<!doctype html><title>Garden</title>")},
		{filetype.ReasonEmpty, "empty", nil},
		{filetype.ReasonDamaged, "cut", append(siteOf()[:20:20], zipFile()...)},
	} {
		_, facts, err := inspectedSite(t, c.data)
		var p *filetype.Problem
		got := ""
		if errors.As(err, &p) {
			got = p.Reason
		}
		if got != c.want && !(c.want == filetype.ReasonDamaged && got != "") || facts.Hold != "" {
			t.Errorf("%s: %v, held for %q, want %q", c.what, err, facts.Hold, c.want)
		}
	}
}

// TestSiteHeld checks that a website is held for what a single page would be
// held for, and for a script that creates a password field.
func TestSiteHeld(t *testing.T) {
	for _, c := range []struct{ want, name, data string }{
		{filetype.HoldPasswordForm, "login/index.html", `<form><input type="password">`},
		{filetype.HoldPasswordForm, "login.svg", `<svg xmlns="http://www.w3.org/2000/svg"><foreignObject><input xmlns="http://www.w3.org/1999/xhtml" type="password"/></foreignObject></svg>`},
		{filetype.HoldPasswordForm, "app.js", `const field = document.createElement("input"); field.type = "password"`},
		{filetype.HoldCardForm, "pay.html", `<input autocomplete="cc-number">`},
		{filetype.HoldRedirect, "go.html", `<meta http-equiv="refresh" content="0; url=https://evil.example/">`},
		{filetype.HoldLaunchAction, "a.pdf", string(launchPDF())},
		{"", "app.js", `const kinds = { text: 1, password: 2 }; URL.createObjectURL(new Blob([atob("eA==")]))`},
		{"", "a.svg", `<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>`},
	} {
		_, facts, err := inspectedSite(t, siteOf(member{name: c.name, data: c.data}))
		if err != nil || facts.Hold != c.want || c.want != "" && !strings.HasPrefix(facts.Detail, c.name) {
			t.Errorf("%s: %v, held for %q (%s), want %q", c.name, err, facts.Hold, facts.Detail, c.want)
		}
	}
}

func launchPDF() []byte {
	return []byte("%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R/OpenAction<</S/Launch/F(calc.exe)>>>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n" +
		"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\ntrailer<</Root 1 0 R/Size 4>>\nstartxref\n0\n%%EOF\n")
}

// TestSiteRoot checks that the folder that contains everything is the root,
// however deep it is.
func TestSiteRoot(t *testing.T) {
	for root, data := range map[string][]byte{
		"": siteOf(member{name: "a/b.txt"}),
		"garden/": zipFile(member{name: "garden/"}, member{name: "garden/index.html", data: "x"},
			member{name: "__MACOSX/garden/._index.html", data: "x"}),
		"garden/dist/": zipFile(member{name: "garden/dist/index.html", data: "x"},
			member{name: "garden/dist/a.css", data: "x"}),
	} {
		site, _, err := inspectedSite(t, data)
		if err != nil || site.Root != root {
			t.Errorf("root = %q, %v, want %q", site.Root, err, root)
			continue
		}
		if _, ok := site.Files["index.html"]; !ok {
			t.Errorf("root %s: no first page in %v", root, site.Files)
		}
	}
}

// FuzzSite checks that an accepted website has only files within its ZIP, with
// paths within its root, and is the same when it is read again.
func FuzzSite(f *testing.F) {
	f.Add(siteOf())
	f.Add(siteOf(member{name: ".git/a.txt", data: "x"}, member{name: "a.php", data: "x"},
		member{name: "app.js", data: "1", store: true}))
	f.Add(zipFile(member{name: "a/index.html", data: "x"}, member{name: "a/é.css", data: strings.Repeat("a", 99)}))
	seedArchives(f, "zip", func(data []byte) { f.Add(data) })
	f.Fuzz(func(t *testing.T, data []byte) {
		site, facts, err := inspectedSite(t, data)
		var p *filetype.Problem
		if err != nil {
			if !errors.As(err, &p) || p.Message == "" {
				t.Fatal(err)
			}
			if _, ok := filetype.ReasonOf(p.Reason); !ok {
				t.Fatalf("unknown reason %q", p.Reason)
			}
			return
		}
		if r, ok := filetype.ReasonOf(facts.Hold); facts.Hold != "" && (!ok || !r.Holds) {
			t.Fatalf("held for the unknown reason %q", facts.Hold)
		}
		if _, ok := site.Files["index.html"]; !ok || len(site.Files) > filetype.MaxSiteEntries ||
			len(site.Refused) > filetype.MaxSiteRefused {
			t.Fatalf("website = %+v", site)
		}
		for path, file := range site.Files {
			if file.Offset < 0 || file.Packed < 0 || file.Size < 0 || file.Offset+file.Packed > int64(len(data)) ||
				file.Type == "" {
				t.Fatalf("%q: %+v", path, file)
			}
			if filetype.EscapesFolder(path) || strings.HasPrefix(path, ".") || strings.Contains(path, "/.") ||
				strings.ContainsFunc(path, filetype.IsUnprintable) {
				t.Fatalf("invalid path %q", path)
			}
		}
		for _, r := range site.Refused {
			if EntryMeaning(r.Reason) == "" || len(r.Path) > filetype.MaxDetail {
				t.Fatalf("refused entry = %+v", r)
			}
		}
	})
}

package lint_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// licencePage lists the licences of all that the program contains.
const licencePage = "docs/reference/licences.md"

// licenceHead begins the page, with what has no file of its own.
const licenceHead = `# Licences

Vitrine has the MIT licence ([` + "`LICENSE`" + `](../../LICENSE)). The program contains the following, each
under its own licence. A release has the texts, in ` + "`vitrine_VERSION_licences.txt`" + `. ` + "`make licences`" + `
writes this page, and a test compares it.

## Data and compiled code

` + licenceData + `
Cities come from a file that is not part of the program.

`

// licenceData names the parts that have no file with a licence. Their sources
// want to be named, so a release has this text too.
const licenceData = `- PDFium: libraries within it, such as FreeType, have licences of their own, which a release does
  not have: they are in its source (https://pdfium.googlesource.com/pdfium).
- Countries: IP2Location LITE (https://lite.ip2location.com), by github.com/phuslu/iploc.
- Networks of mail scanners: Route Views (https://routeviews.org) and DB-IP (https://db-ip.com), CC
  BY 4.0, by @ip-location-db/asn.
`

// licences are the licences that a part may have, each with words of its text.
// One that is missing here needs a decision before the part is used.
var licences = []struct{ name, words string }{
	{"MPL-2.0", "Mozilla Public License, version 2.0"},
	{"Apache-2.0", "Apache License Version 2.0"},
	{"Apache-2.0", "Licensed under the Apache License"},
	{"OFL-1.1", "SIL OPEN FONT LICENSE Version 1.1"},
	{"ISC", "Permission to use, copy, modify, and/or distribute this software for any purpose"},
	{"ISC", "Permission to use, copy, modify, and distribute this software for any purpose"},
	{"BSD-3-Clause", "Neither the name of"},
	{"BSD-3-Clause", "may not be used to endorse or promote products"},
	{"BSD-2-Clause", "Redistributions in binary form must reproduce the above"},
	{"MIT", "Permission is hereby granted, free of charge, to any person obtaining a copy"},
	{"public domain", "public domain"},
}

// licenceOf returns the name of a licence, by its text; "" if it is not known.
func licenceOf(text string) string {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	for _, l := range licences {
		if strings.Contains(text, strings.ToLower(l.words)) {
			return l.name
		}
	}
	return ""
}

// modulesOfProgram returns the directories of the modules in the program, by
// their path, on all platforms of a release.
func modulesOfProgram(t *testing.T) map[string]string {
	t.Helper()
	dirs := map[string]string{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		c := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}", "./cmd/vitrine")
		c.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
		out, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(out)) {
			path, dir, ok := strings.Cut(strings.TrimSpace(line), " ")
			if ok && !strings.HasPrefix(path, "vitrine/") { // which is of the repository
				dirs[path] = dir
			}
		}
	}
	goRoot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	dirs["Go"] = strings.TrimSpace(string(goRoot))
	return dirs
}

// TestLicences checks that the page of licences has everything that the program
// contains, and that each part has a licence that is known. VITRINE_LICENCES
// names a file for their texts, and the page is then written anew.
func TestLicences(t *testing.T) {
	to := os.Getenv("VITRINE_LICENCES")
	if to == "" {
		inRoot(t)
	} else { // a release is also built from a copy without git
		t.Chdir("../..")
	}
	page, texts := strings.Builder{}, strings.Builder{}
	page.WriteString(licenceHead)
	texts.WriteString(licenceData + "\n")
	parts := map[string][]string{} // by their licences
	part := func(name, dir string) {
		var known []string
		for _, pattern := range []string{"LICEN[CS]E*", "COPYING*", "*/LICENSE*"} {
			files, _ := filepath.Glob(filepath.Join(dir, pattern))
			if len(known) > 0 && strings.Contains(pattern, "/") && !strings.Contains(dir, "vendor") {
				break // of parts that are not in the program
			}
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil || strings.HasSuffix(file, "-LOGO") {
					continue // a directory, or of a picture that is not in the program
				}
				fmt.Fprintf(&texts, "==== %s: %s\n\n%s\n\n", name, filepath.Base(file), strings.TrimSpace(string(text)))
				l := licenceOf(string(text))
				if l == "" {
					t.Errorf("%s: the licence in %s is not known", name, file)
				}
				if !slices.Contains(known, l) {
					known = append(known, l)
				}
			}
		}
		if len(known) == 0 {
			t.Errorf("%s has no licence that is known", name)
		}
		l := strings.Join(known, ", ")
		parts[l] = append(parts[l], name)
	}
	table := func() { // of the parts so far
		page.WriteString("| licence | parts |\n|---|---|\n")
		for _, l := range slices.Sorted(maps.Keys(parts)) {
			fmt.Fprintf(&page, "| %s | %s |\n", l, strings.Join(parts[l], ", "))
		}
		clear(parts)
	}
	page.WriteString("## Files in the repository\n\nEach folder has a file `VERSION` with its source.\n\n")
	vendored, err := filepath.Glob("internal/*/*/vendor/*/VERSION")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(vendored, "internal/app/auth/password/vendor/VERSION") {
		part("`"+filepath.Dir(file)+"`", filepath.Dir(file))
	}
	table()
	page.WriteString("\n## Go modules\n\n")
	dirs := modulesOfProgram(t)
	for _, path := range slices.Sorted(maps.Keys(dirs)) {
		part(path, dirs[path])
	}
	table()
	if to != "" {
		for file, text := range map[string]string{to: texts.String(), licencePage: page.String()} {
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	got, err := os.ReadFile(licencePage)
	if err != nil || string(got) != page.String() {
		t.Errorf("%s is not up to date: run make licences (%v)", licencePage, err)
	}
}

package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"vitrine/internal/cli/command"
	"vitrine/internal/test/vitrinetest"
)

// TestSettingsAreKnown checks that the program knows every setting in the
// deployment files and the documents.
func TestSettingsAreKnown(t *testing.T) {
	known := map[string]bool{}
	setting := regexp.MustCompile(`\bVITRINE_[A-Z_]+\b`)
	newProgram().Walk(func(c *command.Command) {
		for _, f := range c.Options {
			known[f.Variable] = true
			for _, s := range setting.FindAllString(f.Usage, -1) { // the file of a secret
				known[s] = true
			}
		}
	})
	if !known["VITRINE_DATA"] {
		t.Fatalf("%d settings, want some with VITRINE_DATA", len(known))
	}
	root := "../.."
	files := []string{"Dockerfile", "compose.yaml", "README.md"}
	for _, dir := range []string{"deploy", "docs"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && filepath.Ext(path) != ".png" {
				path, err = filepath.Rel(root, path)
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	named := 0
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(root, f))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range setting.FindAllString(string(b), -1) {
			if named++; !known[s] && !testsOnly.MatchString(s) {
				t.Errorf("%s names %s, which is not a setting", f, s)
			}
		}
	}
	if named == 0 {
		t.Error("no file names a setting")
	}
}

// TestUnit checks that systemd accepts the unit without warnings.
func TestUnit(t *testing.T) {
	t.Parallel()
	analyze := vitrinetest.Program(t, "systemd-analyze")
	b, err := os.ReadFile("../../deploy/vitrine.service")
	if err != nil {
		t.Fatal(err)
	}
	program, err := exec.LookPath("vitrine") // the test binary
	if err != nil {
		t.Fatal(err)
	}
	verify := func(text string) (string, error) {
		unit := filepath.Join(t.TempDir(), "vitrine.service")
		if err := os.WriteFile(unit, []byte(strings.ReplaceAll(text, "/usr/local/bin/vitrine", program)),
			0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(analyze, "verify", unit).CombinedOutput()
		return string(out), err
	}
	if out, err := verify(string(b)); err != nil || strings.Contains(out, "vitrine.service") {
		t.Errorf("systemd-analyze verify: %v: %s", err, out)
	}
	if out, _ := verify(strings.Replace(string(b), "Restart=", "Restrat=", 1)); !strings.Contains(out,
		"vitrine.service") {
		t.Errorf("a misspelled setting was not reported: %s", out)
	}
}

// TestVitrinectl checks that the command for administrators beside systemd runs
// the program with the user, directory and settings of the unit, in settings
// that systemd knows.
func TestVitrinectl(t *testing.T) {
	t.Parallel()
	analyze := vitrinetest.Program(t, "systemd-analyze")
	script, err := os.ReadFile("../../deploy/vitrinectl")
	if err != nil {
		t.Fatal(err)
	}
	unit, err := os.ReadFile("../../deploy/vitrine.service")
	if err != nil {
		t.Fatal(err)
	}
	// What it would call, with its arguments.
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "systemd-run"), []byte("#!/bin/sh\nprintf '%s\\n' \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "../../deploy/vitrinectl", "admin", "account", "create", "a b")
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	arguments, command, found := strings.Cut(string(out), "\nvitrine\n")
	if !found || command != "admin\naccount\ncreate\na b\n" || !strings.Contains(arguments, "\n--pipe\n") {
		t.Errorf("%s calls systemd-run with %s", script, out)
	}
	properties := regexp.MustCompile(`(?m)^-p\n(.*)$`).FindAllStringSubmatch(arguments, -1)
	text := "[Service]\nExecStart=/bin/true\n"
	for _, p := range properties {
		text += p[1] + "\n"
		if line := "\n" + p[1] + "\n"; !strings.Contains(string(unit), line) && p[1] != "User=vitrine" &&
			p[1] != "ReadWritePaths=/" { // the name of the unit is that of its user
			t.Errorf("the unit lacks %s", p[1])
		}
	}
	if !strings.Contains(arguments, "-E\nVITRINE_DATA=") || !strings.Contains(string(unit),
		"Environment="+arguments[strings.Index(arguments, "VITRINE_DATA="):]+"\n") {
		t.Errorf("the unit has another directory than %s", arguments)
	}
	made := filepath.Join(bin, "made.service")
	if err := os.WriteFile(made, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(analyze, "verify", made).CombinedOutput(); err != nil || len(properties) < 5 ||
		strings.Contains(string(out), "made.service") {
		t.Errorf("systemd-analyze verify of %s: %v: %s", text, err, out)
	}
}

// testsOnly matches the settings of benchmarks and screenshots.
var testsOnly = regexp.MustCompile(`^VITRINE_(BENCH|SCREENS)`)

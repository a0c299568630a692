package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const root = "../../.."

// made packs two small programs as a release.
func made(t *testing.T, version string) release {
	t.Helper()
	r := release{version: version, dir: t.TempDir(), root: root, at: time.Unix(1_764_000_000, 0).UTC()}
	for name, content := range map[string]string{"linux_amd64": "#!/bin/sh\necho amd64\n",
		"linux_arm64": "#!/bin/sh\necho arm64\n", "darwin_arm64": "no package\n", "licences.txt": "MIT\n"} {
		if err := os.WriteFile(filepath.Join(r.dir, "vitrine_"+version+"_"+name), []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.pack(); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r release) file(name string) string { return filepath.Join(r.dir, "vitrine_"+r.version+"_"+name) }

// output runs a program and returns what it says. A program that is missing
// skips the test, or fails it where CI is set.
func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skipf("%s is missing, so that nothing else reads what was made: %v", name, err)
	}
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// TestSame checks that a release can be made again, to the byte.
func TestSame(t *testing.T) {
	one, other := made(t, "v1.2.3"), made(t, "v1.2.3")
	for _, name := range []string{"amd64.deb", "arm64.deb", "oci.tar"} {
		a, err := os.ReadFile(one.file(name))
		if err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(other.file(name)); err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs, %v", name, err)
		}
	}
	if all, _ := filepath.Glob(filepath.Join(one.dir, "*.deb")); len(all) != 2 {
		t.Errorf("packages %s, want those of Linux", all)
	}
}

// TestDebian installs a package with dpkg, and removes it.
func TestDebian(t *testing.T) {
	r := made(t, "v1.2.3-rc.1")
	at := t.TempDir()
	for _, name := range []string{"var/lib/dpkg/info", "var/lib/dpkg/updates"} {
		if err := os.MkdirAll(filepath.Join(at, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"status", "available"} {
		if err := os.WriteFile(filepath.Join(at, "var/lib/dpkg", name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	dpkg := func(args ...string) string {
		t.Helper()
		return output(t, "dpkg", append([]string{"--root=" + at, "--force-script-chrootless", "--force-not-root",
			"--force-depends", "--force-architecture", "--log=" + at + "/log"}, args...)...)
	}
	if said := dpkg("-i", r.file("amd64.deb")); !strings.Contains(said, "systemctl enable --now vitrine") {
		t.Errorf("the installation does not say how to begin:\n%s", said)
	}
	if changed := dpkg("-V", "vitrine"); changed != "" {
		t.Errorf("installed files differ:\n%s", changed)
	}
	for name, want := range map[string]os.FileMode{"usr/bin/vitrine": 0o755, "usr/bin/vitrinectl": 0o755,
		"lib/systemd/system/vitrine.service": 0o644, "etc/vitrine.env": 0o600, "usr/share/doc/vitrine/copyright": 0o644} {
		if info, err := os.Stat(filepath.Join(at, name)); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v, want %v", name, info, err, want)
		}
	}
	unit, err := os.ReadFile(filepath.Join(at, "lib/systemd/system/vitrine.service"))
	if err != nil || !bytes.Contains(unit, []byte("\nExecStart=/usr/bin/vitrine serve\n")) ||
		bytes.Contains(unit, []byte("/usr/local")) {
		t.Errorf("unit, %v:\n%s", err, unit)
	}
	settings := filepath.Join(at, "etc/vitrine.env")
	if err := os.WriteFile(settings, []byte("VITRINE_PUBLIC_URL=https://share.example\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if said := dpkg("-i", made(t, "v1.2.3").file("amd64.deb")); !strings.Contains(said, "1.2.3~rc.1") ||
		strings.Contains(said, "downgrad") {
		t.Errorf("the upgrade says:\n%s", said)
	}
	if b, err := os.ReadFile(settings); err != nil || !bytes.Contains(b, []byte("share.example")) {
		t.Errorf("an upgrade changes the settings: %s, %v", b, err)
	}
	dpkg("-P", "vitrine")
	if _, err := os.Stat(settings); !os.IsNotExist(err) {
		t.Errorf("the settings are left after a purge, %v", err)
	}
}

// TestVersions checks the order in which Debian puts versions.
func TestVersions(t *testing.T) {
	ordered := []string{"3f2a9c1-dirty", "v1.2.3-rc.1", "v1.2.3", "v1.10.0"}
	for i := range len(ordered) - 1 {
		output(t, "dpkg", "--compare-versions", debianVersion(ordered[i]), "lt", debianVersion(ordered[i+1]))
	}
}

// TestImage reads the image with skopeo, and compares it with the Dockerfile.
func TestImage(t *testing.T) {
	r := made(t, "v1.2.3")
	archive := "oci-archive:" + r.file("oci.tar")
	for _, arch := range []string{"amd64", "arm64"} {
		var c struct {
			Architecture, OS, Created string
			Config                    struct {
				Env, Entrypoint, Cmd  []string
				User                  string
				ExposedPorts, Volumes map[string]any
			}
		}
		if err := json.Unmarshal([]byte(output(t, "skopeo", "--override-arch", arch, "inspect", "--config", archive)),
			&c); err != nil {
			t.Fatal(err)
		}
		if c.Architecture != arch || c.OS != "linux" || c.Created != "2025-11-24T16:00:00Z" {
			t.Errorf("image for %s: %+v", arch, c)
		}
		b, err := os.ReadFile(root + "/Dockerfile")
		if err != nil {
			t.Fatal(err)
		}
		stages := strings.Split(string(b), "\nFROM ")
		lines := strings.Split(stages[len(stages)-1], "\n")
		for _, want := range []string{"ENV " + strings.Join(c.Config.Env[:2], " "), "VOLUME " + only(c.Config.Volumes),
			"EXPOSE " + strings.TrimSuffix(only(c.Config.ExposedPorts), "/tcp"), "USER " + c.Config.User,
			fmt.Sprintf("ENTRYPOINT [%q]", c.Config.Entrypoint[0]), fmt.Sprintf("CMD [%q]", c.Config.Cmd[0])} {
			if !slices.Contains(lines, want) {
				t.Errorf("the Dockerfile lacks %q", want)
			}
		}
	}
	layout := t.TempDir()
	output(t, "skopeo", "copy", "--insecure-policy", archive, "dir:"+layout)
	layers, err := filepath.Glob(filepath.Join(layout, strings.Repeat("[0-9a-f]", 64)))
	if err != nil {
		t.Fatal(err)
	}
	var names string
	for _, l := range layers {
		if content, err := exec.Command("tar", "--numeric-owner", "-tvzf", l).Output(); err == nil {
			names += string(content)
		}
	}
	for _, want := range []string{"drwx------ 65532/65532", "drwxrwxrwt 0/0", "-rwxr-xr-x 0/0"} {
		if !strings.Contains(names, want) {
			t.Errorf("the image lacks %s:\n%s", want, names)
		}
	}
	if n := bytes.Count(authorities(), []byte("BEGIN CERTIFICATE")); n < 50 {
		t.Errorf("%d authorities, want those of browsers", n)
	}
}

func only(m map[string]any) string {
	for name := range m {
		return name
	}
	return ""
}

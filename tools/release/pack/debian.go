package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
)

// The scripts of the package. The service does not start before its
// administrator has set its address; an upgrade restarts one that runs.
var (
	afterInstall = `#!/bin/sh
set -e
[ "$1" = configure ] || exit 0
if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
if [ -n "$2" ]; then
  if [ -d /run/systemd/system ]; then systemctl try-restart vitrine.service; fi
else
  echo "Set VITRINE_PUBLIC_URL in /etc/vitrine.env, and start Vitrine: systemctl enable --now vitrine"
  echo "The address for the first account is in its log: journalctl -u vitrine | grep setup"
fi
`
	beforeRemove = `#!/bin/sh
set -e
[ "$1" = remove ] || exit 0
if [ -d /run/systemd/system ]; then systemctl --no-reload disable --now vitrine.service; fi
`
	afterRemove = `#!/bin/sh
set -e
if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
if [ "$1" = purge ] && [ -d /var/lib/private/vitrine ]; then
  echo "Links, files and views stay in /var/lib/private/vitrine. Delete it if nobody needs them."
fi
`
)

// semantic matches a version that Debian can compare: v1.2.3, v1.2.3-rc.1.
var semantic = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)

// debianVersion returns the version of a package. A candidate is older than its
// release, and what is no release is older than each release.
func debianVersion(version string) string {
	if semantic.MatchString(version) {
		return strings.Replace(version[1:], "-", "~", 1)
	}
	return "0~" + regexp.MustCompile(`[^0-9A-Za-z.+~]+`).ReplaceAllString(version, ".")
}

// debian makes a Debian package of a program.
func (r release) debian(arch, program string) error {
	scratch, err := os.MkdirTemp("", "pack-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	file := func(name string, content []byte) (path string) {
		path = filepath.Join(scratch, name)
		if err == nil {
			err = os.WriteFile(path, content, 0o644)
		}
		return path
	}
	contents, err := r.contents(program, file)
	if err != nil {
		return err
	}
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: "vitrine", Arch: arch, Platform: "linux", Version: debianVersion(r.version), VersionSchema: "none",
		Section: "web", Priority: "optional", License: "MIT", Maintainer: "The maintainers of Vitrine",
		Description: "Files as links, and how they are read\n" +
			"A file becomes a public link, and its report shows page by page how it is read.\n" +
			"Everything is in one program: API, storage, pages, reports and the app.",
		MTime: r.at, DisableGlobbing: true,
		Overridables: nfpm.Overridables{
			Contents:   contents,
			Recommends: []string{"ca-certificates"},
			Suggests:   []string{"clamav-daemon", "ffmpeg", "libheif-examples", "libreoffice-impress-nogui"},
			Scripts: nfpm.Scripts{PostInstall: file("postinst", []byte(afterInstall)),
				PreRemove:  file("prerm", []byte(beforeRemove)),
				PostRemove: file("postrm", []byte(afterRemove))},
		},
	})
	if err != nil {
		return err
	}
	out, err := os.Create(filepath.Join(r.dir, "vitrine_"+r.version+"_"+arch+".deb"))
	if err != nil {
		return err
	}
	if err := deb.Default.Package(info, out); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}

// contents returns the files of a package. file makes one.
func (r release) contents(program string, file func(name string, content []byte) string) (files.Contents, error) {
	unit, err := os.ReadFile(filepath.Join(r.root, "deploy/vitrine.service"))
	if err != nil {
		return nil, err
	}
	// /usr/local is for what the administrator installs.
	unit = bytes.ReplaceAll(unit, []byte("/usr/local/bin/"), []byte("/usr/bin/"))
	all := files.Contents{
		{Source: program, Destination: "/usr/bin/vitrine", FileInfo: &files.ContentFileInfo{Mode: 0o755}},
		{Source: filepath.Join(r.root, "deploy/vitrinectl"), Destination: "/usr/bin/vitrinectl",
			FileInfo: &files.ContentFileInfo{Mode: 0o755}},
		{Source: file("vitrine.service", unit), Destination: "/lib/systemd/system/vitrine.service",
			FileInfo: &files.ContentFileInfo{Mode: 0o644}},
		{Source: filepath.Join(r.root, "deploy/vitrine.env"), Destination: "/etc/vitrine.env",
			Type: files.TypeConfigNoReplace, FileInfo: &files.ContentFileInfo{Mode: 0o600}},
		{Source: filepath.Join(r.dir, "vitrine_"+r.version+"_licences.txt"),
			Destination: "/usr/share/doc/vitrine/copyright", FileInfo: &files.ContentFileInfo{Mode: 0o644}},
	}
	for _, c := range all {
		c.FileInfo.Owner, c.FileInfo.Group, c.FileInfo.MTime = "root", "root", r.at
	}
	return all, nil
}

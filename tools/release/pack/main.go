// Command pack makes packages of the programs of a release: a Debian package
// for each Linux program, with the unit of systemd and a file for its settings,
// and one container image for all of them, as an OCI layout in a tar file.
// SOURCE_DATE_EPOCH is the time of everything in them, so that the same
// programs make the same packages.
//
//	pack VERSION DIR
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// release is a directory with the files of a release.
type release struct {
	version, dir string
	root         string // of the repository
	at           time.Time
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: pack VERSION DIR")
		os.Exit(2)
	}
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		fmt.Fprintln(os.Stderr, "pack: SOURCE_DATE_EPOCH must be the time of the commit, in seconds since 1970")
		os.Exit(2)
	}
	r := release{version: os.Args[1], dir: os.Args[2], root: ".", at: time.Unix(seconds, 0).UTC()}
	if err := r.pack(); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

// pack makes the packages of all Linux programs in the directory.
func (r release) pack() error {
	programs, err := r.programs()
	if err != nil || len(programs) == 0 {
		return err
	}
	for arch, path := range programs {
		if err := r.debian(arch, path); err != nil {
			return fmt.Errorf("Debian package for %s: %w", arch, err)
		}
	}
	if err := r.image(programs); err != nil {
		return fmt.Errorf("container image: %w", err)
	}
	return nil
}

// programs returns the paths of the Linux programs by architecture.
func (r release) programs() (map[string]string, error) {
	prefix := filepath.Join(r.dir, "vitrine_"+r.version+"_linux_")
	paths, err := filepath.Glob(prefix + "*")
	all := map[string]string{}
	for _, path := range paths {
		all[strings.TrimPrefix(path, prefix)] = path
	}
	return all, err
}

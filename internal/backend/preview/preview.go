// Package preview makes parts of files: pictures, PDFs of office documents,
// spreadsheet cells, and listings of archives.
//
// The server process never decodes untrusted files (promises 12, 18): decoders
// have had hundreds of vulnerabilities, and take as much memory as the file
// asks for. For each file a Maker starts its own executable with the hidden
// command preview, with the open file and an empty directory. Before the child
// reads the file, it limits its time and, on Linux, its memory, and drops
// access to the network, to other processes and to the file system except
// programs and fonts. Where the kernel lacks a means, Warn says so: without
// namespaces LibreOffice does not run, and with neither namespaces nor Landlock
// no program does. Parts that the child or its programs cannot make within the
// limits are missing.
//
// If a child is killed, crashes or exceeds its limits, the cause is the file,
// and the finished parts are kept. If a child cannot start, has no disk space
// or got hardly any CPU time, the cause is the machine, and an error is
// returned.
package preview

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"vitrine"
	"vitrine/internal/filetype"
)

// Options configure a Maker. A program is a path, "" to search PATH, or Off.
type Options struct {
	Executable string // runs Child on the verb preview; "" for the running one
	Cache      string // directory for compiled code, private to the server; "" compiles for each file, which takes a second or two
	Temp       string // directory for files in work: New empties it; "" for some in that of the system
	Office     string // LibreOffice (soffice); only used in namespaces
	FFmpeg     string
	Heif       string // heif-convert of libheif
}

// Off disables a program.
const Off = "off"

// Maker implements [vitrine.Previewer]. It is safe for concurrent use. Each
// call starts a process, or several with LibreOffice.
type Maker struct {
	// Warn is called with a message for the administrator, about a limit that
	// this machine cannot set or a file that killed its process. Calls may be
	// concurrent. Set it before the first use.
	Warn func(string)

	executable           string
	cache, temp          string
	office, ffmpeg, heif string

	oneOffice chan struct{} // LibreOffice takes most of a core and hundreds of MB, so only one runs
	prepare   sync.Mutex
	prepared  bool
	warned    once

	noNamespaces atomic.Bool // set when the machine refuses namespaces; disables LibreOffice
	noPrograms   atomic.Bool // set when it refuses Landlock too; disables all programs

	limits limits
	plain  bool // for tests: no namespaces and no Landlock, as on an old kernel
}

// New finds the programs. It does not start any.
func New(o Options) (*Maker, error) {
	m := &Maker{
		Warn: func(string) {}, executable: o.Executable, cache: o.Cache, oneOffice: make(chan struct{}, 1),
		limits: standard,
		office: program(o.Office, "soffice"), ffmpeg: program(o.FFmpeg, "ffmpeg"),
		heif: program(o.Heif, "heif-convert"),
	}
	if m.executable == "" {
		path, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("find the executable of this program: %w", err)
		}
		m.executable = path
	}
	if m.cache != "" {
		path, err := filepath.Abs(m.cache)
		if err != nil {
			return nil, fmt.Errorf("find the cache directory: %w", err)
		}
		m.cache = path
		if err := os.MkdirAll(path, 0o700); err != nil {
			return nil, fmt.Errorf("make the cache directory: %w", err)
		}
	}
	if o.Temp != "" {
		var err error
		if m.temp, err = emptied(o.Temp); err != nil {
			return nil, fmt.Errorf("empty the working directory for previews: %w", err)
		}
	}
	return m, nil
}

// emptied creates a directory, or deletes the leftovers of a killed server in
// it. It returns the absolute path.
func emptied(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.Chmod(dir, 0o700)); err != nil {
		return "", err
	}
	left, err := os.ReadDir(dir)
	for _, e := range left {
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
	}
	return dir, err
}

// program returns the absolute path of a program, or "" if it is not found.
func program(path, name string) string {
	if path == Off {
		return ""
	}
	if path == "" {
		path = name
	}
	found, err := exec.LookPath(path)
	if err != nil {
		return ""
	}
	if found, err = filepath.Abs(found); err != nil {
		return ""
	}
	return found
}

// Missing returns the common names of missing programs.
func (m *Maker) Missing() []string {
	var names []string
	for _, p := range []struct{ path, name string }{{m.office, "LibreOffice"}, {m.ffmpeg, "FFmpeg"},
		{m.heif, "heif-convert"}} {
		if p.path == "" {
			names = append(names, p.name)
		}
	}
	return names
}

// Makes implements [vitrine.Previewer]. If namespaces are not available, it
// returns false for parts that need LibreOffice.
func (m *Maker) Makes(p vitrine.Part, ext string) bool { return slices.Contains(m.parts(ext), p) }

// Preview implements [vitrine.Previewer]. It takes some seconds, or up to 90
// with LibreOffice, and may wait for other calls.
func (m *Maker) Preview(ctx context.Context, f vitrine.PreviewFile, put func(vitrine.Part, io.Reader) error) error {
	t, ok := filetype.ByExt(f.Name)
	if !ok || len(m.parts(t.Ext)) == 0 {
		return nil
	}
	if byOffice(t.Ext) {
		select {
		case m.oneOffice <- struct{}{}:
			defer func() { <-m.oneOffice }()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if t.Ext == "pdf" || byOffice(t.Ext) {
		if err := m.Prepare(ctx); err != nil {
			return err
		}
	}
	if len(m.parts(t.Ext)) == 0 {
		return nil // namespaces are not available
	}
	dir, err := m.newDirs()
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file, err := asFile(f.Blob, dir)
	if err != nil {
		return fmt.Errorf("open the file for its child: %w", err)
	}
	defer file.Close()
	err = m.run(ctx, m.order(t.Ext, dir), file)
	if f := fault(""); errors.As(err, &f) {
		m.Warn(string(f))
	} else if err != nil {
		return fmt.Errorf("preview of a %s file: %w", t.Ext, err)
	}
	for _, p := range m.parts(t.Ext) {
		if err := passPart(filepath.Join(dir, outDir, string(p)), p, put); err != nil {
			return err
		}
	}
	return nil
}

// Prepare compiles PDFium into the cache in a child without a file, because a
// child with a file may not write there. It also detects whether namespaces are
// available. Preview calls it when necessary, and a server may call it at the
// start. After a success, further calls do nothing. It returns an error if the
// child fails.
func (m *Maker) Prepare(ctx context.Context) error {
	m.prepare.Lock()
	defer m.prepare.Unlock()
	if m.prepared {
		return nil
	}
	dir, err := m.newDirs()
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := m.run(ctx, m.order("", dir), nil); err != nil {
		return fmt.Errorf("prepare previews: %w", err)
	}
	m.prepared = true
	return nil
}

// Probe starts a child that reads no file. It calls Warn for each limit that
// this machine cannot set.
func (m *Maker) Probe(ctx context.Context) error {
	dir, err := m.newDirs()
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	nothing, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	defer nothing.Close()
	return m.run(ctx, m.order("probe", dir), nothing)
}

// Directories of a child: finished parts, and temporary files.
const outDir, workDir = "out", "work"

func (m *Maker) newDirs() (string, error) {
	dir, err := os.MkdirTemp(m.temp, "vitrine-preview-")
	if err != nil {
		return "", fmt.Errorf("make a directory for previews: %w", err)
	}
	for _, d := range []string{outDir, workDir} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o700); err != nil {
			os.RemoveAll(dir)
			return "", fmt.Errorf("make a directory for previews: %w", err)
		}
	}
	return dir, nil
}

// Package preview makes parts of files: pictures of them, PDF of office
// documents, the cells of spreadsheets, what is in archives.
//
// What strangers sent is never decoded in the server's process (promises 12,
// 18). A Maker starts the own executable anew for each file, with the hidden
// verb preview, and hands it the open file and an empty directory. That child
// gives up what it does not need before it looks at the file: network, other
// processes, the file system but for programs and fonts, and most of the
// machine's memory and time. What it, or a program that it starts, cannot do
// within that is a part that a file does not have.
//
// Which failure is which: a child that was killed, crashed or ran out of its
// limits is the file's fault, and the parts that it finished are kept. That it
// could not be started, had no space to write or hardly a processor is the
// machine's, and an error.
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

// Options say what a Maker works with. A program is a path, "" to look for it
// in PATH, or Off.
type Options struct {
	Executable string // runs Child on the verb preview; "" for the running one
	Cache      string // directory for compiled code, private to the server; "" compiles for each file, which takes a second or two
	Temp       string // directory for files in work: New empties it; "" for some in that of the system
	Office     string // LibreOffice: soffice; it is used in namespaces only
	FFmpeg     string
	Heif       string // heif-convert, of libheif
}

// Off is a program that is not used though it may be installed.
const Off = "off"

// Maker is a vitrine.Previewer. It may be used by several goroutines at once;
// each call is a process, or with LibreOffice some.
type Maker struct {
	// Warn is told in a sentence what an operator should know: a limit that
	// this machine cannot set, a file that ended its process. It may be called
	// by several goroutines at once, and is set before the first use.
	Warn func(string)

	executable           string
	cache, temp          string
	office, ffmpeg, heif string

	oneOffice chan struct{} // LibreOffice takes most of a core and some hundred MB: one at a time
	prepare   sync.Mutex
	prepared  bool
	warned    once

	noNamespaces atomic.Bool // this machine refused some; then LibreOffice is not used

	limits limits
	plain  bool // tests: no namespaces and no Landlock, as on an old kernel
}

// New finds the programs. It starts none.
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
			return nil, fmt.Errorf("find the own executable: %w", err)
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
			return nil, fmt.Errorf("empty the directory for previews in work: %w", err)
		}
	}
	return m, nil
}

// emptied makes a directory, or removes what a killed server left in it, and is
// its absolute path.
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

// program returns the absolute path of a program, "" for none.
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

// Missing names the programs that are not there, as an operator knows them.
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

// Makes reports whether a part may come of a file of an extension
// (vitrine.Previewer). Once a child could have no namespaces, none comes of
// LibreOffice.
func (m *Maker) Makes(p vitrine.Part, ext string) bool { return slices.Contains(m.parts(ext), p) }

// Preview makes the parts of a file (vitrine.Previewer). It takes seconds, with
// LibreOffice up to a minute and a half, and waits for other documents before.
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
		return nil // it turned out that there are no namespaces
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
		if err := hand(filepath.Join(dir, outDir, string(p)), p, put); err != nil {
			return err
		}
	}
	return nil
}

// Prepare compiles PDFium into the cache by a child without a file, so that no
// child with one may write there. It goes before PDF and documents, and shows
// whether those can have namespaces. A server may call it at its start. After
// its first success it does nothing; a child that did not end well is none, and
// an error.
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

// The directories of one child: parts that are finished, and everything else.
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

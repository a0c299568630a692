package preview

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"vitrine"
)

// Verb is the first argument of a child. The second is its order.
const Verb = "preview"

// order is the input of a child.
type order struct {
	Ext    string `json:"ext"` // "" to fill the cache only
	Dir    string `json:"dir"`
	Cache  string `json:"cache,omitempty"`
	Office string `json:"office,omitempty"`
	FFmpeg string `json:"ffmpeg,omitempty"`
	Heif   string `json:"heif,omitempty"`
	Plain  bool   `json:"plain,omitempty"` // for tests: see Maker

	// Namespaces is set if the child runs in its own namespaces. Only then may
	// it change mounts.
	Namespaces bool `json:"namespaces,omitempty"`
}

func (m *Maker) order(ext, dir string) order {
	return order{Ext: ext, Dir: dir, Cache: m.cache, Office: m.office, FFmpeg: m.ffmpeg, Heif: m.heif, Plain: m.plain}
}

func (m *Maker) timeFor(ext string) time.Duration {
	if ext == "" || ext == "tiff" || byOffice(ext) {
		return m.limits.long
	}
	return m.limits.usual
}

// begun is the first line that a child prints, after it has restricted itself
// and before it reads the file. Further lines are for the administrator: limits
// that could not be set (after unlimitedMark), and output of programs.
const (
	begun         = "begun"
	unlimitedMark = "unlimited: "
)

// noPrograms is what a child says if programs cannot be kept from the server's
// files. It and the Maker then use none.
const noPrograms = "LibreOffice, FFmpeg and heif-convert are not used: this system has neither namespaces nor Landlock to isolate them"

// exitMachineError is the exit code of a child that failed because of the
// machine, not because of the file.
const exitMachineError = 1

// fault is a failure that the file caused. Other errors of run are caused by
// the machine or the context.
type fault string

func (f fault) Error() string { return string(f) }

// errBusy is returned if a child timed out with little CPU time.
var errBusy = errors.New("the machine is too busy for previews")

// run runs a child until it ends or times out. It uses LibreOffice only in
// namespaces.
func (m *Maker) run(ctx context.Context, o order, file *os.File) error {
	// The child is killed when the thread that started it ends, so it does not
	// outlive a killed server.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	limit := m.timeFor(o.Ext)
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var used time.Duration // CPU time
	start := func(fenced bool) (*exec.Cmd, *outputLines, error) {
		if fenced && !namespaces {
			return nil, nil, errors.ErrUnsupported
		}
		said := new(outputLines)
		o.Namespaces = fenced
		text, err := json.Marshal(o)
		if err != nil {
			return nil, nil, err
		}
		cmd := exec.CommandContext(limited, m.executable, Verb, string(text))
		cmd.Dir, cmd.Env = filepath.Join(o.Dir, workDir), []string{}
		cmd.Stdout, cmd.Stderr = said, said
		cmd.WaitDelay = time.Second
		cmd.SysProcAttr = attributes(fenced)
		cmd.Cancel = func() error {
			used = groupTime(cmd.Process.Pid)
			return killAll(cmd.Process)
		}
		if file != nil {
			cmd.ExtraFiles = []*os.File{file}
		}
		return cmd, said, cmd.Start()
	}
	cmd, said, err := start(!m.plain)
	if err != nil && !m.plain && !isShortage(err) && !byOffice(o.Ext) && limited.Err() == nil {
		cause := err
		if cmd, said, err = start(false); err == nil {
			m.withoutNamespaces(cause)
		}
	}
	if err != nil {
		return within(ctx, limited, err)
	}
	err = cmd.Wait()
	_ = killAll(cmd.Process) // processes that the child did not wait for
	used = max(used, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	return m.judge(ctx, timing{limited.Err() != nil, used, limit}, said, err)
}

// within returns errBusy if the timeout expired before the child started,
// otherwise err.
func within(ctx, limited context.Context, err error) error {
	if ctx.Err() == nil && limited.Err() != nil {
		return errBusy
	}
	return err
}

// withoutNamespaces records that namespaces are not available.
func (m *Maker) withoutNamespaces(cause error) {
	m.noNamespaces.Store(true)
	m.warnUnfenced(fmt.Sprintf("previews run without namespaces, which this system refuses (%v)", cause))
	if m.office != "" {
		m.warnUnfenced("LibreOffice is not used: this system has no namespaces to isolate it")
	}
}

// timing is the time used by a child.
type timing struct {
	over  bool          // timed out
	used  time.Duration // CPU time of all processes
	limit time.Duration
}

// late returns the error for a timeout. If the child used less than half of its
// time on a CPU, the machine was too busy. Otherwise the file is the cause.
func (t timing) late() error {
	if t.used < t.limit/2 {
		return errBusy
	}
	return fault("making a preview took too long")
}

// judge returns the error for the exit of a child: a fault of the file, or an
// error of the machine. It returns nil if the child succeeded.
func (m *Maker) judge(ctx context.Context, took timing, out *outputLines, err error) error {
	text, wasBegun := strings.CutPrefix(out.String(), begun+"\n")
	for line := range strings.Lines(text) {
		if what, ok := strings.CutPrefix(strings.TrimSpace(line), unlimitedMark); ok {
			if what == noPrograms {
				m.noPrograms.Store(true)
			}
			m.warnUnfenced(printableLine(what))
		}
	}
	exit := new(exec.ExitError)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil && wasBegun:
		if notes := lastLine(text); notes != "" {
			m.Warn(notes)
		}
		return nil
	case took.over:
		return took.late()
	case !wasBegun:
		return fmt.Errorf("the preview process did not start: %w (%s)", errOr(err, io.ErrUnexpectedEOF), lastLine(text))
	case errors.As(err, &exit) && exit.ExitCode() == exitMachineError:
		return errors.New(lastLine(text))
	case errors.As(err, &exit):
		return fault(fmt.Sprintf("making a preview failed: %v (%s)", exit, crash(text)))
	}
	return err
}

func errOr(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
}

// warnUnfenced reports each unavailable limit once, because the machine does
// not change.
func (m *Maker) warnUnfenced(what string) {
	if m.warned.first(what) {
		m.Warn(what)
	}
}

// maxTexts limits the number of recorded texts, because children control them.
const maxTexts = 32

// once is a set of texts that were reported.
type once struct {
	mu   sync.Mutex
	seen []string
}

func (o *once) first(text string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if slices.Contains(o.seen, text) || len(o.seen) == maxTexts {
		return false
	}
	o.seen = append(o.seen, text)
	return true
}

// outputLines is a buffer for the beginning of a child's output.
type outputLines struct{ bytes.Buffer }

func (h *outputLines) Write(p []byte) (int, error) {
	if room := 16<<10 - h.Len(); room > 0 {
		h.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// lastLine returns the last line of a child's output, safe for logs and
// terminals, or "" if there is none.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return printableLine(lines[len(lines)-1])
}

// crash returns the first line of a Go panic or fatal error, or "".
func crash(text string) string {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") ||
			strings.HasPrefix(line, "runtime: ") {
			return printableLine(strings.TrimSpace(line))
		}
	}
	return lastLine(text)
}

// printableLine returns program output as one printable line.
func printableLine(line string) string {
	if strings.HasPrefix(line, unlimitedMark) {
		return ""
	}
	line = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return ' '
		}
		return r
	}, line)
	return strings.TrimSpace(line[:min(len(line), 300)])
}

// passPart passes a finished part to put. It accepts only regular files: a
// compromised child could have linked a file that only the server may read.
func passPart(path string, p vitrine.Part, put func(vitrine.Part, io.Reader) error) error {
	f, err := openPart(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open part %s: %w", p, err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return fmt.Errorf("open part %s: %w", p, err)
	}
	if !st.Mode().IsRegular() || linked(st) || st.Size() > maxPart {
		return nil
	}
	return put(p, f)
}

// asFile returns a blob as a file for a child. It copies a blob that is not a
// file.
func asFile(b vitrine.Blob, dir string) (*os.File, error) {
	if f, err := sameFile(b); f != nil || err != nil {
		return f, err
	}
	f, err := os.Create(filepath.Join(dir, workDir, "blob"))
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(f, io.NewSectionReader(b, 0, b.Size())); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

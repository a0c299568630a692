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

// Verb is the argument that turns the executable into a child. The next
// argument is its order.
const Verb = "preview"

// order describes the work of a child.
type order struct {
	Ext    string `json:"ext"` // "" to fill the cache only
	Dir    string `json:"dir"`
	Cache  string `json:"cache,omitempty"`
	Office string `json:"office,omitempty"`
	FFmpeg string `json:"ffmpeg,omitempty"`
	Heif   string `json:"heif,omitempty"`
	Plain  bool   `json:"plain,omitempty"` // tests: see Maker

	// Namespaces reports that the child was started in namespaces of its own.
	// Only then may it change mounts.
	Namespaces bool `json:"namespaces,omitempty"`
}

func (m *Maker) order(ext, dir string) order {
	return order{Ext: ext, Dir: dir, Cache: m.cache, Office: m.office, FFmpeg: m.ffmpeg, Heif: m.heif, Plain: m.plain}
}

func (m *Maker) timeFor(ext string) time.Duration {
	if ext == "" || byOffice(ext) {
		return m.limits.long
	}
	return m.limits.usual
}

// begun is the first line that a child prints, after it has limited itself and
// before it reads its file. The next lines are for the operator: after
// unlimitedMark the limits that this machine cannot set, and the messages of
// programs.
const (
	begun         = "begun"
	unlimitedMark = "unlimited: "
)

// exitTrouble is a child's exit code for trouble of the machine.
const exitTrouble = 1

// fault is a failure of a child that its file caused. Any other error of run
// comes from the machine or the context.
type fault string

func (f fault) Error() string { return string(f) }

// errBusy is the error for a child whose time ran out although it got little
// processor time.
var errBusy = errors.New("the machine is too busy for previews")

// run runs a child until it is done or its time is up. LibreOffice runs only in
// namespaces.
func (m *Maker) run(ctx context.Context, o order, file *os.File) error {
	// The child dies with the thread that started it, so that it does not
	// outlive a killed server.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	limit := m.timeFor(o.Ext)
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var used time.Duration // of processors
	start := func(fenced bool) (*exec.Cmd, *heard, error) {
		if fenced && !namespaces {
			return nil, nil, errors.ErrUnsupported
		}
		said := new(heard)
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
	if err != nil && !m.plain && !scarce(err) && !byOffice(o.Ext) && limited.Err() == nil {
		cause := err
		if cmd, said, err = start(false); err == nil {
			m.withoutNamespaces(cause)
		}
	}
	if err != nil {
		return within(ctx, limited, err)
	}
	err = cmd.Wait()
	_ = killAll(cmd.Process) // processes that it started and did not wait for
	used = max(used, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	return m.judge(ctx, timing{limited.Err() != nil, used, limit}, said, err)
}

// within returns errBusy if the time of the child ended before it started, else
// err.
func within(ctx, limited context.Context, err error) error {
	if ctx.Err() == nil && limited.Err() != nil {
		return errBusy
	}
	return err
}

// withoutNamespaces records that a child could only start without namespaces.
func (m *Maker) withoutNamespaces(cause error) {
	m.noNamespaces.Store(true)
	m.warnUnfenced(fmt.Sprintf("previews run without namespaces, which this system refuses (%v)", cause))
	if m.office != "" {
		m.warnUnfenced("LibreOffice is not used: this system gives no namespaces to keep it apart")
	}
}

// timing is the time that a child took.
type timing struct {
	over  bool          // its time was up
	used  time.Duration // of processors, by all its processes
	limit time.Duration
}

// late returns the error for a child that ran out of time. If it used less than
// half of its time on a processor, the machine was too busy; otherwise the file
// is at fault.
func (t timing) late() error {
	if t.used < t.limit/2 {
		return errBusy
	}
	return fault("a file took too long to preview")
}

// judge returns the error for the end of a child: a fault of the file, or a
// failure of the machine. It returns nil if the child succeeded.
func (m *Maker) judge(ctx context.Context, took timing, out *heard, err error) error {
	text, wasBegun := strings.CutPrefix(out.String(), begun+"\n")
	for line := range strings.Lines(text) {
		if what, ok := strings.CutPrefix(strings.TrimSpace(line), unlimitedMark); ok {
			m.warnUnfenced(said(what))
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
		return fmt.Errorf("the child did not begin: %w (%s)", errOr(err, io.ErrUnexpectedEOF), lastLine(text))
	case errors.As(err, &exit) && exit.ExitCode() == exitTrouble:
		return errors.New(lastLine(text))
	case errors.As(err, &exit):
		return fault(fmt.Sprintf("a file ended its preview: %v (%s)", exit, crash(text)))
	}
	return err
}

func errOr(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
}

// warnUnfenced gives each warning once, because the machine does not change.
func (m *Maker) warnUnfenced(what string) {
	if m.warned.first(what) {
		m.Warn(what)
	}
}

// maxTexts limits the texts that are kept, because children print them.
const maxTexts = 32

// once records which texts it has seen.
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

// heard keeps the beginning of what a child prints.
type heard struct{ bytes.Buffer }

func (h *heard) Write(p []byte) (int, error) {
	if room := 16<<10 - h.Len(); room > 0 {
		h.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// lastLine returns the last line of a child's output in a form that is safe for
// logs and terminals, or "".
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return said(lines[len(lines)-1])
}

// crash returns the first line of a Go crash.
func crash(text string) string {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") ||
			strings.HasPrefix(line, "runtime: ") {
			return said(strings.TrimSpace(line))
		}
	}
	return lastLine(text)
}

// said turns the output of a program into one printable line.
func said(line string) string {
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

// hand passes a finished part to put. A part must be a regular file: a
// malicious file could have taken over the child and made a link to a file that
// only the server may read.
func hand(path string, p vitrine.Part, put func(vitrine.Part, io.Reader) error) error {
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

// asFile returns a blob as a file for a child. A blob that is not a file is
// copied.
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

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
	"strings"
	"time"

	"vitrine"
)

// Verb is the argument that makes the executable a child; the next one is its order.
const Verb = "preview"

// order is what a child is to do.
type order struct {
	Ext    string `json:"ext"` // "" to fill the cache only
	Dir    string `json:"dir"`
	Cache  string `json:"cache,omitempty"`
	Office string `json:"office,omitempty"`
	FFmpeg string `json:"ffmpeg,omitempty"`
	Heif   string `json:"heif,omitempty"`
	Plain  bool   `json:"plain,omitempty"` // tests: see Maker

	// Namespaces tells that the child was started in namespaces of its own. Only then may it touch mounts.
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

// begun is the first line that a child prints, once it is fenced in and before it looks at its file. The lines that follow are for
// an operator: unlimitedMark before what this machine cannot limit, and what programs said.
const (
	begun         = "begun"
	unlimitedMark = "unlimited: "
)

// exitTrouble is a child's exit code for trouble of the machine.
const exitTrouble = 1

// run lets a child work until it is done or its time is up. Its error is the machine's, or the context's.
func (m *Maker) run(ctx context.Context, o order, file *os.File) error {
	// The child dies with the thread that started it, so that none outlives a server that was killed.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	limited, cancel := context.WithTimeout(ctx, m.timeFor(o.Ext))
	defer cancel()
	start := func(fenced bool) (*exec.Cmd, *heard, error) {
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
		cmd.Cancel = func() error { return killAll(cmd.Process) }
		if file != nil {
			cmd.ExtraFiles = []*os.File{file}
		}
		return cmd, said, cmd.Start()
	}
	cmd, said, err := start(!m.plain)
	if err != nil && !m.plain && limited.Err() == nil {
		cause := err
		if cmd, said, err = start(false); err == nil {
			m.warnUnfenced(fmt.Sprintf("previews run without namespaces, which this system refuses (%v)", cause))
		}
	}
	if err != nil {
		return within(ctx, limited, err)
	}
	err = cmd.Wait()
	_ = killAll(cmd.Process) // what it started and did not wait for
	return m.judge(ctx, limited, said, err)
}

// within is the error of what failed to start: none if only the time was up.
func within(ctx, limited context.Context, err error) error {
	if ctx.Err() == nil && limited.Err() != nil {
		return nil
	}
	return err
}

// judge tells whose fault the end of a child is.
func (m *Maker) judge(ctx, limited context.Context, said *heard, err error) error {
	text, wasBegun := strings.CutPrefix(said.String(), begun+"\n")
	for line := range strings.Lines(text) {
		if what, ok := strings.CutPrefix(strings.TrimSpace(line), unlimitedMark); ok {
			m.warnUnfenced(what)
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
	case limited.Err() != nil:
		m.Warn("a file took too long to preview")
		return nil
	case !wasBegun:
		return fmt.Errorf("the child did not begin: %w (%s)", errOr(err, io.ErrUnexpectedEOF), lastLine(text))
	case errors.As(err, &exit) && exit.ExitCode() == exitTrouble:
		return errors.New(lastLine(text))
	case errors.As(err, &exit):
		m.Warn(fmt.Sprintf("a file ended its preview: %v (%s)", exit, crash(text)))
		return nil
	}
	return err
}

func errOr(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
}

// warnUnfenced warns once; the machine does not change.
func (m *Maker) warnUnfenced(what string) { m.unfenced.Do(func() { m.Warn(what) }) }

// heard keeps the beginning of what a child prints.
type heard struct{ bytes.Buffer }

func (h *heard) Write(p []byte) (int, error) {
	if room := 16<<10 - h.Len(); room > 0 {
		h.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// lastLine is what a child said last, "" for nothing, in a form that a log and a terminal can take.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return said(lines[len(lines)-1])
}

// crash is what Go says first of its own end.
func crash(text string) string {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") || strings.HasPrefix(line, "runtime: ") {
			return said(strings.TrimSpace(line))
		}
	}
	return lastLine(text)
}

// said makes what a program said one printable line.
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

// hand gives a finished part to put. A part is a plain file of the child's own: had a file taken the child over, a link could lead
// to what the server alone may read.
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

// asFile is a blob as a file that a child can be handed. One that is none is copied.
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

// Package terminal writes the output of commands: tables, reports, progress and
// errors. It never writes control characters from untrusted text.
package terminal

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/rivo/uniseg"
	"golang.org/x/term"
)

// Terminal is the output of a command. Results go to Out, messages to Err. Text
// from others must go through Plain.
type Terminal struct {
	Out, Err io.Writer
	In       io.Reader
	OutTTY   bool // Out is a terminal: format for people, otherwise for programs
	ErrTTY   bool
	InTTY    bool
	colour   bool    // Out shows colors
	Width    int     // columns of Out
	ErrWidth int     // columns of Err; 0 means that they are not known
	quiet    bool    // Say prints nothing
	Version  string  // of the program
	Asked    *Target // server of the command, for error messages; may be nil

	// Clock is the clock of this machine, Pause the timer of pauses, and Poll
	// that of questions to a server that are repeated. Nil is the system's.
	Clock       func() time.Time
	Pause, Poll func(time.Duration) <-chan time.Time
}

const defaultWidth = 80

// Console returns the terminal of the process.
func Console() *Terminal {
	t := &Terminal{Out: os.Stdout, Err: os.Stderr, In: os.Stdin, Width: defaultWidth,
		OutTTY: term.IsTerminal(int(os.Stdout.Fd())), ErrTTY: term.IsTerminal(int(os.Stderr.Fd())),
		InTTY: term.IsTerminal(int(os.Stdin.Fd()))}
	if w, _, err := term.GetSize(int(os.Stderr.Fd())); t.ErrTTY && err == nil {
		t.ErrWidth = w
	}
	t.colour = t.OutTTY && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	if w, _, err := term.GetSize(int(os.Stdout.Fd())); t.OutTTY && err == nil && w > 0 {
		t.Width = w
	} else if w, err := strconv.Atoi(os.Getenv("COLUMNS")); t.OutTTY && err == nil && w > 0 {
		t.Width = w
	}
	return t
}

// Now returns the time of this machine.
func (t *Terminal) Now() time.Time {
	if t.Clock != nil {
		return t.Clock()
	}
	return time.Now()
}

// After waits for the end of a pause.
func (t *Terminal) After(d time.Duration) <-chan time.Time { return after(t.Pause, d) }

// AfterPoll waits until the next of several questions to a server.
func (t *Terminal) AfterPoll(d time.Duration) <-chan time.Time { return after(t.Poll, d) }

func after(timer func(time.Duration) <-chan time.Time, d time.Duration) <-chan time.Time {
	if timer != nil {
		return timer(d)
	}
	return time.After(d)
}

// Hush makes Say print nothing and hides progress: only results and what Tell
// prints remain.
func (t *Terminal) Hush() { t.quiet, t.ErrTTY = true, false }

// Quiet reports whether Hush was called.
func (t *Terminal) Quiet() bool { return t.quiet }

// Say prints a message to standard error.
func (t *Terminal) Say(format string, args ...any) {
	if !t.quiet {
		t.Tell(format, args...)
	}
}

// Tell prints an error, or a message that the command needs, to standard error.
func (t *Terminal) Tell(format string, args ...any) { fmt.Fprintf(t.Err, format+"\n", args...) }

// JSON writes v as one line. It escapes characters that a terminal may
// interpret.
func (t *Terminal) JSON(v any) error {
	line, err := jsonLine(v)
	if err == nil {
		_, err = io.WriteString(t.Out, line)
	}
	return err
}

func jsonLine(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return escapeUnsafe(b.String()), err
}

// Facts writes names and values, a line each, and leaves out empty values. They
// are aligned on a terminal, otherwise separated by tabs.
func (t *Terminal) Facts(facts [][2]string) error {
	width := 0
	for _, f := range facts {
		if f[1] != "" {
			width = max(width, uniseg.StringWidth(f[0]))
		}
	}
	for _, f := range facts {
		name, value := f[0], Plain(f[1])
		switch {
		case value == "":
			continue
		case t.OutTTY:
			name = t.Paint(Dim, Pad(name, width)) + "  "
		default:
			name += "\t"
		}
		if _, err := fmt.Fprintln(t.Out, name+value); err != nil {
			return err
		}
	}
	return nil
}

// Size formats a number of bytes: rounded on a terminal, otherwise exact.
func (t *Terminal) Size(n int64) string {
	if t.OutTTY {
		return FormatSize(n)
	}
	return strconv.FormatInt(n, 10)
}

// clean applies Plain to the cells of a row.
func clean(row []string) []string {
	cells := make([]string, len(row))
	for i, c := range row {
		cells[i] = Plain(c)
	}
	return cells
}

// Colors by purpose.
const (
	Dim  = "\x1b[2m"
	bold = "\x1b[1m"
	Good = "\x1b[32m"
	Warn = "\x1b[33m"
	Bad  = "\x1b[31m"
)

// Paint colors s if the terminal supports colors.
func (t *Terminal) Paint(colour, s string) string {
	if !t.colour || s == "" {
		return s
	}
	return colour + s + "\x1b[0m"
}

// When formats a time: for people on a terminal, otherwise for programs. It
// returns "" for the zero time.
func (t *Terminal) When(at time.Time) string {
	if at.IsZero() || !t.OutTTY {
		return Stamp(at)
	}
	return Moment(at)
}

// Moment formats a time for people.
func Moment(at time.Time) string { return at.UTC().Format("2 Jan 2006, 15:04 UTC") }

// Plain makes untrusted text safe to print. It removes control and
// direction-changing characters, except those in keep, and returns one line of
// valid UTF-8.
func Plain(s string, keep ...rune) string {
	return strings.Map(func(r rune) rune {
		for _, k := range keep {
			if r == k {
				return r
			}
		}
		switch {
		case r == '\n', r == '\t', r == '\u2028', r == '\u2029':
			return ' '
		case Unsafe(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

// Unsafe reports whether a terminal may interpret a character instead of
// showing it: control and format characters, except the two that join letters
// and emoji.
func Unsafe(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) ||
		unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d'
}

// escapeUnsafe escapes the unsafe characters of JSON text. They occur only in
// strings.
func escapeUnsafe(s string) string {
	if strings.IndexFunc(strings.TrimSuffix(s, "\n"), Unsafe) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n' || !Unsafe(r):
			b.WriteRune(r)
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// Pad appends spaces to s up to a width in columns.
func Pad(s string, width int) string {
	return s + strings.Repeat(" ", max(width-uniseg.StringWidth(s), 0))
}

// PadLeft prepends spaces to s up to a width in columns.
func PadLeft(s string, width int) string {
	return strings.Repeat(" ", max(width-uniseg.StringWidth(s), 0)) + s
}

// Truncate shortens s to a width in columns, at a character boundary.
func Truncate(s string, width int) string {
	if uniseg.StringWidth(s) <= width {
		return s
	}
	var b strings.Builder
	left, state, cluster := max(width, 1)-1, -1, ""
	for len(s) > 0 {
		var w int
		cluster, s, w, state = uniseg.FirstGraphemeClusterInString(s, state)
		if left -= w; left < 0 {
			break
		}
		b.WriteString(cluster)
	}
	return b.String() + "…"
}

// truncateMiddle shortens s to a width in columns by leaving out its middle.
func truncateMiddle(s string, width int) string {
	if uniseg.StringWidth(s) <= width {
		return s
	}
	head := Truncate(s, width/2+1)
	left, end := width-uniseg.StringWidth(head), len(s)
	for rest, state := s, -1; len(rest) > 0; {
		if uniseg.StringWidth(rest) <= left {
			end = len(s) - len(rest)
			break
		}
		_, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
	}
	return head + s[end:]
}

// Confirmed asks for confirmation unless yes is set. It returns ErrDeclined if
// the answer is not yes, and without a terminal a UsageError.
func (t *Terminal) Confirmed(yes bool, question string, args ...any) (bool, error) {
	if yes {
		return true, nil
	}
	if !t.InTTY || !t.ErrTTY {
		return false, Unconfirmed("this needs confirmation")
	}
	if t.Agreed(bufio.NewReader(t.In), question, args...) {
		return true, nil
	}
	return false, ErrDeclined
}

// Agreed asks a question on the terminal and reports whether the answer, the
// next line of in, is yes.
func (t *Terminal) Agreed(in *bufio.Reader, question string, args ...any) bool {
	fmt.Fprintf(t.Err, question+" [y/N] ", args...)
	answer, err := in.ReadString('\n')
	if err != nil { // the line is not ended
		fmt.Fprintln(t.Err)
	}
	a := strings.ToLower(strings.TrimSpace(answer))
	return a == "y" || a == "yes"
}

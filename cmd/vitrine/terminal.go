package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"golang.org/x/term"
)

// terminal is where a verb speaks: what it was asked for goes to out, what is said to a person to err. Text that others wrote
// passes through plain first.
type terminal struct {
	out, err io.Writer
	in       io.Reader
	outTTY   bool // out is a terminal: layout for a person, else for a program
	errTTY   bool
	inTTY    bool
	colour   bool    // of out
	width    int     // columns of out
	asked    *target // the server of the verb, of which failures tell; nil: none
}

const defaultWidth = 80

// console is the terminal of the process.
func console() *terminal {
	t := &terminal{out: os.Stdout, err: os.Stderr, in: os.Stdin, width: defaultWidth,
		outTTY: term.IsTerminal(int(os.Stdout.Fd())), errTTY: term.IsTerminal(int(os.Stderr.Fd())), inTTY: term.IsTerminal(int(os.Stdin.Fd()))}
	t.colour = t.outTTY && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	if w, _, err := term.GetSize(int(os.Stdout.Fd())); t.outTTY && err == nil && w > 0 {
		t.width = w
	}
	return t
}

// say tells a person something, as a line of its own.
func (t *terminal) say(format string, args ...any) { fmt.Fprintf(t.err, format+"\n", args...) }

// json writes v as one line for a program. Characters that a terminal could take for a command are escaped, all the same.
func (t *terminal) json(v any) error {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(t.out, escapeUnsafe(b.String()))
	return err
}

// table writes rows: with a header and aligned on a terminal, else tab-separated.
func (t *terminal) table(header []string, rows [][]string) error {
	var b strings.Builder
	if !t.outTTY {
		for _, r := range rows {
			b.WriteString(plain(strings.Join(clean(r), "\t"), '\t') + "\n")
		}
		_, err := io.WriteString(t.out, b.String())
		return err
	}
	all := append([][]string{header}, rows...)
	width := make([]int, len(header))
	for i, r := range all {
		all[i] = clean(r)
		for j, cell := range all[i] {
			width[j] = max(width[j], uniseg.StringWidth(cell))
		}
	}
	for i, r := range all {
		var line strings.Builder
		for j, cell := range r {
			if j == len(r)-1 {
				line.WriteString(cell)
				break
			}
			line.WriteString(pad(cell, width[j]) + "  ")
		}
		s := strings.TrimRight(line.String(), " ")
		if i == 0 {
			s = t.paint(dim, s)
		}
		b.WriteString(s + "\n")
	}
	_, err := io.WriteString(t.out, b.String())
	return err
}

// size is a number of bytes: rounded for a person, exact for a program.
func (t *terminal) size(n int64) string {
	if t.outTTY {
		return formatSize(n)
	}
	return strconv.FormatInt(n, 10)
}

// clean is plain over a row.
func clean(row []string) []string {
	cells := make([]string, len(row))
	for i, c := range row {
		cells[i] = plain(c)
	}
	return cells
}

// The colours, by what they are for.
const (
	dim  = "\x1b[2m"
	bold = "\x1b[1m"
	good = "\x1b[32m"
	warn = "\x1b[33m"
	bad  = "\x1b[31m"
)

// paint colours s where the terminal shows colours.
func (t *terminal) paint(colour, s string) string {
	if !t.colour || s == "" {
		return s
	}
	return colour + s + "\x1b[0m"
}

// plain makes text that others wrote safe to print: without control characters and those that change the direction of text,
// on one line, in valid UTF-8. Control characters in keep stay.
func plain(s string, keep ...rune) string {
	return strings.Map(func(r rune) rune {
		for _, k := range keep {
			if r == k {
				return r
			}
		}
		switch {
		case r == '\n', r == '\t', r == '\u2028', r == '\u2029':
			return ' '
		case unsafe(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

// unsafe tells characters that a terminal obeys instead of showing, or that move those around them: control and format
// characters, but not the two that join letters and emoji.
func unsafe(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) ||
		unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d'
}

// escapeUnsafe writes the unsafe characters of JSON text, which stand in its strings alone, as escapes.
func escapeUnsafe(s string) string {
	if strings.IndexFunc(strings.TrimSuffix(s, "\n"), unsafe) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n' || !unsafe(r):
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

// pad fills s with spaces to a width in columns.
func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(width-uniseg.StringWidth(s), 0))
}

// padLeft is pad with the spaces before.
func padLeft(s string, width int) string {
	return strings.Repeat(" ", max(width-uniseg.StringWidth(s), 0)) + s
}

// truncate cuts s to a width in columns, between characters as people see them.
func truncate(s string, width int) string {
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

// shellWord quotes s for a POSIX shell where that is needed.
func shellWord(s string) string {
	const safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@%+=,"
	if s != "" && strings.Trim(s, safe) == "" && utf8.ValidString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

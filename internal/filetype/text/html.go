package text

import (
	"bytes"

	"vitrine/internal/filetype"
)

// overlap is how much of a chunk is examined again with the next one, to find
// what crosses the border.
const overlap = 256

// InspectHTML accepts any text: fragments, templates and pages without tags are
// shown in a sandbox anyway. It holds a page that asks for a password
// (security, Files are checked by their bytes), whether the field is
// in the markup, behind character references, or created by a script. A form
// element is not required, because phishing works without one. It also holds a
// page that asks for a payment card, redirects its visitor, or contains an
// encoded file.
//
// It cannot see what a script computes: a page that builds its form from
// encrypted or loaded data passes.
func InspectHTML(s *filetype.Source, t filetype.Type, facts *filetype.Facts) *filetype.Problem {
	w := MarkupWatch{Work: s.Work}
	s.Work.Scanned -= filetype.Allowance(min(s.Size,
		filetype.MaxTextScan)) // searching a page takes longer than reading other text
	if p := checkText(s, t, w.Feed); p != nil {
		return p
	}
	w.packed.end()
	switch {
	case w.application:
		return filetype.UnsafeFile(filetype.ReasonHTMLApplication,
			"The file is an HTML application. Programs and scripts are not accepted.")
	case w.program && (w.saves || w.decodes):
		return filetype.UnsafeFile(filetype.ReasonEmbeddedProgram,
			"The page carries an encoded program and the means to save it. Remove it and upload the page again.")
	case w.Password:
		facts.HoldFor(filetype.HoldPasswordForm)
	case w.Card:
		facts.HoldFor(filetype.HoldCardForm)
	case w.program, w.archive && w.saves, w.packed.suspicious:
		facts.HoldFor(filetype.HoldSmuggledFile)
	case w.redirect != "":
		facts.HoldAbout(filetype.HoldRedirect, w.redirect)
	}
	return nil
}

// MarkupWatch searches a page chunk by chunk.
type MarkupWatch struct {
	window      []byte
	application bool
	Password    bool
	Card        bool
	redirect    string
	program     bool // an encoded program, or a shortcut to one
	archive     bool // an encoded archive or disk image
	packed      packedWatch
	saves       bool // a script offers its own data as a file
	decodes     bool // a script decodes data
	Work        *filetype.Account
}

// Feed looks at the next bytes of the file.
func (w *MarkupWatch) Feed(chunk []byte) {
	w.packed.feed(chunk)
	keep := w.window[max(0, len(w.window)-overlap):]
	w.window = append(append(w.window[:0], keep...), chunk...)
	w.encoded(w.window)
	text := Lower(bytes.Clone(w.window))
	w.look(text)
	for _, other := range decoded(text) {
		w.look(Lower(other))
	}
}

func (w *MarkupWatch) look(text []byte) {
	w.application = w.application || bytes.Contains(text, []byte("<hta:application"))
	w.Password = w.Password || passwordField(text) || ContainsAny(text, obfuscations) && w.match(text) &&
		disguisedField().Match(text)
	w.Card = w.Card || bytes.Contains(text, []byte("cc-")) && bytes.Contains(text, []byte("autocomplete")) &&
		w.match(text) && cardField().Match(text)
	w.saves = w.saves || ContainsAny(text, saving)
	w.decodes = w.decodes || ContainsAny(text, decoding)
	if w.redirect == "" && bytes.Contains(text, []byte("refresh")) {
		w.redirect = w.redirection(text)
	}
}

// match counts text to be matched with a regular expression and reports whether
// it may be.
func (w *MarkupWatch) match(text []byte) bool {
	w.Work.Matched -= filetype.Allowance(len(text))
	return w.Work.Matched > 0
}

// obfuscations are the first words of disguisedField.
var obfuscations = [][]byte{[]byte("text-security"), []byte("textsecurity")}

var (
	// cardField matches what makes a browser fill in the number of a payment
	// card.
	cardField = pattern("autocomplete(\\s*=\\s*\\\\?[\"'`]?|[\"'`\\]]+\\s*[,:=]\\s*[\"'`])(section-\\w+\\s+)?((billing|shipping)\\s+)?cc-(number|csc)\\b")
	// disguisedField hides what is typed without being a password field.
	disguisedField = pattern(`text-?security["'\s\],:=\\]{1,6}(disc|circle|square)`)
	refreshTo      = pattern(`content\s*=\s*["']?\s*[0-9.]*\s*[;,]?\s*(?:url\s*=\s*)?["']?\s*((?:https?:)?//[^"'\s>]+|data:[^"'\s>]+)`)

	saving = [][]byte{[]byte("mssaveblob"), []byte("mssaveoropenblob"), []byte("createobjecturl"),
		[]byte(".download"), []byte(" download="), []byte(`"download"`), []byte("'download'")}
	decoding = [][]byte{[]byte("atob("), []byte("fromcharcode"), []byte("uint8array"), []byte("new blob")}
)

// ContainsAny reports whether a text has one of some words.
func ContainsAny(text []byte, words [][]byte) bool {
	for _, w := range words {
		if bytes.Contains(text, w) {
			return true
		}
	}
	return false
}

// redirection returns the other site to which a page redirects without a
// script, or "". Redirections by scripts cannot be found.
func (w *MarkupWatch) redirection(text []byte) string {
	for i := 0; ; i++ {
		at := bytes.Index(text[i:], []byte("refresh"))
		if at < 0 {
			return ""
		}
		i += at
		start := bytes.LastIndexByte(text[max(0, i-overlap):i], '<')
		if start < 0 {
			continue
		}
		tag := text[max(0, i-overlap)+start : min(len(text), i+overlap)]
		if end := bytes.IndexByte(tag, '>'); end >= 0 {
			tag = tag[:end]
		}
		if !bytes.HasPrefix(tag, []byte("<meta")) || !bytes.Contains(tag, []byte("content")) ||
			!bytes.Contains(tag, []byte("//")) && !bytes.Contains(tag, []byte("data:")) {
			continue
		}
		if !w.match(tag) {
			return ""
		}
		if to := refreshTo().FindSubmatch(tag); to != nil {
			return string(to[1])
		}
	}
}

var password = []byte("password")

// passwordField finds type=password in markup and what sets it in scripts:
// type="password", .type = 'password', "type", "password".
func passwordField(text []byte) bool {
	for i := 0; ; i += len(password) {
		at := bytes.Index(text[i:], password)
		if at < 0 {
			return false
		}
		i += at
		if typeBefore(text[max(0, i-40):i]) {
			return true
		}
	}
}

// typeBefore reports whether text ends with "type" and an equals sign, colon or
// comma, quoted and spaced in any way.
func typeBefore(text []byte) bool {
	const blank = " \t\r\n\f\"'`\\]"
	text = bytes.TrimRight(text, blank)
	if len(text) == 0 || bytes.IndexByte([]byte("=:,"), text[len(text)-1]) < 0 {
		return false
	}
	return bytes.HasSuffix(bytes.TrimRight(text[:len(text)-1], blank), []byte("type"))
}

// Lower folds ASCII letters in place.
func Lower(p []byte) []byte {
	for i, c := range p {
		if 'A' <= c && c <= 'Z' {
			p[i] = c + 'a' - 'A'
		}
	}
	return p
}

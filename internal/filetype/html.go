package filetype

import (
	"bytes"
	"html"
)

// overlap is how much of a chunk is seen again with the next, so that what lies across the border is found.
const overlap = 256

// inspectHTML takes any text: fragments, templates and pages without a single tag are shown in a sandbox all the same. A page that
// asks for a password is held (security: "HTML with password fields held for review"), whether the field stands in the markup,
// behind character references, or in a script that makes it. A form element is not needed for that; phishing does without.
func inspectHTML(s *source, t Type, facts *Facts) *Problem {
	var w markupWatch
	if p := checkText(s, t, w.see); p != nil {
		return p
	}
	if w.application {
		return unsafeFile("The file is an HTML application. Executables and scripts are not accepted under any name.")
	}
	if w.password {
		facts.hold(HoldPasswordForm)
	}
	return nil
}

// markupWatch looks through a page chunk by chunk.
type markupWatch struct {
	window      []byte
	password    bool
	application bool
}

func (w *markupWatch) see(chunk []byte) {
	keep := w.window[max(0, len(w.window)-overlap):]
	w.window = append(append(w.window[:0], keep...), chunk...)
	lower(w.window[len(keep):])
	w.look(w.window)
	if bytes.Contains(w.window, []byte("&#")) {
		w.look(lower([]byte(html.UnescapeString(string(w.window)))))
	}
}

func (w *markupWatch) look(text []byte) {
	w.application = w.application || bytes.Contains(text, []byte("<hta:application"))
	w.password = w.password || passwordField(text)
}

var password = []byte("password")

// passwordField finds type=password in markup and what sets it in scripts: type="password", .type = 'password', "type", "password".
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

// typeBefore tells whether text ends with "type" and an equals sign, colon or comma, quoted and spaced in any way.
func typeBefore(text []byte) bool {
	const blank = " \t\r\n\f\"'`\\]"
	text = bytes.TrimRight(text, blank)
	if len(text) == 0 || bytes.IndexByte([]byte("=:,"), text[len(text)-1]) < 0 {
		return false
	}
	return bytes.HasSuffix(bytes.TrimRight(text[:len(text)-1], blank), []byte("type"))
}

// lower folds ASCII letters in place.
func lower(p []byte) []byte {
	for i, c := range p {
		if 'A' <= c && c <= 'Z' {
			p[i] = c + 'a' - 'A'
		}
	}
	return p
}

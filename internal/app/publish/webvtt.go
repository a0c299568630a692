package publish

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"vitrine"
	"vitrine/internal/filetype/text"
)

// Errors in captions.
var (
	errNotText   = errors.New("the captions are not text")
	errNoForm    = errors.New("this is neither WebVTT, which begins with the word WEBVTT, nor SubRip (.srt)")
	errNoCue     = errors.New("there is no cue with a time such as 00:01.000 --> 00:04.000 in the captions")
	errConverted = errors.New("the captions are larger than 1 MiB as WebVTT")
)

const vttSignature = "WEBVTT"

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// ParseCaptions checks WebVTT and returns it as UTF-8 without a byte order
// mark, or makes WebVTT of SubRip. It has one cue at least whose time makes
// sense; others a player passes over.
func ParseCaptions(file []byte) ([]byte, error) {
	captions := []byte(text.Decode(file, false))
	if bytes.IndexByte(captions, 0) >= 0 {
		return nil, errNotText
	}
	lines := strings.Split(lineEnds.Replace(string(captions)), "\n")
	if head, ok := strings.CutPrefix(lines[0], vttSignature); ok && (head == "" || head[0] == ' ' || head[0] == '\t') {
		for _, line := range lines[1:] {
			if c, ok := parseTiming(vttTiming, line); ok && c.start < c.end {
				return captions, nil
			}
		}
		return nil, errNoCue
	}
	return fromSubRip(lines)
}

// The line of a cue with its times: in WebVTT (its specification, cue timings)
// and as SubRip files have it in practice.
var (
	vttTiming    = regexp.MustCompile(`^(?:(\d{2,6}):)?([0-5]\d):([0-5]\d)\.(\d{3})[ \t]*-->[ \t]*(?:(\d{2,6}):)?([0-5]\d):([0-5]\d)\.(\d{3})(?:[ \t].*)?$`)
	subRipTiming = regexp.MustCompile(`^\s*(?:(\d{1,6}):)?([0-5]?\d):([0-5]?\d)[,.](\d{1,3})\s*-->\s*(?:(\d{1,6}):)?([0-5]?\d):([0-5]?\d)[,.](\d{1,3})(?:\s.*)?$`)
)

// timing is when a cue is shown, in milliseconds.
type timing struct{ start, end int64 }

// maxTimingLine is the maximum length of a timing line in bytes. Times and cue
// settings are shorter.
const maxTimingLine = 500

func parseTiming(form *regexp.Regexp, line string) (timing, bool) {
	if len(line) > maxTimingLine || !strings.Contains(line, "-->") {
		return timing{}, false
	}
	m := form.FindStringSubmatch(line)
	if m == nil {
		return timing{}, false
	}
	return timing{milliseconds(m[1:5]), milliseconds(m[5:9])}, true
}

// milliseconds adds hours (which may be missing), minutes, seconds and
// thousandths.
func milliseconds(part []string) int64 {
	var sum int64
	for i, unit := range []int64{3_600_000, 60_000, 1000, 1} {
		n, _ := strconv.ParseInt(part[i], 10, 64) // a few digits, or 0 if none
		sum += n * unit
	}
	return sum
}

func (t timing) String() string { return stamp(t.start) + " --> " + stamp(t.end) }

// stamp returns a time as WebVTT writes it.
func stamp(ms int64) string {
	return fmt.Sprintf("%02d:%02d:%02d.%03d", ms/3_600_000, ms/60_000%60, ms/1000%60, ms%1000)
}

// subRipStyle is what players of SubRip take for a command, as {\an8}, and
// those of WebVTT for text.
var subRipStyle = regexp.MustCompile(`\{\\[^{}]*\}`)

// fromSubRip makes WebVTT of SubRip: cues of a number, a time and lines of
// text, with an empty line after each. Cues whose time makes no sense are left
// out.
func fromSubRip(lines []string) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(vttSignature + "\n")
	times, cues := 0, 0
	for i := 0; i < len(lines); i++ {
		t, ok := parseTiming(subRipTiming, lines[i])
		if !ok {
			continue
		}
		times++
		var text []string
		for i+1 < len(lines) && strings.TrimSpace(lines[i+1]) != "" {
			if _, next := parseTiming(subRipTiming, lines[i+1]); next { // without the empty line between
				if n := len(text) - 1; n >= 0 && strings.Trim(text[n], "0123456789") == "" {
					text = text[:n]
				}
				break
			}
			i++
			text = append(text, cueLine(lines[i]))
		}
		if t.start < t.end && len(text) > 0 {
			cues++
			fmt.Fprintf(&b, "\n%s\n%s\n", t, strings.Join(text, "\n"))
		}
	}
	switch {
	case times == 0:
		return nil, errNoForm
	case cues == 0:
		return nil, errNoCue
	case b.Len() > vitrine.MaxCaptions:
		return nil, errConverted
	}
	return b.Bytes(), nil
}

// cueLine returns a line of text that WebVTT does not take for a time. A line
// that is empty without its commands would end the cue.
func cueLine(line string) string {
	line = strings.TrimSpace(subRipStyle.ReplaceAllString(line, ""))
	if line == "" {
		return "\u00a0"
	}
	return strings.ReplaceAll(line, "-->", "→")
}

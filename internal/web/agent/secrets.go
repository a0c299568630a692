package agent

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"sync"
)

// pattern is how a kind of secret is written: it begins with one of the
// literals, which are found much faster than an expression.
type pattern struct {
	name     string
	literals []string
	text     *regexp.Regexp
}

// patterns are forms that hardly anything else has.
var patterns = sync.OnceValue(func() []pattern {
	form := func(name, text string, literals ...string) pattern {
		return pattern{name, literals, regexp.MustCompile(`^(?:` + text + `)`)}
	}
	return []pattern{
		form("a private key", `-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----`, "-----BEGIN "),
		form("a Vitrine API key", `vtr_[0-9A-Za-z]{38}\b`, "vtr_"),
		form("an AWS access key", `(?:AKIA|ASIA)[0-9A-Z]{16}\b`, "AKIA", "ASIA"),
		form("a GitHub token", `gh[pousr]_[0-9A-Za-z]{36,}\b|github_pat_[0-9A-Za-z_]{60,}\b`,
			"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
		form("a GitLab token", `glpat-[0-9A-Za-z_-]{20,}`, "glpat-"),
		form("an Anthropic API key", `sk-ant-[0-9A-Za-z_-]{20,}`, "sk-ant-"),
		form("an OpenAI API key", `sk-(?:proj-|svcacct-)[0-9A-Za-z_-]{20,}|sk-[0-9A-Za-z]{40,}\b`, "sk-"),
		form("a Google API key", `AIza[0-9A-Za-z_-]{35}`, "AIza"),
		form("a Slack token", `xox[abeoprs]-[0-9A-Za-z-]{10,}`, "xox"),
		form("a Stripe secret key", `[sr]k_live_[0-9A-Za-z]{16,}\b`, "sk_live_", "rk_live_"),
		form("an npm token", `npm_[0-9A-Za-z]{36}\b`, "npm_"),
		form("a SendGrid key", `SG\.[0-9A-Za-z_-]{16,}\.[0-9A-Za-z_-]{16,}`, "SG."),
		form("a Hugging Face token", `hf_[0-9A-Za-z]{30,}\b`, "hf_"),
	}
})

const (
	maxFound = 5 // findings in one text
	maxForm  = 1 << 10
	window   = 256 << 10
)

// Secret is a part of a text that looks like a secret. It does not contain it.
type Secret struct {
	Line int
	Name string // with an article
}

func (f Secret) String() string { return fmt.Sprintf("Line %d looks like %s.", f.Line, f.Name) }

// FindSecrets reads a text to its end, or until there are enough findings. A
// file that is not a text has none.
func FindSecrets(text io.Reader) ([]Secret, error) {
	buf := make([]byte, 0, window)
	s := scan{line: 1}
	for first := true; ; first = false {
		n, err := io.ReadFull(text, buf[len(buf):window])
		ends := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !ends {
			return nil, err
		}
		added := buf[len(buf) : len(buf)+n]
		if first {
			s.wide = bytes.HasPrefix(added, []byte("\xff\xfe")) || bytes.HasPrefix(added, []byte("\xfe\xff"))
			if !s.wide && bytes.IndexByte(added, 0) >= 0 {
				return nil, nil
			}
		}
		if s.wide { // UTF-16: what is left of ASCII is ASCII
			added = withoutNUL(added)
		}
		buf = buf[:len(buf)+len(added)]
		until := len(buf)
		if !ends {
			until = max(len(buf)-maxForm, 0) // the rest comes again
		}
		if s.window(buf, until); ends || len(s.found) == maxFound {
			return s.found, nil
		}
		if until > 0 {
			s.before = buf[until-1]
		}
		buf = buf[:copy(buf, buf[until:])]
	}
}

// withoutNUL removes NULs in place.
func withoutNUL(b []byte) []byte {
	kept := b[:0]
	for _, c := range b {
		if c != 0 {
			kept = append(kept, c)
		}
	}
	return kept
}

// scan is the state of a search.
type scan struct {
	found  []Secret
	line   int  // of the next window
	before byte // the byte before the next window
	wide   bool
}

// window finds what begins before until.
func (s *scan) window(text []byte, until int) {
	for _, p := range patterns() {
		for _, literal := range p.literals {
			for at := 0; len(s.found) < maxFound; {
				i := bytes.Index(text[at:], []byte(literal))
				if at += i; i < 0 || at >= until {
					break
				}
				before := s.before
				if at > 0 {
					before = text[at-1]
				}
				rest := text[at:min(at+maxForm, len(text))]
				if !(literal[0] != '-' && inWord(before)) && p.text.Match(rest) {
					s.found = append(s.found, Secret{s.line + bytes.Count(text[:at], []byte("\n")), p.name})
				}
				at += len(literal)
			}
		}
	}
	s.line += bytes.Count(text[:until], []byte("\n"))
}

func inWord(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z'
}

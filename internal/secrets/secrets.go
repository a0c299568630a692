// Package secrets finds what looks like a key or a password in a text that is
// about to be published.
package secrets

import (
	"bytes"
	"fmt"
	"regexp"
	"sync"
)

// pattern is how a kind of secret is written.
type pattern struct {
	name string
	text *regexp.Regexp
}

// patterns are forms that hardly anything else has. A text that matches one is
// worth a warning, and never a refusal.
var patterns = sync.OnceValue(func() []pattern {
	return []pattern{
		{"a private key", regexp.MustCompile(`-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----`)},
		{"a Vitrine API key", regexp.MustCompile(`\bvtr_[0-9A-Za-z]{38}\b`)},
		{"an AWS access key", regexp.MustCompile(`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`)},
		{"a GitHub token", regexp.MustCompile(`\b(?:gh[pousr]_[0-9A-Za-z]{36,}|github_pat_[0-9A-Za-z_]{60,})\b`)},
		{"a GitLab token", regexp.MustCompile(`\bglpat-[0-9A-Za-z_-]{20,}`)},
		{"an Anthropic API key", regexp.MustCompile(`\bsk-ant-[0-9A-Za-z_-]{20,}`)},
		{"an OpenAI API key", regexp.MustCompile(`\bsk-(?:proj-|svcacct-)[0-9A-Za-z_-]{20,}|\bsk-[0-9A-Za-z]{40,}\b`)},
		{"a Google API key", regexp.MustCompile(`\bAIza[0-9A-Za-z_-]{35}`)},
		{"a Slack token", regexp.MustCompile(`\bxox[abeoprs]-[0-9A-Za-z-]{10,}`)},
		{"a Stripe secret key", regexp.MustCompile(`\b[sr]k_live_[0-9A-Za-z]{16,}\b`)},
		{"an npm token", regexp.MustCompile(`\bnpm_[0-9A-Za-z]{36}\b`)},
		{"a SendGrid key", regexp.MustCompile(`\bSG\.[0-9A-Za-z_-]{16,}\.[0-9A-Za-z_-]{16,}`)},
		{"a Hugging Face token", regexp.MustCompile(`\bhf_[0-9A-Za-z]{30,}\b`)},
	}
})

// maxWarnings bounds the warnings about one text.
const maxWarnings = 5

// Warnings returns sentences about text that looks like a secret, with line
// numbers. They never contain the secret.
func Warnings(text []byte) (list []string) {
	for _, p := range patterns() {
		for _, at := range p.text.FindAllIndex(text, -1) {
			if len(list) == maxWarnings {
				return list
			}
			line := 1 + bytes.Count(text[:at[0]], []byte("\n"))
			list = append(list, fmt.Sprintf("Line %d looks like %s. The page is public: if it is a real one, revoke it now, and replace or delete the link.", line, p.name))
		}
	}
	return list
}

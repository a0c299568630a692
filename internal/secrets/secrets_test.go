package secrets

import (
	"strings"
	"testing"
)

func TestWarnings(t *testing.T) {
	r := strings.Repeat
	for text, name := range map[string]string{
		"x\n-----BEGIN RSA " + "PRIVATE KEY-----": "a private key",
		"a\n-----BEGIN PRIVATE " + "KEY-----":     "a private key",
		"k\nvtr_" + r("a", 38):                    "a Vitrine", "k\nAKIA" + r("A", 16): "an AWS",
		"k\nghp_" + r("a", 36):    "a GitHub",
		"k\nglpat-" + r("a", 20):  "a GitLab",
		"k\nsk-ant-" + r("a", 30): "an Anthropic", "k\nsk-proj-" + r("a", 30): "an OpenAI",
		"k\nAIza" + r("a", 35): "a Google", "k\nxoxb-" + r("1", 12): "a Slack",
		"k\nsk_live_" + r("a", 24): "a Stripe", "k\nnpm_" + r("a", 36): "an npm",
		"k\nSG." + r("a", 22) + "." + r("b", 43): "a SendGrid", "k\nhf_" + r("a", 34): "a Hugging Face",
	} {
		got := Warnings([]byte(text))
		if len(got) != 1 || !strings.Contains(got[0], "Line 2 looks like "+name) ||
			strings.Contains(got[0], r("a", 10)) {
			t.Errorf("Warnings(%.20q) = %q", text, got)
		}
	}
	for _, text := range []string{"", "risk-taking and ask-me", "AKIA", "-----BEGIN PUBLIC KEY-----",
		"-----BEGIN CERTIFICATE-----", "vtr_…abcd", "npm_install", "https://example.org/sk-ant-"} {
		if got := Warnings([]byte(text)); len(got) != 0 {
			t.Errorf("Warnings(%q) = %q, want none", text, got)
		}
	}
	if n := len(Warnings([]byte(r("ghp_"+r("a", 36)+"\n", 100)))); n != maxWarnings {
		t.Errorf("%d warnings, want the maximum", n)
	}
}

package agent

import (
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"
)

func find(t *testing.T, text string) (list []string) {
	t.Helper()
	found, err := FindSecrets(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		list = append(list, f.String())
	}
	return list
}

// keys are one secret of each form, by what it is called.
func keys() map[string]string {
	r := strings.Repeat
	return map[string]string{
		"-----BEGIN RSA " + "PRIVATE KEY-----": "a private key",
		"-----BEGIN PRIVATE " + "KEY-----":     "a private key",
		"vtr_" + r("a", 38):                    "a Vitrine", "AKIA" + r("A", 16): "an AWS",
		"ghp_" + r("a", 36):    "a GitHub",
		"glpat-" + r("a", 20):  "a GitLab",
		"sk-ant-" + r("a", 30): "an Anthropic", "sk-proj-" + r("a", 30): "an OpenAI",
		"AIza" + r("a", 35): "a Google", "xoxb-" + r("1", 12): "a Slack",
		"sk_live_" + r("a", 24): "a Stripe", "npm_" + r("a", 36): "an npm",
		"SG." + r("a", 22) + "." + r("b", 43): "a SendGrid", "hf_" + r("a", 34): "a Hugging Face",
	}
}

func TestFind(t *testing.T) {
	r := strings.Repeat
	for key, name := range keys() {
		for _, text := range []string{"k\n" + key, "\nx=" + key + "\n", "k\n(" + key + ")",
			"\xff\xfe" + wide("k\n"+key)} {
			got := find(t, text)
			if len(got) != 1 || !strings.Contains(got[0], "Line 2 looks like "+name) ||
				strings.Contains(got[0], r("a", 10)) {
				t.Errorf("Find(%.20q) = %q", text, got)
			}
		}
	}
	for _, text := range []string{"", "risk-taking and ask-me", "AKIA", "-----BEGIN PUBLIC KEY-----",
		"-----BEGIN CERTIFICATE-----", "vtr_…abcd", "npm_install", "https://example.org/sk-ant-",
		"x" + "ghp_" + r("a", 36), "%PDF-1.7\x00ghp_" + r("a", 36)} {
		if got := find(t, text); len(got) != 0 {
			t.Errorf("Find(%q) = %q, want none", text, got)
		}
	}
	if n := len(find(t, r("ghp_"+r("a", 36)+"\n", 100))); n != maxFound {
		t.Errorf("%d findings, want the maximum", n)
	}
}

// wide returns an ASCII text as UTF-16, without a mark.
func wide(text string) string {
	var b strings.Builder
	for _, c := range utf16.Encode([]rune(text)) {
		b.WriteByte(byte(c))
		b.WriteByte(byte(c >> 8))
	}
	return b.String()
}

// TestFindAnywhere moves a secret over the edges of the windows that a long
// file is read in.
func TestFindAnywhere(t *testing.T) {
	key := "ghp_" + strings.Repeat("a", 36)
	for at := window - 2*maxForm; at < window+maxForm; at += 13 {
		text := strings.Repeat("line of text\n", at/13) + key + strings.Repeat("\nafter", 100_000)
		found, err := FindSecrets(iotest.HalfReader(strings.NewReader(text)))
		if err != nil || len(found) != 1 || found[0].Line != at/13+1 {
			t.Fatalf("a secret at %d: %v, %v, want one in line %d", at, found, err, at/13+1)
		}
	}
}

package visitor

import (
	"os"
	"strings"
	"testing"

	"vitrine/report"
)

// peopleAmongCrawlers are the user agents of people in the public lists with
// which the rules are compared (tools/lists), from the half that is studied.
var peopleAmongCrawlers = []string{"Instagram 406.", "MetaIAB ", "Code/1.", "Trae/1."}

// TestCrawlers checks that few of the user agents of programs in public lists
// are missed, both in the studied half and in the half that was held out.
func TestCrawlers(t *testing.T) {
	b, err := os.ReadFile("testdata/crawlers.tsv")
	if err != nil {
		t.Fatal(err)
	}
	all, missed := map[string]int{}, map[string]int{}
	for line := range strings.Lines(string(b)) {
		half, userAgent, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		all[half]++
		a := parseAgent(userAgent)
		if a.bot != "" && a.product != "" && !isProduct(strings.ReplaceAll(a.product, " ", "")) {
			t.Errorf("product of %q = %q", userAgent, a.product)
		}
		if a.bot == "" && !holdsAny(userAgent, peopleAmongCrawlers) {
			missed[half]++
			if half == "studied" {
				t.Logf("missed: %s", userAgent)
			}
		}
	}
	for half, n := range all {
		t.Logf("%s: %d of %d missed", half, missed[half], n)
		if n < 600 || missed[half]*100 > n {
			t.Errorf("%s: %d of %d missed, want at most 1 %%", half, missed[half], n)
		}
	}
}

func holdsAny(s string, parts []string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

func TestProducts(t *testing.T) {
	for userAgent, want := range map[string][2]string{
		"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)":                    {report.BotAITraining, "GPTBot"},
		"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot":                 {report.BotAIAssistant, "ChatGPT-User"},
		"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; OAI-SearchBot/1.0; +https://openai.com/searchbot":          {report.BotAISearch, "OAI-SearchBot"},
		"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Claude-User/1.0; +Claude-User@anthropic.com)":               {report.BotAIAssistant, "Claude-User"},
		"Mozilla/5.0 (compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)":                                                    {report.BotMonitor, "UptimeRobot"},
		"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)":                                                  {report.BotCrawler, "Googlebot"},
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36 SafeLinks": {report.BotMailScanner, "SafeLinks"},
		"curl/8.5.0": {report.BotClientLibrary, "curl"},
		"Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)":                                                                {report.BotLinkPreview, "Slackbot-LinkExpanding"},
		"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/126.0.0.0 Safari/537.36":             {report.BotHeadless, "HeadlessChrome"},
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36":           {"", ""},
		"Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/604.1": {"", ""},
		"": {report.BotShortUserAgent, ""},
	} {
		if a := parseAgent(userAgent); a.bot != want[0] || a.product != want[1] {
			t.Errorf("%s: bot %q, product %q, want %q", userAgent, a.bot, a.product, want)
		}
	}
}

// TestFrequentBrowsers checks that none of 500 user agents of people counts as
// a program's.
func TestFrequentBrowsers(t *testing.T) {
	n := 0
	for _, name := range []string{"testdata/people_top.txt", "testdata/people.tsv"} {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(b)) {
			if line = strings.TrimSuffix(line, "\n"); line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			userAgent := line[strings.LastIndexByte(line, '\t')+1:]
			n++
			if a := parseAgent(userAgent); a.bot != "" || a.product != "" {
				t.Errorf("bot %s, product %q: %s", a.bot, a.product, userAgent)
			}
		}
	}
	if n < 500 {
		t.Errorf("%d user agents, want at least 500", n)
	}
	t.Logf("%d user agents of people", n)
}

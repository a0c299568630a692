package visitor

import (
	"os"
	"strings"
	"testing"

	"vitrine/report"
)

// TestReasonOfSameRules checks that unchanged rules change no stored view, of
// any program.
func TestReasonOfSameRules(t *testing.T) {
	n, named := 0, 0
	for _, list := range []string{"testdata/crawlers.tsv", "testdata/bots.tsv"} {
		b, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(b)) {
			line = strings.TrimSuffix(line, "\n")
			if strings.HasPrefix(line, "#") || line == "" {
				continue
			}
			userAgent := line[strings.LastIndexByte(line, '\t')+1:]
			a := parseAgent(userAgent)
			if a.bot == "" {
				continue
			}
			if n++; a.product != "" {
				named++
			}
			if got := ReasonOf(a.bot, a.product); got != a.bot {
				t.Errorf("ReasonOf(%q, %s) = %q: %s", a.bot, a.product, got, userAgent)
			}
		}
	}
	if n < 2000 || named*100 < n*95 {
		t.Errorf("%d programs, %d with a name", n, named)
	}
	t.Logf("%d programs, %d with a name", n, named)
	for _, network := range networks()[:1000] {
		if got := ReasonOf(network.reason, network.name); got != network.reason {
			t.Errorf("ReasonOf a view of the network %s = %q", network.name, got)
		}
	}
}

func TestReasonOf(t *testing.T) {
	for in, want := range map[[2]string]string{
		{report.BotCrawler, "GPTBot"}:              report.BotAITraining,
		{report.BotCrawler, "gptbot"}:              report.BotAITraining,
		{report.BotCrawler, "OAI-SearchBot"}:       report.BotAISearch,
		{report.BotCrawler, "Googlebot"}:           report.BotCrawler,
		{report.BotLinkPreview, ""}:                report.BotLinkPreview,
		{report.BotMonitor, "Nobody"}:              report.BotCrawler,
		{report.BotHeadless, "NovaAct"}:            report.BotAIAssistant,
		{report.BotAIAssistant, "Devin"}:           report.BotAIAssistant,
		{report.BotCrawler, "Slackbot"}:            report.BotLinkPreview,
		{report.BotMonitor, "Slackbot"}:            report.BotLinkPreview,
		{report.BotClientLibrary, "W3C-checklink"}: report.BotClientLibrary, // it sends the library's name, too
		{report.BotClientLibrary, "Lynx"}:          "",
		{report.BotCrawler, "CUBOT_NOTE"}:          "",
		{report.BotMailScanner, "Lynx"}:            report.BotMailScanner,
		{report.BotAutomation, "GPTBot"}:           report.BotAutomation,
		{report.BotSpeculative, "GPTBot"}:          report.BotSpeculative,
		{"own", ""}:                                "own",
		{"", "GPTBot"}:                             "",
		{report.BotMailNetwork, "Proofpoint"}:      report.BotMailNetwork,
		{report.BotMailNetwork, "Gone"}:            "",
		{report.BotMailNetwork, "GPTBot"}:          "",
		{report.BotMailNetwork, ""}:                report.BotMailNetwork,
		{report.BotDatacenter, "Amazon"}:           report.BotDatacenter,
		{report.BotDatacenter, "Proofpoint"}:       "",
		{report.BotMailNetwork, "Amazon"}:          "",
	} {
		if got := ReasonOf(in[0], in[1]); got != want {
			t.Errorf("ReasonOf%q = %q, want %q", in, got, want)
		}
	}
}

package visitor

import (
	"bufio"
	"os"
	"strings"
	"testing"

	"vitrine/report"
)

// corpus reads a table of testdata: tab-separated columns, "-" for an empty
// one, "#" before comments.
func corpus(tb testing.TB, name string, columns int) [][]string {
	tb.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	var rows [][]string
	for s := bufio.NewScanner(f); s.Scan(); {
		line := s.Text()
		if line == "" || line[0] == '#' {
			continue
		}
		row := strings.Split(line, "\t")
		if len(row) != columns {
			tb.Fatalf("%s: %d columns, want %d: %q", name, len(row), columns, line)
		}
		for i, cell := range row {
			if cell == "-" {
				row[i] = ""
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// corpusSize is the minimum number of people and of bots in the corpus.
// missedPct is the maximum percentage of bots taken for people.
const (
	corpusSize = 260
	missedPct  = 2
)

func TestPeople(t *testing.T) {
	rows := corpus(t, "people.tsv", 4)
	sized(t, "people", rows)
	for _, row := range rows {
		want := agent{device: row[0], browser: row[1], os: row[2]}
		if got := parseAgent(row[3]); got != want {
			t.Errorf("%s\n got %+v\nwant %+v", row[3], got, want)
		}
	}
}

func TestBots(t *testing.T) {
	rows := corpus(t, "bots.tsv", 2)
	sized(t, "bots", rows)
	missed := 0
	for _, row := range rows {
		switch got := parseAgent(row[1]).bot; got {
		case row[0]:
		case "":
			missed++
			t.Logf("taken for a person: %s", row[1])
		default:
			t.Errorf("bot of %s = %s, want %s", row[1], got, row[0])
		}
	}
	t.Logf("%d of %d bots taken for people", missed, len(rows))
	if missed*100 > missedPct*len(rows) {
		t.Errorf("%d of %d bots were taken for people, want at most %d %%", missed, len(rows), missedPct)
	}
}

// sized checks that a corpus is large enough and has no user agent twice,
// ignoring case.
func sized(t *testing.T, name string, rows [][]string) {
	t.Helper()
	if len(rows) < corpusSize {
		t.Errorf("the corpus has %d %s, want at least %d", len(rows), name, corpusSize)
	}
	seen := map[string]bool{}
	for _, row := range rows {
		userAgent := strings.ToLower(row[len(row)-1])
		if seen[userAgent] {
			t.Errorf("%s: %s occurs twice", name, userAgent)
		}
		seen[userAgent] = true
	}
}

func TestNobodyIsBoth(t *testing.T) {
	people := map[string]bool{}
	for _, row := range corpus(t, "people.tsv", 4) {
		people[strings.ToLower(row[3])] = true
	}
	for _, row := range corpus(t, "bots.tsv", 2) {
		if people[strings.ToLower(row[1])] {
			t.Errorf("both a person and a bot: %s", row[1])
		}
	}
}

// TestAgentCase checks that the case of letters does not matter.
func TestAgentCase(t *testing.T) {
	for _, row := range corpus(t, "people.tsv", 4) {
		if got, want := parseAgent(strings.ToUpper(row[3])), parseAgent(row[3]); got != want {
			t.Errorf("%s\n in capitals %+v\n as sent %+v", row[3], got, want)
		}
	}
}

func TestEndsName(t *testing.T) {
	for ua, want := range map[string]bool{
		"bot": true, "googlebot/2.1": true, "robots.txt": true, "a bot": true, "abots": true, "bot1": true,
		"caboto": false, "robotics": false, "botswana": false, "both": false, "": false, "bo": false,
		"bottom bot": true,
	} {
		if got := isNameEnd(ua, "bot"); got != want {
			t.Errorf("isNameEnd(%q) = %v, want %v", ua, got, want)
		}
	}
}

func TestHoldsMailAddress(t *testing.T) {
	for ua, want := range map[string]bool{
		"x (team@example.org)": true, "claudebot@anthropic.com": true, "th-th@calendar=gregorian; a@b.c": true,
		"android@101.0.4951.41": false, "th-th@calendar=gregorian": false, "digia @web/2.1": false, "37.36@-@99": false,
		"@example.org": false, "a@": false, "@": false, "": false, "a@b": false, "a@.c": false, "a@b@c.d": true,
	} {
		if got := holdsMailAddress(ua); got != want {
			t.Errorf("holdsMailAddress(%q) = %v, want %v", ua, got, want)
		}
	}
}

// TestPeopleOfEveryKind checks that in-app browsers, TV sets and devices whose
// names contain a robot's word, and old browsers, count as people.
func TestPeopleOfEveryKind(t *testing.T) {
	const (
		ios     = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 "
		mac     = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Safari/605.1.15 "
		windows = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36 "
		android = "Mozilla/5.0 (Linux; Android 13; SM-A536B Build/TP1A.220624.014; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/124.0.0.0 Mobile Safari/537.36 "
		chrome  = " AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Mobile Safari/537.36"
	)
	for before, words := range map[string][]string{
		ios: {"HubSpot/4.1", "Feedly/90", "Inoreader/7.8", "Preview/1", "NetNewsWire/6.1", "Reeder/5.4",
			"Flipboard/4.3.14", "SmartNews 24.5", "Apple News/1", "Evernote/10",
			"Notion/1.7.90", "Safari/604.1 YJApp-IOS jp.co.yahoo.ipn.appli/4.93.0",
			"NAVER(inapp; search; 1000; 11.22.2; 13)", "KAKAOTALK 10.4.5 (INAPP)", "Safari Line/13.4.0",
			"MicroMessenger/8.0.38(0x18002639) NetType/WIFI Language/zh_CN", "Twitter for iPhone/10.1",
			"[LinkedInApp]/9.29.7363", "[Pinterest/iOS]",
			"[FBAN/FBIOS;FBAV/460.0.0.30.109;FBDV/iPhone14,5;FBSN/iOS;FBSV/17.5;FBSS/3;FBCR/;FBID/phone;FBLC/en_US;FBOP/80]", "Snapchat/12.87.0.41 (like Safari/8618.2.12.10.7, panda)",
			"Instagram 330.0.3.27.90 (iPhone14,5; iOS 17_5; en_US; en; scale=3.00; 1170x2532; 594087128)",
			"GSA/319.0.635", "OutlookMobile/4.2412", "Outlook-iOS/2.0",
			"Gmail/6.0 (com.google.Gmail; build:6.0; iOS 17.5)", "Safari/604.1 (Ecosia ios@9.7.0.1711)",
			"Web@Work/12.11.1", "AirWatch Browser v23.10", "Teams/6.11.0"},
		mac: {"Preview/1", "Orion"},
		windows: {"Teams/24102.2223.2870.9480 Edg/124.0", "Slack_SSB/4.38.121", "Notion/3.9.0 Electron/29.3.2",
			"Obsidian/1.5.12", "Agency/98.8.8188.80", "Config/92.2.2788.20",
			"OneOutlook/1.2024.508.100", "QtWebEngine/6.5-SNAPSHOT", "Zoom/6.0.11", "Postman/11", "Screenly/2"},
		android: {"GoogleMessages/2024", "com.google.android.apps.searchlite", "Viber/22.3",
			"trill_340503 JsSdk/1.0 NetType/WIFI AppName/musical_ly app_version/34.5.3",
			"Telegram-Android/10.12 (Samsung SM-A536B; Android 13; SDK 33; AVERAGE)"},
		"": {"Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/UPB1.230309.014; Developer Preview)" + chrome,
			"Mozilla/5.0 (Linux; Android 9; Spider-Man Edition)" + chrome,
			"Mozilla/5.0 (X11; GNU/Linux) AppleWebKit/601.1 (KHTML, like Gecko) Tesla QtCarBrowser Safari/601.1",
			"Mozilla/5.0 (SMART-TV; Linux; Tizen 6.0) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/2.2 Chrome/63.0.3239.84 TV Safari/537.36",
			"Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/87.0.4280.88 Safari/537.36 WebAppManager",
			"Mozilla/5.0 (Mobile; Nokia_8110_4G; rv:48.0) Gecko/48.0 Firefox/48.0 KAIOS/2.5.1",
			"Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1; Trident/4.0; GTB7.5; SearchToolbar 1.2; FunWebProducts)",
			"Opera/9.80 (J2ME/MIDP; Opera Mini/7.1.32052/191.308; U; en) Presto/2.12.423 Version/12.16"},
	} {
		for _, word := range words {
			if bot := parseAgent(before + word).bot; bot != "" {
				t.Errorf("bot of %[2]s%[3]s = %[1]s, want a person", bot, before, word)
			}
		}
	}
}

// TestServicesOfApps checks that programs of services whose apps are people's
// are recognized: they name no engine, or name themselves.
func TestServicesOfApps(t *testing.T) {
	for ua, want := range map[string]string{
		"Preview/1.0 (links of a chat)": report.BotLinkPreview, "Mozilla/5.0 (compatible; Preview)": report.BotLinkPreview,
		"GoogleMessages/15.1 (cards)":        report.BotLinkPreview,
		"Feedly/1.0 (poller; 3 subscribers)": report.BotCrawler, "FeedlyApp/1.0 (feeds)": report.BotCrawler,
		"Inoreader/1.0 (reader; 3 subscribers)": report.BotCrawler, "HubSpot Connect 2.0/1": report.BotCrawler,
		"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/55.0 Safari/537.36 Feedly/1.0 (+http://www.feedly.com)": report.BotCrawler,
		"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/55.0 Safari/537.36 HubSpot Webcrawler":                  report.BotCrawler,
		"Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/55.0 Safari/537.36 Acme-Link-Preview/1.0":                 report.BotLinkPreview,
	} {
		if got := parseAgent(ua).bot; got != want {
			t.Errorf("bot = %q, want %q: %s", got, want, ua)
		}
	}
}

// TestMailGatewaysByName checks mail gateways whose user agents are rarely
// published. They are matched by name, in made-up user agents.
func TestMailGatewaysByName(t *testing.T) {
	const chrome = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36 "
	for _, name := range []string{
		"Barracuda", "Proofpoint", "ProofpointURLDefense", "Mimecast", "SafeLinks", "Symantec", "MessageLabs",
		"IronPort", "CiscoSecureEmail",
		"TrendMicro", "Sophos", "FireEye", "Forcepoint", "Avanan", "VadeSecure", "Hornetsecurity", "SpamTitan",
		"FortiMail", "Cloudmark",
	} {
		for _, userAgent := range []string{chrome + name, "Mozilla/5.0 (compatible; " + name + ")",
			name + "/1.0 (link check)"} {
			if got := parseAgent(userAgent).bot; got != report.BotMailScanner {
				t.Errorf("bot of %s = %q, want mail_scanner", userAgent, got)
			}
		}
	}
}

// TestTablesCanMatch checks that tokens are in lower case, because user agents
// are matched in lower case, and have at least two bytes.
func TestTablesCanMatch(t *testing.T) {
	for i, table := range []*table{botNames, sharedNames, robotSigns, platformAddresses, notBots, platforms, engines,
		apps, browsers, systems, handhelds,
		televisions, tablets, phones, desktops, iOSDevices, safariPlatforms, netscapeLetters} {
		for n, name := range table.names {
			if len(name.token) < 2 || name.token != strings.ToLower(name.token) {
				t.Errorf("table %d has the invalid token %q", i, name.token)
			}
			if found := table.first("x" + name.token + "x"); found < 0 || found > n {
				t.Errorf("table %d does not find %q", i, name.token)
			} else if found < n && table.names[found].token == name.token {
				t.Errorf("table %d has %q twice", i, name.token)
			}
		}
	}
	for _, f := range botFamilies {
		for _, prefix := range f.prefixes {
			if prefix != strings.ToLower(prefix) {
				t.Errorf("%s starts with %q, want lower case", f.reason, prefix)
			}
		}
	}
}

// FuzzTable checks that a table finds the same as a search for each token in
// turn.
func FuzzTable(f *testing.F) {
	f.Add("ab", "b", "xabx")
	f.Add("chrome/", "ch", "chchrome/")
	f.Fuzz(func(t *testing.T, a, b, ua string) {
		if len(a) < 2 || len(b) < 2 {
			return
		}
		want := -1
		if strings.Contains(ua, a) {
			want = 0
		} else if strings.Contains(ua, b) {
			want = 1
		}
		if got := words(a, b).first(ua); got != want {
			t.Errorf("first of %q, %q in %q = %d, want %d", a, b, ua, got, want)
		}
	})
}

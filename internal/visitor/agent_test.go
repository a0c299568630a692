package visitor

import (
	"bufio"
	"os"
	"strings"
	"testing"
)

// corpus reads a table of testdata: tab-separated columns, "-" for an empty one, "#" before comments.
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

// corpusSize is the least number of people and of bots that the corpus holds; missedPct the most bots taken for people, in percent.
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
			t.Errorf("%s: %s, want %s", row[1], got, row[0])
		}
	}
	t.Logf("%d of %d bots taken for people", missed, len(rows))
	if missed*100 > missedPct*len(rows) {
		t.Errorf("%d of %d bots were taken for people, more than %d %%", missed, len(rows), missedPct)
	}
}

// sized demands that a corpus is large enough and holds no user agent twice, whatever the case of its letters.
func sized(t *testing.T, name string, rows [][]string) {
	t.Helper()
	if len(rows) < corpusSize {
		t.Errorf("the corpus has %d %s, want at least %d", len(rows), name, corpusSize)
	}
	seen := map[string]bool{}
	for _, row := range rows {
		userAgent := strings.ToLower(row[len(row)-1])
		if seen[userAgent] {
			t.Errorf("%s: twice: %s", name, userAgent)
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
			t.Errorf("a person and a bot: %s", row[1])
		}
	}
}

// The case of letters carries no meaning in either direction.
func TestAgentCase(t *testing.T) {
	for _, row := range corpus(t, "people.tsv", 4) {
		if got, want := parseAgent(strings.ToUpper(row[3])), parseAgent(row[3]); got != want {
			t.Errorf("%s\n in capitals %+v\n    as sent %+v", row[3], got, want)
		}
	}
}

func TestEndsName(t *testing.T) {
	for ua, want := range map[string]bool{
		"bot": true, "googlebot/2.1": true, "robots.txt": true, "a bot": true, "abots": true, "bot1": true,
		"caboto": false, "robotics": false, "botswana": false, "both": false, "": false, "bo": false, "bottom bot": true,
	} {
		if got := endsName(ua, "bot"); got != want {
			t.Errorf("endsName(%q) = %v", ua, got)
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
			t.Errorf("holdsMailAddress(%q) = %v", ua, got)
		}
	}
}

// What mail gateways send is seldom published. Those of which only the name is known are looked for by it; these are made up around it.
func TestMailGatewaysByName(t *testing.T) {
	const chrome = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36 "
	for _, name := range []string{
		"Barracuda", "Proofpoint", "ProofpointURLDefense", "Mimecast", "SafeLinks", "Symantec", "MessageLabs", "IronPort", "CiscoSecureEmail",
		"TrendMicro", "Sophos", "FireEye", "Forcepoint", "Avanan", "VadeSecure", "Hornetsecurity", "SpamTitan", "FortiMail", "Cloudmark",
	} {
		for _, userAgent := range []string{chrome + name, "Mozilla/5.0 (compatible; " + name + ")", name + "/1.0 (link check)"} {
			if got := parseAgent(userAgent).bot; got != BotMailScanner {
				t.Errorf("%s: %q", userAgent, got)
			}
		}
	}
}

// User agents are matched in lower case, and a token of one byte cannot be looked for.
func TestTablesCanMatch(t *testing.T) {
	for i, table := range []*table{botNames, robotSigns, platformAddresses, notBots, platforms, engines, apps, browsers, systems, handhelds,
		televisions, tablets, phones, desktops, iOSDevices, safariPlatforms, netscapeLetters} {
		for n, name := range table.names {
			if len(name.token) < 2 || name.token != strings.ToLower(name.token) {
				t.Errorf("table %d holds %q", i, name.token)
			}
			if found := table.first("x" + name.token + "x"); found < 0 || found > n {
				t.Errorf("table %d does not find %q", i, name.token)
			} else if found < n && table.names[found].token == name.token {
				t.Errorf("table %d holds %q twice", i, name.token)
			}
		}
	}
	for _, f := range botFamilies {
		for _, prefix := range f.prefixes {
			if prefix != strings.ToLower(prefix) {
				t.Errorf("%s starts with %q", f.reason, prefix)
			}
		}
	}
}

// A table finds what a search for each token in turn finds.
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
			t.Errorf("%q, %q in %q: %d, want %d", a, b, ua, got, want)
		}
	})
}

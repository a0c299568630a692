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

func TestPeople(t *testing.T) {
	rows := corpus(t, "people.tsv", 4)
	if len(rows) < 120 {
		t.Errorf("the corpus has %d people, want at least 120", len(rows))
	}
	for _, row := range rows {
		want := agent{device: row[0], browser: row[1], os: row[2]}
		if got := parseAgent(row[3]); got != want {
			t.Errorf("%s\n got %+v\nwant %+v", row[3], got, want)
		}
	}
}

func TestBots(t *testing.T) {
	rows := corpus(t, "bots.tsv", 2)
	if len(rows) < 120 {
		t.Errorf("the corpus has %d bots, want at least 120", len(rows))
	}
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
	if missed*50 > len(rows) {
		t.Errorf("%d of %d bots were taken for people", missed, len(rows))
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

func TestBotAtTheEndOfAName(t *testing.T) {
	for ua, want := range map[string]bool{
		"bot": true, "googlebot/2.1": true, "robots.txt": true, "a bot": true, "abots": true, "bot1": true,
		"caboto": false, "robotics": false, "botswana": false, "both": false, "": false, "bo": false, "bottom bot": true,
	} {
		if got := holdsBot(ua); got != want {
			t.Errorf("holdsBot(%q) = %v", ua, got)
		}
	}
}

// User agents are matched in lower case, and a token of one byte cannot be looked for.
func TestTablesCanMatch(t *testing.T) {
	for i, table := range []*table{botNames, robotWords, addresses, notBots, platforms, engines, apps, browsers, systems, handhelds,
		televisions, tablets, phones, desktops, iOSDevices, safariPlatforms} {
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

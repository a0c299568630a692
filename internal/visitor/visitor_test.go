package visitor

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"vitrine/report"
)

// TestPlaces checks that a known place replaces the embedded table's country,
// and that a city needs a country.
func TestPlaces(t *testing.T) {
	at := netip.MustParseAddr("81.2.69.142")
	for _, c := range []struct{ country, city, want string }{
		{"", "", "GB "}, {"", "London", "GB "}, {"GB", "London", "GB London"}, {"IE", "", "IE "},
		{"IE", "Dublin", "IE Dublin"},
	} {
		v := Classify(Request{Addr: at, Country: c.country, City: c.city})
		if got := v.Country + " " + v.City; got != c.want {
			t.Errorf("%q of %q: %q, want %q", c.city, c.country, got, c.want)
		}
	}
}

func TestClassify(t *testing.T) {
	got := Classify(Request{
		UserAgent: safari174, Referrer: "https://www.linkedin.com/", Addr: netip.MustParseAddr("8.8.8.8"),
		Query: url.Values{"qr": {"1"}, "utm_source": {"poster"}}, OwnHost: "link.example",
	})
	want := Visitor{Country: "US", Referrer: "linkedin.com", Source: "poster", Device: Mobile, Browser: "Safari",
		OS: "iOS", QR: true}
	if got != want {
		t.Errorf("\n got %+v\nwant %+v", got, want)
	}
	if got, want := Classify(Request{}), (Visitor{Source: Direct, Bot: report.BotShortUserAgent}); got != want {
		t.Errorf("Classify of an empty request = %+v, want %+v", got, want)
	}
}

func TestSpeculative(t *testing.T) {
	for header, want := range map[string]bool{
		"prefetch": true, "prefetch;prerender": true, "prerender": true, "preview": true, "Prefetch": true,
		" prefetch ":                   true,
		"prefetch;anonymous-client-ip": true, "x, prefetch": true,
		"": false, ";": false, "navigate": false, "prefetched": false, "no-prefetch": false, "pre fetch": false,
	} {
		if got := Speculative("", header); got != want {
			t.Errorf("Speculative(%q) = %v, want %v", header, got, want)
		}
	}
	if Speculative() {
		t.Error("Speculative without a header = true, want false")
	}
}

func TestHints(t *testing.T) {
	const brands = `"Not)A;Brand";v="8", "Chromium";v="138", %s;v="138"`
	for _, c := range []struct {
		about        string
		r            Request
		browser, bot string
	}{
		{"Brave says so in its brands only", Request{UserAgent: chrome124, SecCHUA: fmt.Sprintf(brands, `"Brave"`)},
			"Brave", ""},
		{"Chrome", Request{UserAgent: chrome124, SecCHUA: fmt.Sprintf(brands, `"Google Chrome"`)}, "Chrome", ""},
		{"an unknown brand", Request{UserAgent: chrome124, SecCHUA: fmt.Sprintf(brands, `"Bravery"`)}, "Chrome", ""},
		{"the user agent is more telling", Request{UserAgent: chrome124 + " Edg/124.0.0.0",
			SecCHUA: fmt.Sprintf(brands, `"Brave"`)}, "Edge", ""},
		{"a headless browser in disguise", Request{UserAgent: chrome124,
			SecCHUA: fmt.Sprintf(brands, `"HeadlessChrome"`)}, "Chrome", report.BotHeadless},
		{"a prefetch", Request{UserAgent: chrome124, SecPurpose: "prefetch"}, "Chrome", report.BotSpeculative},
		{"a prerender", Request{UserAgent: chrome124, SecPurpose: "prefetch;prerender"}, "Chrome", report.BotSpeculative},
		{"an old prefetch", Request{UserAgent: chrome124, Purpose: "prefetch"}, "Chrome", report.BotSpeculative},
		{"an old Firefox's", Request{UserAgent: chrome124, XMoz: "prefetch"}, "Chrome", report.BotSpeculative},
		{"a thumbnail", Request{UserAgent: safari174, XPurpose: "preview"}, "Safari", report.BotSpeculative},
		{"a crawler that prefetches", Request{UserAgent: "Twitterbot/1.0", SecPurpose: "prefetch"}, "", report.BotLinkPreview},
	} {
		if v := Classify(c.r); v.Browser != c.browser || v.Bot != c.bot {
			t.Errorf("%s: browser %q, bot %q, want %q, %q", c.about, v.Browser, v.Bot, c.browser, c.bot)
		}
	}
}

// TestCacheIsInvisible checks that the cache returns what parsing returns, from
// many goroutines and with more user agents than it has slots.
func TestCacheIsInvisible(t *testing.T) {
	people := corpus(t, "people.tsv", 4)
	var c agentCache
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 2 * cacheSets * cacheWays {
				userAgent := people[(i*7+g)%len(people)][3]
				if i%3 == 0 {
					userAgent = fmt.Sprintf("%s x/%d", userAgent, i)
				}
				if got, want := c.lookup(userAgent), parseAgent(userAgent); got != want {
					t.Errorf("lookup(%s) = %+v, want %+v", userAgent, got, want)
					return
				}
			}
		})
	}
	wg.Wait()
	long := strings.Repeat("x/1 ", 1<<20)
	c.lookup(long)
	for i := range c.sets {
		for j := range c.sets[i].places {
			if e := c.sets[i].places[j].Load(); e != nil && len(e.userAgent) > maxAgent {
				t.Errorf("the cache keeps %d bytes of a user agent, want at most maxAgent", len(e.userAgent))
			}
		}
	}
}

func TestKnownAgentsCostNoMemory(t *testing.T) {
	var c agentCache
	c.lookup(chrome124)
	if n := testing.AllocsPerRun(100, func() { c.lookup(chrome124) }); n != 0 {
		t.Errorf("%v allocations for a known user agent, want 0", n)
	}
}

func FuzzClassify(f *testing.F) {
	for _, row := range corpus(f, "people.tsv", 4) {
		f.Add(row[3], "https://www.google.com/", "qr=1", []byte{8, 8, 8, 8}, `"Brave";v="1"`, "prefetch")
	}
	for _, row := range corpus(f, "bots.tsv", 2) {
		f.Add(row[1], "android-app://com.slack/", "utm_source=%E2%80%AE",
			[]byte{0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, "", "")
	}
	reasons := []string{"", report.BotShortUserAgent, report.BotLinkPreview, report.BotClientLibrary, report.BotCrawler, report.BotHeadless,
		report.BotMailScanner, report.BotSpeculative,
		report.BotAIAssistant, report.BotAITraining, report.BotAISearch, report.BotMonitor}
	devices, browsers, systems := append(Devices(), ""), append(Browsers(), ""), append(Systems(), "")
	f.Fuzz(func(t *testing.T, userAgent, referer, query string, ip []byte, brands, purpose string) {
		q, _ := url.ParseQuery(query)
		addr, _ := netip.AddrFromSlice(ip)
		r := Request{UserAgent: userAgent, Referrer: referer, Query: q, Addr: addr, OwnHost: "link.example",
			SecCHUA: brands, SecPurpose: purpose}
		v := Classify(r)
		if again := Classify(r); again != v {
			t.Fatalf("first %+v, then %+v", v, again)
		}
		if !isOneOf(v.Bot, reasons) || !isOneOf(v.Device, devices) {
			t.Fatalf("unknown bot reason or device: %+v", v)
		}
		if !isOneOf(v.Browser, browsers) || !isOneOf(v.OS, systems) || v.Source != SourceOf(v.Source) {
			t.Fatalf("unknown browser, system or source: %+v", v)
		}
		if (v.Device == "") != (userAgent == "") || v.Source == "" || v.City != "" || len(v.Country) != 0 &&
			len(v.Country) != 2 {
			t.Fatalf("inconsistent visitor: %+v", v)
		}
		for _, label := range []string{v.Country, v.Referrer, v.Source, v.Browser, v.OS} {
			if len(label) > 4*maxSource || !utf8.ValidString(label) || strings.ContainsAny(label, "\x00\r\n\u202e") {
				t.Fatalf("invalid label %q in %+v", label, v)
			}
		}
		ViewerID([]byte("key"), addr, userAgent)
	})
}

func isOneOf(s string, all []string) bool {
	for _, one := range all {
		if s == one {
			return true
		}
	}
	return false
}

func BenchmarkClassify(b *testing.B) {
	people := corpus(b, "people.tsv", 4)
	addr := netip.MustParseAddr("8.8.8.8")
	request := func(userAgent string) Request {
		return Request{
			UserAgent: userAgent, Referrer: "https://www.linkedin.com/feed/", Addr: addr,
			Query: url.Values{"utm_source": {"newsletter"}}, OwnHost: "link.example",
		}
	}
	b.Run("known", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			Classify(request(people[i%len(people)][3]))
		}
	})
	b.Run("new", func(b *testing.B) {
		b.ReportAllocs()
		fresh := make([]string, 4*cacheSets*cacheWays)
		for i := range fresh {
			fresh[i] = fmt.Sprintf("%s x/%d", people[i%len(people)][3], i)
		}
		for i := 0; b.Loop(); i++ {
			Classify(request(fresh[i%len(fresh)]))
		}
	})
	b.Run("viewer", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			ViewerID([]byte("0123456789abcdef0123456789abcdef"), addr, chrome124)
		}
	})
	b.Run("hostile", func(b *testing.B) {
		b.ReportAllocs()
		junk := strings.Repeat("both (linux; x/1) ", 1<<10)
		fresh := make([]string, 4*cacheSets*cacheWays)
		for i := range fresh {
			fresh[i] = fmt.Sprint(i, junk)
		}
		for i := 0; b.Loop(); i++ {
			Classify(Request{UserAgent: fresh[i%len(fresh)], Referrer: junk, Addr: addr})
		}
	})
}

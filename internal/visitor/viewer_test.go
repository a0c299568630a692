package visitor

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"net/netip"
	"strings"
	"testing"
)

const (
	chrome124 = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.6367.91 Safari/537.36"
	safari176 = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Mobile/15E148 Safari/604.1"
	safari174 = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4.1 Mobile/15E148 Safari/604.1"
)

// TestViewerIDIsWhatTheDocumentSays spells out the hashed bytes, because a
// changed ID would make every returning viewer a new one.
func TestViewerIDIsWhatTheDocumentSays(t *testing.T) {
	for _, c := range []struct {
		addr, userAgent, input string
	}{
		{"192.0.2.7", "Chrome/124.0.6367.91", "\x00\x00\x00\x04\xc0\x00\x02\x07\x00\x00\x00\x07Chrome/"},
		{"2001:db8:1:2:3:4:5:6", "x", "\x00\x00\x00\x08\x20\x01\x0d\xb8\x00\x01\x00\x02\x00\x00\x00\x01x"},
		{"192.0.2.7", "", "\x00\x00\x00\x04\xc0\x00\x02\x07\x00\x00\x00\x00"},
	} {
		mac := hmac.New(sha256.New, []byte("key"))
		mac.Write([]byte(c.input))
		want := binary.BigEndian.Uint64(mac.Sum(nil)[:8]) >> 16
		if got := ViewerID([]byte("key"), netip.MustParseAddr(c.addr), c.userAgent); got != want {
			t.Errorf("ViewerID(%s, %q) = %x, want %x", c.addr, c.userAgent, got, want)
		}
	}
}

func TestSameViewer(t *testing.T) {
	id := func(key, addr, userAgent string) uint64 {
		a, _ := netip.ParseAddr(addr)
		return ViewerID([]byte(key), a, userAgent)
	}
	me := id("k", "192.0.2.7", chrome124)
	my6 := id("k", "2001:db8::1", chrome124)
	for _, c := range []struct {
		about string
		same  bool
		a, b  uint64
	}{
		{"twice the same", true, me, id("k", "192.0.2.7", chrome124)},
		{"a minor update", true, me, id("k", "192.0.2.7", strings.Replace(chrome124, "6367.91", "6400.1", 1))},
		{"a minor update of iOS", true, id("k", "192.0.2.7", safari174), id("k", "192.0.2.7", safari176)},
		{"IPv4 mapped into IPv6", true, me, id("k", "::ffff:192.0.2.7", chrome124)},
		{"another address of the /64", true, my6, id("k", "2001:db8::ffff:2", chrome124)},
		{"a zone", true, id("k", "fe80::1", chrome124), id("k", "fe80::1%eth0", chrome124)},
		{"another key", false, me, id("l", "192.0.2.7", chrome124)},
		{"another address", false, me, id("k", "192.0.2.8", chrome124)},
		{"another /64", false, my6, id("k", "2001:db8:0:1::1", chrome124)},
		{"next month's Chrome", true, me, id("k", "192.0.2.7", strings.Replace(chrome124, "124", "125", 1))},
		{"the next iOS", false, id("k", "192.0.2.7", safari174),
			id("k", "192.0.2.7", strings.Replace(safari174, "17_4_1", "18_0", 1))},
		{"another browser", false, me, id("k", "192.0.2.7", safari174)},
		{"no address", false, me, id("k", "", chrome124)},
	} {
		if (c.a == c.b) != c.same {
			t.Errorf("%s: same viewer = %v", c.about, c.a == c.b)
		}
	}
	if id("k", "192.0.2.7", strings.Repeat("x", 1<<20)) != id("k", "192.0.2.7", strings.Repeat("x", maxAgent)) {
		t.Error("more than maxAgent bytes of a user agent are used")
	}
}

func TestWithoutVersions(t *testing.T) {
	for userAgent, want := range map[string]string{
		"":                         "",
		chrome124:                  "Mozilla/ (Windows NT 10; Win64; x64) AppleWebKit/ (KHTML, like Gecko) Chrome/ Safari/",
		safari174:                  "Mozilla/ (iPhone; CPU iPhone OS 17 like Mac OS X) AppleWebKit/ (KHTML, like Gecko) Version/ Mobile/ Safari/",
		"X (X11; rv:131.0) G/2010": "X (X11; rv:) G/",
		"[FBAN/FBIOS;FBAV/4.5]":    "[FBAN/;FBAV/]",
		".5 _6 7":                  ".5 _6 7",
		"5._2":                     "5._2",
		"a 1.2.3.4.5b.6":           "a 1b.6",
		"Android 4.4.4; S_100":     "Android 4; S_100",
		"a/":                       "a/",
	} {
		if got := string(withoutVersions(userAgent)); got != want {
			t.Errorf("%q\n got %q\nwant %q", userAgent, got, want)
		}
	}
}

func TestDayKey(t *testing.T) {
	key := []byte("account")
	today := DayKey(key, "2026-01-02")
	if len(today) != sha256.Size {
		t.Errorf("%d bytes, want those of SHA-256", len(today))
	}
	if !bytes.Equal(today, DayKey(key, "2026-01-02")) {
		t.Error("the key changes within a day")
	}
	if bytes.Equal(today, DayKey(key, "2026-01-03")) || bytes.Equal(today, DayKey([]byte("other"), "2026-01-02")) ||
		bytes.Equal(today, key) {
		t.Error("the key is the same for another day, another account, or as the input")
	}
}

func TestScreenRange(t *testing.T) {
	for width, want := range map[int]string{
		-1: "", 0: "", 1: "0-575", 575: "0-575", 576: "576-767", 767: "576-767", 768: "768-991", 991: "768-991",
		992:  "992-1199",
		1199: "992-1199", 1200: "1200-1439", 1439: "1200-1439", 1440: "1440-1919", 1919: "1440-1919", 1920: "1920+",
		7680:     "1920+",
		maxWidth: "1920+", maxWidth + 1: "", 1 << 40: "",
	} {
		if got := ScreenRange(width); got != want {
			t.Errorf("ScreenRange(%d) = %q, want %q", width, got, want)
		}
	}
	seen := map[string]bool{}
	for width := range maxWidth {
		seen[ScreenRange(width)] = true
	}
	for _, label := range ScreenRanges() {
		if !seen[label] {
			t.Errorf("no width has the label %q", label)
		}
	}
}

package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Values of each label, most frequent first. "" means unknown.
var (
	Countries = []string{"", "US", "DE", "GB", "FR", "IN", "BR", "NL", "CA", "ES", "IT", "PL", "SE", "JP", "AU", "MX",
		"ID", "CH", "BE", "AT", "DK", "NO",
		"FI", "PT", "IE", "CZ", "RO", "HU", "GR", "TR", "UA", "ZA", "NG", "KE", "EG", "MA", "IL", "SA", "AE", "PK",
		"BD", "LK", "TH", "VN", "MY",
		"SG", "PH", "KR", "TW", "HK", "NZ", "AR", "CL", "CO", "PE", "EC", "UY", "HR", "BG", "SK", "SI"}
	Sources = []string{"Direct", "Google", "LinkedIn", "Email", "X", "QR code", "GitHub", "Hacker News", "Reddit",
		"Slack", "Bing", "WhatsApp", "DuckDuckGo", "Facebook"}
	Devices  = []string{"", "Desktop", "Mobile", "Tablet", "TV"}
	Browsers = []string{"", "Chrome", "Safari", "Edge", "Firefox", "Samsung Internet", "Opera", "Brave", "Vivaldi"}
	Systems  = []string{"", "Windows", "iOS", "Android", "macOS", "Linux", "ChromeOS"}
	Screens  = []string{"", "1440-1919", "0-575", "1920+", "1200-1439", "768-991", "992-1199", "576-767"}

	Cities, CityKeys = cities() // CityKeys are the keys of cities in reports
	Referrers        = referrers()
)

const citiesOfCountry = 33

// cities returns the names of cities, "" first, and the report keys of each
// country's cities, with and without a city.
func cities() (names, keys []string) {
	names, keys = []string{""}, []string{""}
	for _, country := range Countries[1:] {
		for i := range citiesOfCountry {
			name := fmt.Sprintf("City %02d", i+1)
			names, keys = append(names, name), append(keys, name+", "+country)
		}
	}
	return names, keys
}

func referrers() []string {
	known := []string{"", "google.com", "linkedin.com", "t.co", "github.com", "news.ycombinator.com", "reddit.com",
		"bing.com", "duckduckgo.com", "facebook.com"}
	for i := range 490 {
		known = append(known, fmt.Sprintf("blog-%d.example.com", i))
	}
	return known
}

// sourceOf is the source for a referrer without other hints.
var sourceOf = map[string]string{"google.com": "Google", "linkedin.com": "LinkedIn", "t.co": "X",
	"github.com":           "GitHub",
	"news.ycombinator.com": "Hacker News", "reddit.com": "Reddit", "bing.com": "Bing", "duckduckgo.com": "DuckDuckGo",
	"facebook.com": "Facebook"}

// draw is a distribution over a few values for 16 random bits.
type draw []uint16

// zipf returns a Zipf distribution over n values.
func zipf(n int, s float64) draw {
	const slots = 1 << 16
	cum := make([]float64, n)
	total := 0.0
	for i := range cum {
		total += 1 / math.Pow(float64(i+1), s)
		cum[i] = total
	}
	d := make(draw, slots)
	word := 0
	for i := range d {
		for cum[word] < (float64(i)+0.5)/slots*total {
			word++
		}
		d[i] = uint16(word)
	}
	return d
}

func (d draw) at(bits uint64) uint16 { return d[bits&0xffff] }

// random returns an independent random stream for a use of an account.
func random(seed uint64, account, use int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(account)<<8|uint64(use)))
}

// mix hashes a number to 64 bits.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

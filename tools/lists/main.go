// Lists generates the files that the program ships from public lists: the
// networks of mail scanners and of hosting, whose views are decided late, the
// passwords that nobody may choose, and the user agents of programs for the
// tests of the bot rules. update.sh downloads the lists and runs it.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"log"
	"maps"
	"math/bits"
	"net/netip"
	"os"
	"slices"
	"strings"
)

// networks are the autonomous systems of mail scanners with their names in
// reports. Views from them are decided late, but never by the address alone, so
// people in these networks are still counted.
var networks = map[string]string{
	"8075":  "Microsoft",
	"13916": "Proofpoint", "22843": "Proofpoint", "26211": "Proofpoint", "52129": "Proofpoint",
	"30031": "Mimecast", "33538": "Mimecast", "37235": "Mimecast", "39588": "Mimecast", "42427": "Mimecast",
	"60492":  "Mimecast",
	"136792": "Mimecast", "397726": "Mimecast",
	"15324": "Barracuda",
	"16417": "Cisco", "30215": "Cisco", "30238": "Cisco", "40427": "Cisco",
	"13448": "Forcepoint", "42465": "Forcepoint", "43251": "Forcepoint", "44444": "Forcepoint",
	"16880": "Trend Micro", "132229": "Trend Micro",
	"58976": "Sophos", "48328": "Retarus", "401943": "Hornetsecurity", "17330": "Trellix", "46484": "Trellix",
}

// hosting are the autonomous systems of companies that rent out servers. A view
// from one is decided late, too. Networks through which browsers of people go,
// such as Cloudflare, Akamai and Fastly, are not among them, and Microsoft's is
// in networks.
var hosting = map[string]string{
	"16509": "Amazon", "14618": "Amazon", "8987": "Amazon",
	"396982": "Google Cloud",
	"14061":  "DigitalOcean",
	"16276":  "OVHcloud", "35540": "OVHcloud",
	"24940": "Hetzner", "213230": "Hetzner", "212317": "Hetzner",
	"63949": "Linode",
	"20473": "Vultr",
	"31898": "Oracle Cloud",
	"45102": "Alibaba Cloud", "37963": "Alibaba Cloud",
	"132203": "Tencent Cloud", "45090": "Tencent Cloud",
	"136907": "Huawei Cloud", "55990": "Huawei Cloud",
	"12876": "Scaleway",
	"60781": "Leaseweb", "28753": "Leaseweb", "30633": "Leaseweb", "59253": "Leaseweb", "7203": "Leaseweb",
	"396362": "Leaseweb",
	"51167":  "Contabo", "141995": "Contabo", "40021": "Contabo",
	"8560":   "IONOS",
	"36351":  "IBM Cloud",
	"202053": "UpCloud",
	"197540": "netcup",
}

func main() {
	log.SetFlags(0)
	asn4, asn6 := flag.String("asn4", "", "CSV of IPv4 ranges: first, last, number, name"),
		flag.String("asn6", "", "the same of IPv6")
	crawlers := flag.String("crawlers", "", "crawler-user-agents.json")
	passwords := flag.String("passwords", "", "10_million_password_list_top_1M.txt of SecLists, the most common first")
	to := flag.String("to", "", "directory internal of the program")
	flag.Parse()
	if err := errors.Join(writeNetworks(*to+"/visitor/mailnets.txt", "mail scanners", networks, *asn4, *asn6),
		writeNetworks(*to+"/visitor/hostnets.txt", "hosting", hosting, *asn4, *asn6),
		writeCorpus(*to+"/visitor/testdata/crawlers.tsv", *crawlers),
		writePasswords(*to+"/password/vendor/passwords.txt.gz", *passwords)); err != nil {
		log.Fatal(err)
	}
}

type span struct {
	from, to netip.Addr
	name     string
}

func writeNetworks(to, what string, names map[string]string, files ...string) error {
	var spans []span
	for _, name := range files {
		some, err := readSpans(name, names)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		spans = append(spans, some...)
	}
	slices.SortFunc(spans, func(a, b span) int {
		return cmp.Or(strings.Compare(a.name, b.name), a.from.Compare(b.from))
	})
	var joined []span
	for _, s := range spans {
		if n := len(joined); n > 0 && joined[n-1].name == s.name && joined[n-1].to.Next() == s.from {
			joined[n-1].to = s.to
			continue
		}
		joined = append(joined, s)
	}
	var b strings.Builder
	b.WriteString("# Networks of " + what + ", by tools/lists. From @ip-location-db/asn: Route Views (routeviews.org) and DB-IP (db-ip.com), both CC BY 4.0.\n")
	for i, s := range joined {
		if i == 0 || joined[i-1].name != s.name {
			fmt.Fprintf(&b, "%s:\n", s.name)
		}
		for _, p := range prefixes(s) {
			fmt.Fprintln(&b, p)
		}
	}
	return os.WriteFile(to, []byte(b.String()), 0o644)
}

func readSpans(name string, names map[string]string) (spans []span, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(bufio.NewReader(f))
	for {
		row, err := r.Read()
		if err == io.EOF {
			return spans, nil
		}
		if err != nil {
			return nil, err
		}
		if len(row) < 3 || names[row[2]] == "" {
			continue
		}
		from, err1 := netip.ParseAddr(row[0])
		to, err2 := netip.ParseAddr(row[1])
		if err := errors.Join(err1, err2); err != nil {
			return nil, err
		}
		spans = append(spans, span{from, to, names[row[2]]})
	}
}

// prefixes returns the smallest set of prefixes that covers a span.
func prefixes(s span) (list []netip.Prefix) {
	for from := s.from; from.IsValid() && from.Compare(s.to) <= 0; {
		length := from.BitLen() - trailingZeros(from)
		for netip.PrefixFrom(from, length).Masked().Addr() != from ||
			last(netip.PrefixFrom(from, length)).Compare(s.to) > 0 {
			length++
		}
		p := netip.PrefixFrom(from, length)
		list = append(list, p)
		from = last(p).Next()
	}
	return list
}

func trailingZeros(a netip.Addr) (n int) {
	for _, c := range slices.Backward(a.AsSlice()) {
		z := bits.TrailingZeros8(c)
		if n += z; z < 8 {
			break
		}
	}
	return min(n, a.BitLen())
}

// last returns the last address of a prefix.
func last(p netip.Prefix) netip.Addr {
	b := p.Addr().AsSlice()
	for i := p.Bits(); i < len(b)*8; i++ {
		b[i/8] |= 0x80 >> (i % 8)
	}
	a, _ := netip.AddrFromSlice(b)
	return a
}

// writeCorpus writes the user agents in two halves, split by hash: one for
// developing rules, one for measuring them.
func writeCorpus(to, from string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	var list []struct {
		Pattern   string
		Instances []string
	}
	if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	halves := map[bool][]string{}
	for _, entry := range list {
		h := fnv.New32a()
		h.Write([]byte(entry.Pattern))
		for i, ua := range entry.Instances {
			if i < 2 && !strings.ContainsAny(ua, "\t\n\r") { // at most two per pattern, because some have hundreds
				halves[h.Sum32()%2 == 1] = append(halves[h.Sum32()%2 == 1], ua)
			}
		}
	}
	var out strings.Builder
	out.WriteString("# User agents of programs, by tools/lists from crawler-user-agents (MIT). Do not look at the half behind \"held\" when you change rules.\n")
	for _, held := range []bool{false, true} {
		half := map[bool]string{false: "studied", true: "held"}[held]
		slices.Sort(halves[held])
		for _, ua := range slices.Compact(halves[held]) {
			fmt.Fprintf(&out, "%s\t%s\n", half, ua)
		}
	}
	return os.WriteFile(to, []byte(out.String()), 0o644)
}

// The passwords that are kept: so many, of those with at least minPassword
// characters. Package password refuses shorter ones anyway.
const keptPasswords, minPassword = 10_000, 10

// writePasswords writes the most common passwords in lower case, sorted. It
// drops the few that are not ASCII.
func writePasswords(to, from string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	kept := map[string]bool{}
	lines := bufio.NewScanner(f)
	for lines.Scan() && len(kept) < keptPasswords {
		p := strings.ToLower(lines.Text())
		ascii := strings.IndexFunc(p, func(r rune) bool { return r <= ' ' || r > '~' }) < 0
		if len(p) >= minPassword && ascii {
			kept[p] = true
		}
	}
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // a level that exists
	for _, p := range slices.Sorted(maps.Keys(kept)) {
		fmt.Fprintln(w, p)
	}
	return errors.Join(lines.Err(), w.Close(), os.WriteFile(to, out.Bytes(), 0o644))
}

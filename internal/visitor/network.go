package visitor

import (
	_ "embed"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"vitrine/report"
)

//go:embed mailnets.txt
var mailNetworkList string

//go:embed hostnets.txt
var hostNetworkList string

// addressRange is a range of addresses from which programs read that look like
// browsers.
type addressRange struct {
	from, to     netip.Addr
	name, reason string
}

// networks returns all of them. They are sorted and do not overlap. Commands
// that look up no address do not read the lists.
var networks = sync.OnceValue(func() (list []addressRange) {
	for reason, text := range map[string]string{report.BotMailNetwork: mailNetworkList,
		report.BotDatacenter: hostNetworkList} {
		name := ""
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			if prefix, err := netip.ParsePrefix(line); err == nil {
				list = append(list, addressRange{prefix.Addr(), lastOf(prefix), name, reason})
			} else if !strings.HasPrefix(line, "#") {
				name = strings.TrimSuffix(line, ":")
			}
		}
	}
	slices.SortFunc(list, func(a, b addressRange) int { return a.from.Compare(b.from) })
	return list
})

// lastOf returns the last address of a prefix.
func lastOf(p netip.Prefix) netip.Addr {
	b := p.Addr().AsSlice()
	for i := p.Bits(); i < 8*len(b); i++ {
		b[i/8] |= 0x80 >> (i % 8)
	}
	a, _ := netip.AddrFromSlice(b)
	return a
}

// Network returns the name of the network of mail scanners or of hosting that
// contains an address, such as Proofpoint, and the reason for which its views
// are decided late; "" if there is none. People read from there too, so the
// network alone does not show that a view is a program's.
func Network(addr netip.Addr) (name, reason string) {
	addr = addr.Unmap().WithZone("")
	list := networks()
	i, found := slices.BinarySearchFunc(list, addr, func(n addressRange, a netip.Addr) int { return n.from.Compare(a) })
	if !found {
		i--
	}
	if i < 0 || list[i].to.Compare(addr) < 0 {
		return "", ""
	}
	return list[i].name, list[i].reason
}

// MailNetwork returns the name of the network of mail scanners that contains an
// address, or "".
func MailNetwork(addr netip.Addr) string {
	if name, reason := Network(addr); reason == report.BotMailNetwork {
		return name
	}
	return ""
}

package visitor

import (
	_ "embed"
	"net/netip"
	"slices"
	"strings"
)

//go:embed mailnets.txt
var mailNetworkList string

// mailNetwork is a range of addresses of mail scanners.
type mailNetwork struct {
	from, to netip.Addr
	name     string
}

// mailNetworks are sorted and do not overlap.
var mailNetworks = func() (list []mailNetwork) {
	name := ""
	for line := range strings.Lines(mailNetworkList) {
		line = strings.TrimSpace(line)
		if prefix, err := netip.ParsePrefix(line); err == nil {
			list = append(list, mailNetwork{prefix.Addr(), lastOf(prefix), name})
		} else if !strings.HasPrefix(line, "#") {
			name = strings.TrimSuffix(line, ":")
		}
	}
	slices.SortFunc(list, func(a, b mailNetwork) int { return a.from.Compare(b.from) })
	return list
}()

// lastOf returns the last address of a prefix.
func lastOf(p netip.Prefix) netip.Addr {
	b := p.Addr().AsSlice()
	for i := p.Bits(); i < 8*len(b); i++ {
		b[i/8] |= 0x80 >> (i % 8)
	}
	a, _ := netip.AddrFromSlice(b)
	return a
}

// MailNetwork returns the name of the network of mail scanners that contains an
// address, such as Proofpoint, or "" if there is none. People read from there
// too, so the network alone does not show that a view is a scanner's.
func MailNetwork(addr netip.Addr) string {
	addr = addr.Unmap().WithZone("")
	list := mailNetworks
	i, found := slices.BinarySearchFunc(list, addr, func(n mailNetwork, a netip.Addr) int { return n.from.Compare(a) })
	if !found {
		i--
	}
	if i < 0 || list[i].to.Compare(addr) < 0 {
		return ""
	}
	return list[i].name
}

package visitor

import (
	"net/netip"
	"testing"
)

func TestMailNetwork(t *testing.T) {
	for text, want := range map[string]string{
		"64.235.144.0": "Barracuda", "64.235.147.255": "Barracuda", "64.235.149.255": "", "64.235.150.0": "Barracuda",
		"52.129.0.0": "", "8.8.8.8": "", "192.0.2.1": "", "::": "", "0.0.0.0": "", "255.255.255.255": "",
		"2001:db8::1":         "",
		"::ffff:64.235.144.9": "Barracuda", "104.47.1.1": "Microsoft", "40.107.1.1": "Microsoft",
		"66.159.227.8": "Proofpoint", "3.5.140.9": "", "1.1.1.1": "",
	} {
		if got := MailNetwork(netip.MustParseAddr(text)); got != want {
			t.Errorf("MailNetwork(%s) = %q, want %q", text, got, want)
		}
	}
	if got := MailNetwork(netip.Addr{}); got != "" {
		t.Errorf("MailNetwork without an address = %q, want none", got)
	}
	for text, want := range map[string][2]string{"3.5.140.9": {"Amazon", "datacenter"},
		"34.118.200.1": {"Google Cloud", "datacenter"}, "2a01:4f8::1": {"Hetzner", "datacenter"},
		"66.159.227.8": {"Proofpoint", "mail_network"}, "1.1.1.1": {}, "23.32.0.1": {}, "151.101.1.1": {}} {
		if name, reason := Network(netip.MustParseAddr(text)); [2]string{name, reason} != want {
			t.Errorf("Network(%s) = %q, %q, want %q", text, name, reason, want)
		}
	}
	list, six := networks(), 0
	for i, n := range list {
		if n.name == "" || n.to.Compare(n.from) < 0 || i > 0 && n.from.Compare(list[i-1].to) <= 0 {
			t.Errorf("%v to %v (%q) is out of order", n.from, n.to, n.name)
		}
		if n.from.Is6() {
			six++
		}
		if name, reason := Network(n.to); name != n.name || reason != n.reason {
			t.Errorf("Network(%v) = %q, %q, want %q, %q", n.to, name, reason, n.name, n.reason)
		}
	}
	if len(list) < 3000 || six == 0 {
		t.Errorf("%d networks, %d of IPv6, want at least 3000 and some", len(list), six)
	}
}

func BenchmarkMailNetwork(b *testing.B) {
	addr := netip.MustParseAddr("66.159.227.8")
	for b.Loop() {
		MailNetwork(addr)
	}
}

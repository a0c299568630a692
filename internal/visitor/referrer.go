package visitor

import (
	"net/netip"
	"net/url"
	"strings"
	"unicode"
)

const (
	maxReferrer = 4096 // bytes of the header that are read; a longer one is none
	maxHost     = 253  // bytes of a host name in DNS
)

// referrer returns the host that a Referer header names: lower case, without
// port and "www."; an Android app's site, else its package. "" when there is
// none, when it is rubbish, and when it is the instance itself.
func referrer(header, ownHost string) string {
	if header == "" || len(header) > maxReferrer {
		return ""
	}
	u, err := url.Parse(header)
	if err != nil {
		return ""
	}
	host := hostName(u.Hostname())
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		if host == hostName(withoutPort(ownHost)) {
			return ""
		}
		return host
	case "android-app":
		if site, ok := androidApps[host]; ok {
			return site
		}
		return host
	}
	return ""
}

// hostName returns a host in its plain form: lower case, no "www.", no final
// dot; "" when it cannot be one. Names in other scripts stay as they were sent,
// in letters or in "xn--" form.
func hostName(host string) string {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	host = strings.TrimPrefix(host, "www.")
	if host == "" || len(host) > maxHost {
		return ""
	}
	if a, err := netip.ParseAddr(host); err == nil {
		return plain(a).String()
	}
	if host[0] == '.' || host[0] == '-' || strings.Contains(host, "..") || strings.IndexFunc(host, notInHost) >= 0 {
		return ""
	}
	return host
}

func notInHost(r rune) bool {
	switch r {
	case '.', '-', '_':
		return false
	case unicode.ReplacementChar:
		return true
	}
	return !unicode.In(r, unicode.L, unicode.M, unicode.Nd)
}

// withoutPort takes the port off "host:port" and the brackets off an IPv6 host.
func withoutPort(host string) string {
	return (&url.URL{Host: host}).Hostname()
}

// siteOf names the site or network that a host belongs to, "" when it is none
// of the known ones. The host itself and then each domain above it is looked
// for; a host that is someone's webmail by its first label is Email.
func siteOf(host string) string {
	if name, ok := sites[host]; ok {
		return name
	}
	first, domain, _ := strings.Cut(host, ".")
	if webmails[first] && strings.Contains(domain, ".") {
		return Email
	}
	for domain != "" {
		if name, ok := sites[domain]; ok {
			return name
		}
		_, domain, _ = strings.Cut(domain, ".")
	}
	return ""
}

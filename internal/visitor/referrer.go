package visitor

import (
	"net/netip"
	"net/url"
	"strings"
	"unicode"
)

const (
	maxReferrer = 4096 // bytes of the header that are read; longer ones are ignored
	maxHost     = 253  // bytes of a host name in DNS
)

// referrer returns the host in a Referer header: lower case, without port and
// "www.". For an Android app it is the app's site, or else its package. It
// returns "" if the header is missing or malformed, or names the instance
// itself.
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
// dot. It returns "" for an invalid host. Names in other scripts stay
// unchanged, as letters or in "xn--" form.
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

// withoutPort removes the port from "host:port" and the brackets from an IPv6
// host.
func withoutPort(host string) string {
	return (&url.URL{Host: host}).Hostname()
}

// siteOf returns the site or network that a host belongs to, or "" if it is
// unknown. It searches for the host and then for each domain above it. A host
// whose first label is that of a webmail is Email.
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

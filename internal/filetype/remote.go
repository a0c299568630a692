package filetype

import (
	"html"
	"net/url"
	"regexp"
	"strings"
)

// RemoteHost tells the host that a document's reference leads to when it is
// followed; "" for what stays on the reader's computer or in its local network.
// A name without a dot is such: offices keep templates and linked tables on a
// server with a plain name.
func RemoteHost(target string) string {
	target = strings.ToLower(strings.TrimSpace(html.UnescapeString(target)))
	if decoded, err := url.PathUnescape(target); err == nil {
		target = decoded
	}
	target = strings.ReplaceAll(target, `\`, "/")
	switch rest, scheme := target, ""; {
	case strings.HasPrefix(target, "file:"):
		rest = strings.TrimPrefix(target, "file:")
		if slashes := len(rest) - len(strings.TrimLeft(rest, "/")); slashes != 2 && slashes < 4 {
			return "" // a path
		}
		return dotted(strings.TrimLeft(rest, "/"))
	case strings.HasPrefix(target, "//"):
		return dotted(strings.TrimLeft(target, "/"))
	default:
		scheme, rest, _ = strings.Cut(target, ":")
		switch scheme {
		case "http", "https", "ftp", "ftps", "webdav", "dav", "smb":
			return dotted(strings.TrimLeft(rest, "/"))
		}
	}
	return ""
}

// dotted is the host at the start of an address, without a user, where it is
// one of the internet.
func dotted(address string) string {
	host, _, _ := strings.Cut(address, "/")
	host = host[strings.LastIndexByte(host, '@')+1:]
	name, _, _ := strings.Cut(host, ":")
	if strings.ContainsAny(host, ".[") || decimal(name) {
		return host
	}
	return ""
}

// decimal tells an address written as one number.
func decimal(host string) bool {
	return len(host) > 6 && (strings.Trim(host, "0123456789") == "" || strings.HasPrefix(host, "0x"))
}

// Handlers are the schemes of addresses that have been used to run programs
// from a document, and have no use in one.
var Handlers = regexp.MustCompile(`(?i)^\s*(ms-msdt|search-ms|ms-search|ms-officecmd|ms-appinstaller|ms-its|mk|mhtml|its|vbscript|script|scriptletfile|shell|ms-cxh|ms-cxh-full|res|soap):`)

// Shells are the programs by which a DDE field or a formula runs whatever
// follows.
var Shells = regexp.MustCompile(`(?i)(^|[^a-z0-9])(cmd|command|powershell|pwsh|mshta|[wc]script|rundll32|regsvr32|regsvcs|regasm|certutil|bitsadmin|msiexec|installutil|wmic|forfiles|schtasks|msbuild|control|explorer|hh|bash|zsh|osascript|python[23]?|perl|curl|wget)(\.exe)?($|[^a-z0-9])`)

// Dde judges what a link to a running program names. The service and topic of
// honest ones are office programs and data feeds.
func (f *Facts) Dde(command string) *Problem {
	if Shells.MatchString(command) {
		return UnsafeFile(ReasonDDEProgram, "The document starts a program when its fields or links are updated. Remove them and save it again.").About(command)
	}
	f.HoldAbout(HoldDDELink, command)
	return nil
}

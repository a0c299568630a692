package filetype

import (
	"html"
	"net/url"
	"regexp"
	"strings"
)

// RemoteHost returns the host to which a document's reference leads, or "" if
// it stays on the reader's computer or local network. A name without a dot is
// local: offices keep templates and linked tables on servers with plain names.
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
		return hostOf(strings.TrimLeft(rest, "/"))
	case strings.HasPrefix(target, "//"):
		return hostOf(strings.TrimLeft(target, "/"))
	default:
		scheme, rest, _ = strings.Cut(target, ":")
		switch scheme {
		case "http", "https", "ftp", "ftps", "webdav", "dav", "smb":
			return hostOf(strings.TrimLeft(rest, "/"))
		}
	}
	return ""
}

// hostOf returns the host at the start of an address, without a user, if it is
// an internet host.
func hostOf(address string) string {
	host, _, _ := strings.Cut(address, "/")
	host = host[strings.LastIndexByte(host, '@')+1:]
	name, _, _ := strings.Cut(host, ":")
	if strings.ContainsAny(host, ".[") || isDecimalHost(name) {
		return host
	}
	return ""
}

// isDecimalHost reports whether a host is an address written as one number.
func isDecimalHost(host string) bool {
	return len(host) > 6 && (strings.Trim(host, "0123456789") == "" || strings.HasPrefix(host, "0x"))
}

// Handlers matches the URL schemes that documents have used to run programs.
// They have no legitimate use in one.
var Handlers = regexp.MustCompile(`(?i)^\s*(ms-msdt|search-ms|ms-search|ms-officecmd|ms-appinstaller|ms-its|mk|mhtml|its|vbscript|script|scriptletfile|shell|ms-cxh|ms-cxh-full|res|soap):`)

// Shells matches the programs with which a DDE field or formula runs any
// command.
var Shells = regexp.MustCompile(`(?i)(^|[^a-z0-9])(cmd|command|powershell|pwsh|mshta|[wc]script|rundll32|regsvr32|regsvcs|regasm|certutil|bitsadmin|msiexec|installutil|wmic|forfiles|schtasks|msbuild|control|explorer|hh|bash|zsh|osascript|python[23]?|perl|curl|wget)(\.exe)?($|[^a-z0-9])`)

// CheckDDE judges the target of a link to a running program. Legitimate ones
// name office programs and data feeds.
func (f *Facts) CheckDDE(command string) *Problem {
	if Shells.MatchString(command) {
		return UnsafeFile(ReasonDDEProgram, "The document starts a program when its fields or links are updated. Remove them and save it again.").SetContext(command)
	}
	f.HoldAbout(HoldDDELink, command)
	return nil
}

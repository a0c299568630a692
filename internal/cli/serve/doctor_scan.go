package serve

import (
	"bufio"
	"context"
	"errors"
	"net"
	"os"
	"strconv"
	"strings"

	"vitrine/internal/backend/clamav"
	"vitrine/internal/cli/terminal"
)

func (d *doctor) clamd(ctx context.Context) {
	const part = "scanner"
	if len(d.Clamd) == 0 {
		d.report(part, note, "No malware scanner is set up. Vitrine checks file types but does not scan for malware. To add ClamAV, use --clamd.")
		return
	}
	s, err := clamav.New(clamav.Options{Addresses: d.Clamd, Concurrency: d.Scans})
	if err != nil {
		d.report(part, wrong, "--clamd: %v.", err)
		return
	}
	defer s.Close()
	for _, h := range s.Check(ctx) {
		if h.Err != nil {
			d.report(part, wrong, "%v.", h.Err)
			continue
		}
		d.report(part, fine, "%s. It reports files that exceed its limits (AlertExceedsMax).", h)
		if !strings.Contains(h.Version, "/") {
			d.report(part, wrong, "clamd at %s has no database of signatures: run freshclam.", h.Address)
		}
	}
	d.clamdSettings(part)
}

// clamdLimits are clamd's settings for scan limits with their defaults (ClamAV
// 1.4).
var clamdLimits = map[string]int64{"StreamMaxLength": 100 << 20, "MaxScanSize": 400 << 20, "MaxFileSize": 100 << 20,
	"MaxThreads": 10}

// maxScannable is the file size from which clamd never scans (2 GiB).
const maxScannable = 1<<31 - 1

// clamdSettings checks settings in clamd.conf that clamd does not report over
// its socket: the maximum sizes of files and of archive entries.
func (d *doctor) clamdSettings(part string) {
	settings, err := readClamdConf(d.ClamdConf)
	if err != nil || !settings.listensAt(d.Clamd) {
		d.report(part, warning, "The settings of clamd cannot be read here (%s). Check in its clamd.conf that MaxFileSize is not less than MaxScanSize, and that StreamMaxLength is %s or more.",
			d.ClamdConf, terminal.FormatSize(min(d.maxFileSize(), maxScannable)))
		return
	}
	limit := settings.limits
	if file, scan := limit["MaxFileSize"], limit["MaxScanSize"]; file != 0 && (scan == 0 || file < scan) {
		d.report(part, wrong, "MaxFileSize of %s is %s, less than MaxScanSize: clamd scans only the beginning of larger files in archives, and does not report it. Set both to the same value.",
			d.ClamdConf, terminal.FormatSize(file))
	} else {
		d.report(part, fine, "MaxFileSize of %s is not less than MaxScanSize.", d.ClamdConf)
	}
	need := min(d.maxFileSize(), maxScannable)
	for _, name := range []string{"StreamMaxLength", "MaxScanSize"} {
		if has := limit[name]; has != 0 && has < need {
			d.report(part, warning, "%s of %s is %s, and the plans allow files of up to %s: larger ones go to review. Raise it.", name, d.ClamdConf, terminal.FormatSize(has), terminal.FormatSize(d.maxFileSize()))
		}
	}
	if d.maxFileSize() > maxScannable {
		d.report(part, warning, "The plans allow files of 2 GiB and more, which clamd never scans: they go to review.")
	}
	if n := limit["MaxThreads"]; n < int64(d.Scans) {
		d.report(part, warning, "MaxThreads of %s is %d, less than --scans %d: raise it, or lower the other.",
			d.ClamdConf, n, d.Scans)
	}
}

// maxFileSize returns the largest file size of all plans.
func (d *doctor) maxFileSize() (most int64) {
	for _, l := range d.Plans() {
		if l.FileBytes == 0 {
			return 1 << 62
		}
		most = max(most, l.FileBytes)
	}
	return most
}

// clamdConf is a parsed clamd.conf.
type clamdConf struct {
	limits    map[string]int64 // by name; 0 means no limit
	socket    string
	port      string
	addresses []string
}

func readClamdConf(path string) (*clamdConf, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c := &clamdConf{limits: map[string]int64{}}
	for name, n := range clamdLimits {
		c.limits[name] = n
	}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		name, value, ok := strings.Cut(strings.TrimSpace(lines.Text()), " ")
		value = strings.TrimSpace(value)
		if _, limit := clamdLimits[name]; ok && limit {
			n, err := clamdSize(value)
			if err != nil {
				return nil, err
			}
			c.limits[name] = n
		}
		switch name {
		case "LocalSocket":
			c.socket = value
		case "TCPSocket":
			c.port = value
		case "TCPAddr":
			c.addresses = append(c.addresses, value)
		}
	}
	return c, lines.Err()
}

// clamdSize parses a size in clamd's format: a number with K, M or G.
func clamdSize(s string) (int64, error) {
	unit := int64(1)
	switch {
	case s == "":
		return 0, errors.New("a setting has no value")
	case strings.ContainsAny(s[len(s)-1:], "kK"):
		unit = 1 << 10
	case strings.ContainsAny(s[len(s)-1:], "mM"):
		unit = 1 << 20
	case strings.ContainsAny(s[len(s)-1:], "gG"):
		unit = 1 << 30
	}
	if unit > 1 {
		s = s[:len(s)-1]
	}
	n, err := strconv.ParseInt(s, 10, 40)
	return n * unit, err
}

// listensAt reports whether the configuration is that of a clamd at one of the
// addresses.
func (c *clamdConf) listensAt(addresses []string) bool {
	for _, a := range addresses {
		if path, ok := strings.CutPrefix(a, "unix:"); ok {
			if path == c.socket {
				return true
			}
			continue
		}
		host, port, err := net.SplitHostPort(a)
		if local := host == "localhost" || net.ParseIP(host).IsLoopback(); err == nil && local && port == c.port {
			return true
		}
	}
	return false
}

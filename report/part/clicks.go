package part

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Click says how often a session followed a link inside a file.
type Click struct {
	Part   int    `json:"part"`   // page or part with the link, counted from 1; 0 if it is not known
	Target string `json:"target"` // as ClickTarget returns it
	Count  int64  `json:"count"`
}

// Limits of the clicks of a session. More clicks change nothing.
const (
	MaxTargets = 20  // parts and targets
	maxClicks  = 100 // on one
	maxTarget  = 200 // bytes
	maxScheme  = 16  // bytes
)

// maxRows is the number of clicks, by part and target, in a report.
const maxRows = 100

// ClickTarget returns what is kept of the target of a link: of https the
// address without user, query and fragment, or only its host if it is longer
// than maxTarget; of any other scheme its name. ok is false for what leads
// nowhere, such as javascript.
func ClickTarget(href string) (target string, ok bool) {
	scheme, _, _ := strings.Cut(href, ":")
	scheme = strings.ToLower(scheme)
	if scheme != "https" || scheme == strings.ToLower(href) {
		return scheme, isScheme(scheme) && scheme != "https"
	}
	u, err := url.Parse(href)
	if err != nil || !isHost(u.Host) {
		return "", false
	}
	host := "https://" + strings.ToLower(u.Host)
	target = host + cmp.Or(u.EscapedPath(), "/")
	if len(target) > maxTarget {
		target = host + "/"
	}
	return target, len(target) <= maxTarget
}

// isScheme reports whether a text is the name of a scheme that leads somewhere.
func isScheme(s string) bool {
	if s == "" || len(s) > maxScheme || s[0] < 'a' || s[0] > 'z' ||
		strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789+-.") != "" {
		return false
	}
	switch s {
	case "javascript", "vbscript", "data", "blob", "about", "file", "filesystem", "view-source":
		return false
	}
	return true
}

// isHost reports whether a text is a host name or an address, with a port or
// without.
func isHost(s string) bool {
	return s != "" && strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz0123456789-._:[]") == ""
}

// ParseClicks returns the clicks that a page claims, by part and target, such
// as "3 https://a.example/prices". last is the last part of the file, or 0 if
// parts are not known. What is not as it should be is left out or limited.
func ParseClicks(claimed map[string]int64, last int) (clicks []Click) {
	for key, n := range claimed {
		number, href, _ := strings.Cut(key, " ")
		part, err := strconv.Atoi(number)
		target, ok := ClickTarget(href)
		if err != nil || !ok || n < 1 {
			continue
		}
		c := Click{part, target, min(n, maxClicks)}
		if c.Part < 0 || c.Part > last {
			c.Part = 0
		}
		clicks = append(clicks, c)
	}
	return MaxClicks(nil, clicks)
}

// CheckClicks returns the clicks of an imported session on a file with so many
// parts, 0 if their number is not known.
func CheckClicks(rows []Click, last int) (clicks []Click, err error) {
	if len(rows) > MaxTargets {
		return nil, fmt.Errorf("there are %d, and at most %d are kept", len(rows), MaxTargets)
	}
	for _, r := range rows {
		target, ok := ClickTarget(r.Target)
		switch {
		case !ok || target != r.Target:
			return nil, fmt.Errorf("%q is neither an https address without query and fragment, nor the name of a scheme",
				r.Target)
		case r.Part < 0 || r.Part > last:
			return nil, fmt.Errorf("part %d is not in the file", r.Part)
		case r.Count < 1 || r.Count > maxClicks:
			return nil, fmt.Errorf("a count of %d is not between 1 and %d", r.Count, maxClicks)
		}
		clicks = append(clicks, r)
	}
	if clicks = MaxClicks(nil, clicks); len(clicks) < len(rows) {
		return nil, errors.New("a part and target occurs twice")
	}
	return clicks, nil
}

func compareClicks(c, d Click) int {
	return cmp.Or(cmp.Compare(c.Part, d.Part), cmp.Compare(c.Target, d.Target))
}

// MaxClicks returns the most clicks on each target in a or b, in order: of the
// first Most targets, so that it is associative.
func MaxClicks(a, b []Click) []Click {
	if len(b) == 0 {
		return a
	}
	clicks := slices.Concat(a, b)
	slices.SortFunc(clicks, func(c, d Click) int { return cmp.Or(compareClicks(c, d), cmp.Compare(d.Count, c.Count)) })
	clicks = slices.CompactFunc(clicks, func(c, d Click) bool { return compareClicks(c, d) == 0 })
	return clicks[:min(len(clicks), MaxTargets):min(len(clicks), MaxTargets)]
}

// labelBreak separates a part and a target in a label.
const labelBreak = "\x1f"

// ClickLabel returns a part and a target as one text.
func ClickLabel(part int, target string) string { return strconv.Itoa(part) + labelBreak + target }

// ClickOf returns n clicks on a part and target.
func ClickOf(label string, n int64) Click {
	part, target, _ := strings.Cut(label, labelBreak)
	p, _ := strconv.Atoi(part)
	return Click{p, target, n}
}

// TopClicks sorts rows, most clicks first, ties by part and target, and returns
// those that a report shows.
func TopClicks(rows []Click) []Click {
	slices.SortFunc(rows, func(a, b Click) int { return cmp.Or(cmp.Compare(b.Count, a.Count), compareClicks(a, b)) })
	return rows[:min(len(rows), maxRows)]
}

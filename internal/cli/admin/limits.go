package admin

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vitrine"
	"vitrine/internal/cli/terminal"

	"github.com/dustin/go-humanize"
)

// Bounds are changes to a plan's limits, written
// links=10,file=25MB,storage=250MB,uploads=20,versions=1,
// recipients=500. Limits that are not
// given stay unchanged; 0 means no limit. Sizes are in bytes or with a unit: MB
// is a million, MiB 2^20.
type Bounds struct{ Named map[string]int64 }

// bound is one limit: its name, whether it counts bytes, and its field.
type bound struct {
	name  string
	bytes bool
	of    func(*vitrine.Limits) *int64
}

var allBounds = []bound{
	{"links", false, func(l *vitrine.Limits) *int64 { return &l.Links }},
	{"file", true, func(l *vitrine.Limits) *int64 { return &l.FileBytes }},
	{"storage", true, func(l *vitrine.Limits) *int64 { return &l.StorageBytes }},
	{"uploads", false, func(l *vitrine.Limits) *int64 { return &l.HourlyUploads }},
	{"versions", false, func(l *vitrine.Limits) *int64 { return &l.Versions }},
	{"recipients", false, func(l *vitrine.Limits) *int64 { return &l.Recipients }},
}

// UnmarshalText reads bounds as people write them: "links=100,file=2GB".
func (b *Bounds) UnmarshalText(text []byte) error {
	named := map[string]int64{}
	for part := range strings.SplitSeq(string(text), ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		i := slices.IndexFunc(allBounds, func(b bound) bool { return b.name == name })
		if !ok || i < 0 {
			return fmt.Errorf("%q is none of links=N, file=SIZE, storage=SIZE, uploads=N, versions=N, recipients=N", part)
		}
		if _, twice := named[name]; twice {
			return fmt.Errorf("%s is named twice", name)
		}
		n, err := parseBound(value, allBounds[i].bytes)
		if err != nil {
			return fmt.Errorf("%s=%s: %w", name, value, err)
		}
		named[name] = n
	}
	b.Named = named
	return nil
}

func parseBound(s string, bytes bool) (int64, error) {
	var n uint64
	var err error
	if bytes {
		n, err = humanize.ParseBytes(s)
	} else {
		n, err = strconv.ParseUint(s, 10, 63)
	}
	switch {
	case err != nil && bytes:
		return 0, errors.New("not a size such as 25MB")
	case err != nil:
		return 0, errors.New("not a whole number")
	case n > 1<<60:
		return 0, errors.New("too large")
	}
	return int64(n), nil
}

// Over returns l with the named limits changed.
func (b Bounds) Over(l vitrine.Limits) vitrine.Limits {
	for _, n := range allBounds {
		if v, ok := b.Named[n.name]; ok {
			*n.of(&l) = v
		}
	}
	return l
}

var shortSize = strings.NewReplacer(".0 ", "", " ", "")

// Format writes limits the way bounds reads them.
func Format(l vitrine.Limits) string {
	var parts []string
	for _, n := range allBounds {
		v := *n.of(&l)
		text := strconv.FormatInt(v, 10)
		if n.bytes {
			text = shortSize.Replace(terminal.FormatSize(v))
		}
		parts = append(parts, n.name+"="+text)
	}
	return strings.Join(parts, ",")
}

package analytics

import (
	"cmp"
	"context"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"time"
	_ "time/tzdata" // the same zones wherever the program runs

	"vitrine"
	"vitrine/internal/app/links"
	"vitrine/internal/base/notation"
	"vitrine/report"
)

// Query selects the views of a report. The zero value is the default range in
// UTC, with all views.
type Query struct {
	report.Period
	Filter report.Filter

	Rows   int  // rows of each card of Breakdowns; 0 means 8
	UTM    bool // include the cards of utm_ parameters
	Curves bool // include curves and the expected reading time in the content card
	// Excluded asks for the excluded views by reason and program, too.
	Excluded bool
	// Version is the version of the file for the content card; 0 means the
	// current one.
	Version int
	// LastRead selects the newest version that has sessions for the content
	// card, if Version is 0 and the current version has none.
	LastRead bool
}

// In returns the query of a range.
func In(r report.Range) Query { return Query{Period: report.Period{Range: r}} }

// The parameters of a request for a report, except for the range.
const (
	paramFrom        = "from"
	paramTo          = "to"
	paramFilter      = "filter"
	paramTimezone    = "timezone"
	paramCompare     = "compare"
	paramGranularity = "granularity"
	paramLimit       = "limit"
	paramInclude     = "include"
	paramVersion     = "version"
)

// AccountParameters lists the parameters of the report of an account.
func AccountParameters() []string {
	return []string{"range", paramFrom, paramTo, paramGranularity, paramTimezone, paramCompare, paramFilter, paramLimit,
		paramInclude, paramExplain, "cursor"}
}

// LinkParameters lists the parameters of the report of a link.
func LinkParameters() []string { return append(AccountParameters(), paramVersion) }

// ParseQuery parses request parameters. It ignores unknown and empty ones; only
// the range and a filter may not be empty. Errors name the parameter:
// CodeBadRange for range, from and to, CodeInvalidRequest for others.
func ParseQuery(values url.Values) (q Query, err error) {
	for _, name := range []string{paramFrom, paramTo, paramTimezone, paramCompare, paramGranularity, paramLimit,
		paramVersion} {
		refuse := wrong
		if name == paramFrom || name == paramTo {
			refuse = badRange
		}
		if len(values[name]) > 1 {
			return q, refuse(name, "Send only one %s.", name)
		}
	}
	v, ranged := values["range"]
	switch {
	case !ranged:
	case len(v) != 1 || v[0] == "":
		return q, badRange("range", "The range must be 7d, 14d, 30d, 90d or all.")
	default:
		if q.Range, err = report.ParseRange(v[0]); err != nil {
			return q, badRange("range", "The range must be 7d, 14d, 30d, 90d or all.")
		}
	}
	if q.Filter, err = report.ParseFilter(values[paramFilter]); err != nil {
		return q, wrong(paramFilter, "%v.", err)
	}
	if q.Zone, err = ParseZone(values.Get(paramTimezone)); err != nil {
		return q, err
	}
	switch c := report.Compare(values.Get(paramCompare)); c {
	case "", report.ComparePrevious, report.CompareYear, report.CompareNone:
		q.Compare = c
	default:
		return q, wrong(paramCompare, "compare must be %q, %q or %q.", report.ComparePrevious, report.CompareYear,
			report.CompareNone)
	}
	switch values.Get(paramGranularity) {
	case "":
	case "hour":
		q.Hourly = true
	default:
		return q, wrong(paramGranularity, `granularity must be "hour" or left out.`)
	}
	if err := q.parseCards(values); err != nil {
		return q, err
	}
	return q, q.parseDates(values, ranged)
}

// maxRows is the most rows of a card.
const maxRows = 1000

// parseCards parses the parameters for optional parts of a report.
func (q *Query) parseCards(values url.Values) error {
	for _, n := range []struct {
		name  string
		most  int
		value *int
	}{{paramLimit, maxRows, &q.Rows}, {paramVersion, math.MaxInt32, &q.Version}} {
		text := values.Get(n.name)
		if text == "" {
			continue
		}
		number, err := strconv.Atoi(text)
		if err != nil || number < 1 || number > n.most {
			return wrong(n.name, "%s must be a number from 1 to %d.", n.name, n.most)
		}
		*n.value = number
	}
	for _, name := range values[paramInclude] {
		switch name {
		case "":
		case "utm":
			q.UTM = true
		case "curves":
			q.Curves = true
		case "excluded":
			q.Excluded = true
		default:
			return wrong(paramInclude, `include must be "utm", "curves" or "excluded". To combine them, repeat the parameter.`)
		}
	}
	return nil
}

func (q *Query) parseDates(values url.Values, ranged bool) error {
	from, to := values.Get(paramFrom), values.Get(paramTo)
	switch {
	case from == "" && to == "":
		if ranged && q.Hourly {
			return wrong(paramGranularity, "For hours, send from and to, or no range for the last 24 hours.")
		}
		return nil
	case ranged:
		return badRange("range", "Send range, or from and to, not both.")
	case from == "" || to == "":
		return badRange(map[bool]string{true: paramFrom, false: paramTo}[from == ""], "Send from and to together.")
	}
	q.Dates = new(report.Dates)
	for _, d := range []struct {
		name, text string
		day        *report.Day
	}{{paramFrom, from, &q.Dates.First}, {paramTo, to, &q.Dates.Last}} {
		var err error
		if *d.day, err = report.ParseDate(d.text); err != nil {
			return badRange(d.name, "%s is wrong: %v.", d.name, err)
		}
	}
	return nil
}

// zoneName matches names of time zones. It excludes other files in the
// directory of zones.
var zoneName = regexp.MustCompile(`^[A-Z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$`)

// ParseZone parses the IANA name of a time zone; "" returns nil.
func ParseZone(name string) (*time.Location, error) {
	if name == "" {
		return nil, nil
	}
	if zoneName.MatchString(name) && name != "Local" {
		if zone, err := time.LoadLocation(name); err == nil {
			return zone, nil
		}
	}
	return nil, wrong(paramTimezone, "Unknown time zone. Use a name such as Europe/Berlin or UTC.")
}

func wrong(field, format string, args ...any) error {
	e := vitrine.Errorf(vitrine.CodeInvalidRequest, format, args...)
	e.Field = field
	return e
}

func badRange(field, format string, args ...any) error {
	e := vitrine.Errorf(vitrine.CodeBadRange, format, args...)
	e.Field = field
	return e
}

// Values returns the parameters from which ParseQuery makes the query.
func (q Query) Values() url.Values {
	v := url.Values{}
	set := func(name, value string) {
		if value != "" {
			v.Set(name, value)
		}
	}
	set("range", string(q.Range))
	if q.Dates != nil {
		set(paramFrom, q.Dates.First.String())
		set(paramTo, q.Dates.Last.String())
	}
	if q.Zone != nil {
		set(paramTimezone, q.Zone.String())
	}
	set(paramCompare, string(q.Compare))
	if q.Version != 0 {
		set(paramVersion, strconv.Itoa(q.Version))
	}
	if q.Hourly {
		set(paramGranularity, "hour")
	}
	if len(q.Filter) > 0 {
		v[paramFilter] = q.Filter.Texts()
	}
	return v
}

// check returns the error of an invalid query, before anything is looked up.
func (q *Query) check(now time.Time, link bool) error {
	if link && len(q.Filter.On(report.OnLink, report.OnKind)) > 0 {
		return wrong(paramFilter, "A report of one link has no filter by link or kind.")
	}
	_, err := q.window(now, time.Time{})
	return err
}

func (q *Query) window(now, created time.Time) (report.Window, error) {
	w, err := report.WindowOf(q.Period, now, created)
	if err == nil {
		return w, nil
	}
	field := paramTo
	if q.Dates == nil {
		field = "range"
	}
	return w, badRange(field, "The range is wrong: %v.", err)
}

// note adds the requested details to a report. A filtered report states that,
// and counts only downloads of its views.
func (q *Query) note(s *report.Summary, cur *report.Tally) {
	if q.Rows > 0 || q.UTM {
		s.Breakdowns = cur.Breakdowns(cmp.Or(q.Rows, report.DefaultRows), q.UTM)
	}
	if q.Excluded {
		s.ByReason = s.ExcludedViews()
	}
	if len(q.Filter) > 0 {
		s.Filter = q.Filter.Texts()
		s.Totals.Downloads = cur.Downloads()
	}
}

// resolveLinks has a lens select only the links, and of replaced ones the
// versions, that the conditions of its filter on links include. Without such
// conditions it changes nothing. An unknown slug is an error.
func (s *Service) resolveLinks(ctx context.Context, a *vitrine.Account, lens *report.Lens) error {
	f := slices.Clone(lens.Filter.On(report.OnLink, report.OnKind))
	if len(f) == 0 {
		return nil
	}
	for i, c := range f {
		if c.Dimension != report.OnLink {
			continue
		}
		switch l, err := links.OwnLink(ctx, s.Store, a, c.Value, s.Now()); {
		case err == nil:
			f[i].Value = strconv.FormatInt(int64(l.ID), 10)
		case vitrine.CodeOf(err) == vitrine.CodeNotFound:
			return wrong(paramFilter, "There is no link %q.", notation.Shorten(c.Value, maxShown))
		default:
			return err
		}
	}
	links, err := s.links(ctx, func(tx vitrine.Tx) ([]vitrine.LinkFacts, error) { return tx.LinkFacts(a.ID) })
	if err != nil {
		return err
	}
	lens.Links = []int64{}
	for i := range links {
		shows, only := matching(&links[i], f)
		if !shows {
			continue
		}
		lens.Links = append(lens.Links, links[i].ID)
		if only != nil {
			if lens.Versions == nil {
				lens.Versions = map[int64][]int{}
			}
			lens.Versions[links[i].ID] = only
		}
	}
	return nil
}

// matching reports whether the conditions hold for a link: for its kind, or for
// that of some versions if its file was replaced. If others do not match, only
// has those that do.
func matching(l *report.Link, f report.Filter) (shows bool, only []int) {
	id := strconv.FormatInt(l.ID, 10)
	if len(l.Files) == 0 {
		return f.MatchLink(id, l.Kind), nil
	}
	for version, file := range l.Files {
		if f.MatchLink(id, file.Kind) {
			only = append(only, version)
		}
	}
	if shows = len(only) > 0; len(only) == len(l.Files) {
		only = nil
	}
	slices.Sort(only)
	return shows, only
}

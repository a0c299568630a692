package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Condition requires that a dimension has a value, or that it does not. The
// empty value means unknown.
type Condition struct {
	Dimension Dimension
	Not       bool
	Value     string
}

// The values of dimensions that are true or false.
const (
	Yes = "yes"
	No  = "no"
)

const (
	isWord    = "is"
	isNotWord = "is_not"
)

// Bounds of a filter.
const (
	maxConditions = 20
	maxValue      = 500 // bytes
)

// String returns the condition in the form that ParseCondition reads.
func (c Condition) String() string {
	word := isWord
	if c.Not {
		word = isNotWord
	}
	return string(c.Dimension) + ":" + word + ":" + c.Value
}

// ParseCondition reads DIMENSION:is:VALUE or DIMENSION:is_not:VALUE. The value
// is everything after the second colon. An error names the invalid part.
func ParseCondition(text string) (c Condition, err error) {
	name, rest, some := strings.Cut(text, ":")
	c.Dimension = Dimension(name)
	if c.Dimension.Row() == nil {
		return c, fmt.Errorf("%q is unknown; write it as country:is:DE, with one of %s", shortened(name), names())
	}
	word, value, all := strings.Cut(rest, ":")
	if !some || word != isWord && word != isNotWord {
		return c, fmt.Errorf("after %q there must be %q or %q", name+":", isWord+":", isNotWord+":")
	}
	switch c.Not, c.Value = word == isNotWord, value; {
	case !all:
		return c, fmt.Errorf("after %q there must be a colon and the value; no value after the colon means unknown",
			name+":"+word)
	case len(value) > maxValue:
		return c, fmt.Errorf("the value of %q is longer than %d bytes", name, maxValue)
	case !utf8.ValidString(value):
		return c, fmt.Errorf("the value of %q is not valid UTF-8", name)
	case (c.Dimension == OnQR || c.Dimension == OnReturning) && value != Yes && value != No:
		return c, fmt.Errorf("the value of %q is %q or %q", name, Yes, No)
	case c.Dimension == OnVersion && !isVersion(value):
		return c, fmt.Errorf("the value of %q is a number from 1 on", name)
	case c.Dimension == OnRecipient && value != "" && !isID(value):
		return c, fmt.Errorf("the value of %q is the ID of a recipient, or empty for the plain address", name)
	case c.Dimension == OnAlbum && value != "" && !isID(value):
		return c, fmt.Errorf("the value of %q is the ID of an album, or empty for views from no album", name)
	}
	return c, nil
}

func isVersion(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && n > 0 && strconv.Itoa(n) == s
}

func isID(s string) bool {
	n, err := strconv.ParseInt(s, 10, 64)
	return err == nil && n > 0 && strconv.FormatInt(n, 10) == s
}

func shortened(s string) string {
	if s = strings.ToValidUTF8(s, "?"); len(s) > 40 {
		return strings.ToValidUTF8(s[:40], "") + "…"
	}
	return s
}

// names lists the dimensions.
func names() string {
	var list []string
	for _, d := range &dimensions {
		list = append(list, string(d.Dimension))
	}
	return strings.Join(list, ", ")
}

// Filter selects the views of a report by its conditions. For each dimension,
// at least one of its "is" conditions must hold, and all of its "is not"
// conditions. The empty filter selects all views.
type Filter []Condition

// ParseFilter reads the conditions of a filter, each as ParseCondition does.
// The filter has them sorted and without duplicates.
func ParseFilter(texts []string) (f Filter, err error) {
	if len(texts) > maxConditions {
		return nil, fmt.Errorf("a filter has at most %d conditions", maxConditions)
	}
	for _, text := range texts {
		c, err := ParseCondition(text)
		if err != nil {
			return nil, err
		}
		f = append(f, c)
	}
	return f.sorted(), nil
}

func (f Filter) sorted() Filter {
	s := slices.Clone(f)
	slices.SortFunc(s, func(a, b Condition) int {
		not := func(c Condition) int {
			if c.Not {
				return 1
			}
			return 0
		}
		return cmp.Or(a.Dimension.Row().index-b.Dimension.Row().index, not(a)-not(b),
			cmp.Compare(a.Value, b.Value))
	})
	return slices.Compact(s)
}

// Texts returns the filter in the form that ParseFilter reads.
func (f Filter) Texts() []string {
	texts := make([]string, len(f))
	for i, c := range f {
		texts[i] = c.String()
	}
	return texts
}

// On returns the conditions on the given dimensions. A view matches a filter if
// it matches the parts on each of its dimensions.
func (f Filter) On(dimensions ...Dimension) (part Filter) {
	for _, c := range f {
		if slices.Contains(dimensions, c.Dimension) {
			part = append(part, c)
		}
	}
	return part
}

// Only returns the value that a filter on one dimension requires, or "" if it
// requires none or allows several.
func (f Filter) Only() (value string) {
	for _, c := range f {
		switch {
		case c.Not || slices.Contains(f, Condition{Dimension: c.Dimension, Not: true, Value: c.Value}):
		case value != "" && value != c.Value:
			return ""
		default:
			value = c.Value
		}
	}
	return value
}

// With returns the filter with some values of a dimension, which match
// alternatively, instead of its conditions on that dimension.
func (f Filter) With(d Dimension, values ...string) Filter {
	with := slices.DeleteFunc(slices.Clone(f), func(c Condition) bool { return c.Dimension == d })
	for _, v := range values {
		with = append(with, Condition{Dimension: d, Value: v})
	}
	return with.sorted()
}

// Match reports whether the filter selects a view. Conditions on the link are
// ignored: see MatchLink.
func (f Filter) Match(v *View) bool {
	return f.match(func(d Dimension) (string, bool) {
		row := d.Row()
		return row.Key(v), !row.OfLink()
	})
}

// Lists reports whether a list has a view: the view matches and, in a list of
// views with engagement data, is not excluded as the owner's.
func (f Filter) Lists(v *View, engaged bool) bool {
	return f.Match(v) && !(engaged && v.Bot == BotOwn)
}

// MatchLink reports whether the filter's conditions on links hold for a link.
func (f Filter) MatchLink(slug, kind string) bool {
	return f.match(func(d Dimension) (string, bool) {
		switch d {
		case OnKind:
			return kind, true
		case OnLink:
			return slug, true
		}
		return "", false
	})
}

// match reports whether the conditions hold on the dimensions for which value
// returns asked.
func (f Filter) match(value func(Dimension) (v string, asked bool)) bool {
	for len(f) > 0 {
		n := 1
		for n < len(f) && f[n].Dimension == f[0].Dimension {
			n++
		}
		if v, asked := value(f[0].Dimension); asked && !f[:n].holds(v) {
			return false
		}
		f = f[n:]
	}
	return true
}

// holds reports whether conditions of one dimension hold for its value.
func (f Filter) holds(value string) bool {
	wanted, found := false, false
	for _, c := range f {
		is := c.Value == value
		if c.Not && is {
			return false
		}
		if !c.Not {
			wanted, found = true, found || is
		}
	}
	return found || !wanted
}

// IDText returns the ID of a recipient or album as text; the plain address and
// no album are "".
func IDText(id int64) string {
	if id == 0 {
		return ""
	}
	return strconv.FormatInt(id, 10)
}

// OnlyRecipients reports whether all conditions are on recipients, so that they
// also select downloads without a view.
func (f Filter) OnlyRecipients() bool {
	return !slices.ContainsFunc(f, func(c Condition) bool { return c.Dimension != OnRecipient })
}

// FromAlbums reports whether all views that match were opened from an album.
func (f Filter) FromAlbums() bool { return !f.On(OnAlbum).Match(new(View)) }

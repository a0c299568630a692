package command

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/base/notation"
)

// Duration adds a flag with a length of time, such as 30s, 12h or 7d.
func (c *Command) Duration(to *time.Duration, name, help string) *Flag {
	return c.add(name, help, &value{kind: "TIME", text: func() string { return shortTime(*to) },
		set: func(text string) (err error) {
			if *to, err = time.ParseDuration(text); err != nil && strings.HasSuffix(text, "d") {
				*to, err = notation.ParseSpan(text)
			}
			if err != nil {
				return fmt.Errorf("%q is not a length of time, such as 30s, 12h or 7d", text)
			}
			return nil
		}})
}

// shortTime formats whole hours without minutes and seconds.
func shortTime(d time.Duration) string {
	if d > 0 && d%time.Hour == 0 {
		return strconv.Itoa(int(d/time.Hour)) + "h"
	}
	return d.String()
}

// Span adds a flag with a length of time that is longer than none, such as 12h
// or 30d. It is 0 if the flag is left out.
func (c *Command) Span(to *time.Duration, name, help string) *Flag {
	return c.add(name, help, &value{kind: "TIME", set: func(text string) (err error) {
		*to, err = notation.ParseSpan(text)
		return err
	}})
}

// When is the value of a flag such as --expires.
type When struct {
	Given, Never bool
	text         string
}

// At returns the time, counted from now if it is a length of time. It is the
// zero time for never, and if the flag is left out.
func (w When) At(now time.Time) time.Time {
	at, err := notation.ParseTime(w.text, now)
	if err != nil {
		return time.Time{}
	}
	return at
}

// When adds a flag with a point in time: a length of time from now, a date or a
// time.
func (c *Command) When(to *When, name, help string) *Flag {
	return c.add(name, help, &value{kind: "WHEN", set: func(text string) error {
		*to = When{Given: true, text: text}
		_, err := notation.ParseTime(text, time.Now())
		return err
	}}).Complete(Words("1d", "7d", "30d", "90d", "1y"))
}

// WhenOrNever adds a flag with a point in time or never.
func (c *Command) WhenOrNever(to *When, name, help string) *Flag {
	f := c.When(to, name, help).Complete(Words("1d", "7d", "30d", "90d", "1y", "never"))
	whole := f.value.set
	f.value.set = func(text string) error {
		if text == "never" {
			*to = When{Given: true, Never: true}
			return nil
		}
		if err := whole(text); err != nil {
			return fmt.Errorf("%w; or never", err)
		}
		return nil
	}
	return f
}

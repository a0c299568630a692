package signer

import (
	"strconv"
	"strings"
	"time"

	"vitrine"
)

// Pass returns the pass of a browser for the present access of a link, with a
// place or without one (0), which a cookie keeps. It begins with its time in
// seconds (PassTime).
func (s *Signer) Pass(l *vitrine.Link, place int64, now time.Time) string {
	at, id := strconv.FormatInt(now.Unix(), 36), strconv.FormatInt(place, 36)
	return at + "." + id + "." + s.Sign(PurposePass, strconv.FormatInt(int64(l.ID), 36), l.Access.Round, id, at)
}

// ParsePass returns what a pass is worth at a link: the zero Pass if it is of
// another link, of an earlier access, or older than life.
func (s *Signer) ParsePass(text string, l *vitrine.Link, now time.Time, life time.Duration) (p vitrine.Pass) {
	f := strings.Split(text, ".")
	age := now.Sub(PassTime(text))
	if len(f) != 3 || age >= life || age <= -vitrine.ClockJump ||
		!s.Verify(f[2], PurposePass, strconv.FormatInt(int64(l.ID), 36), l.Access.Round, f[1], f[0]) {
		return p
	}
	place, err := strconv.ParseInt(f[1], 36, 64)
	if err != nil {
		return p
	}
	return vitrine.Pass{Round: l.Access.Round, Place: place}
}

// PassTime returns when a pass was made, which nobody has checked.
func PassTime(text string) time.Time {
	at, _, _ := strings.Cut(text, ".")
	seconds, err := strconv.ParseInt(at, 36, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(seconds, 0)
}

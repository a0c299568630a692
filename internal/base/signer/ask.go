package signer

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"time"

	"vitrine"
)

// Ask is a request for a code at the email gate of a link. Nothing of it is
// stored: signed texts carry it, to the browser that asked (PurposeAsked) and
// to the mailbox (PurposeMailed). It is of the present access of the link, so a
// change of that ends it.
type Ask struct {
	Email string
	Nonce string
	At    time.Time
}

func (a Ask) fields(l *vitrine.Link) []string {
	return []string{strconv.FormatInt(int64(l.ID), 36), l.Access.Round, strconv.FormatInt(a.At.Unix(), 36), a.Nonce,
		a.Email}
}

// AskText returns the signed text of a request for a purpose.
func (s *Signer) AskText(p Purpose, l *vitrine.Link, a Ask) string {
	f := a.fields(l)
	return f[2] + "." + f[3] + "." + base64.RawURLEncoding.EncodeToString([]byte(a.Email)) + "." + s.Sign(p, f...)
}

// ParseAsk reads a text of AskText. It reports false for one of another link,
// of an earlier access, or older than life.
func (s *Signer) ParseAsk(p Purpose, text string, l *vitrine.Link, now time.Time, life time.Duration) (a Ask, ok bool) {
	f := strings.Split(text, ".")
	if len(f) != 4 {
		return a, false
	}
	seconds, err1 := strconv.ParseInt(f[0], 36, 64)
	email, err2 := base64.RawURLEncoding.Strict().DecodeString(f[2])
	a = Ask{Email: string(email), Nonce: f[1], At: time.Unix(seconds, 0)}
	age := now.Sub(a.At)
	if err1 != nil || err2 != nil || age >= life || age <= -vitrine.ClockJump ||
		!s.Verify(f[3], p, a.fields(l)...) {
		return Ask{}, false
	}
	return a, true
}

// Code returns the six digits that the mail for a request has.
func (s *Signer) Code(l *vitrine.Link, a Ask) string {
	n := binary.BigEndian.Uint64(s.MAC(PurposeCode, a.fields(l)...))
	return fmt.Sprintf("%06d", n%1_000_000) // all are equally likely, to 1 in 10¹³
}

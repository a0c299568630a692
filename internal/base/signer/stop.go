package signer

import (
	"strconv"

	"vitrine"
)

// Stop is what an address in a mail ends: all mails of a kind to an account, or
// those about one link.
type Stop struct {
	Account vitrine.AccountID
	Mail    string // kind, without a dot
	Link    vitrine.LinkID
}

// StopToken returns the token of an address that ends mails. It gives no other
// access, and does not expire, because people keep mails.
func (s *Signer) StopToken(v Stop) string {
	return s.token(PurposeStop, strconv.FormatInt(int64(v.Account), 36), v.Mail, strconv.FormatInt(int64(v.Link), 36))
}

// ParseStop checks a token of StopToken.
func (s *Signer) ParseStop(token string) (v Stop, ok bool) {
	f, ok := s.parse(PurposeStop, token, 3)
	if !ok {
		return v, false
	}
	account, err1 := strconv.ParseInt(f[0], 36, 64)
	link, err2 := strconv.ParseInt(f[2], 36, 64)
	return Stop{vitrine.AccountID(account), f[1], vitrine.LinkID(link)}, err1 == nil && err2 == nil
}

package audit

import (
	"fmt"

	"vitrine"
	"vitrine/internal/app/auth/password"
)

// auditAccess checks that what readers of a link need can be checked, that
// passes of before a change cannot fit, and that no version has an access of
// its own.
func auditAccess(tx vitrine.PlaceTx, l *vitrine.Link, fault func(string)) error {
	name, a := "link "+string(l.Slug), l.Access
	if l.ID < 0 {
		name = "album " + string(l.Slug)
	}
	if to := l.Through.Recipient; to != 0 {
		name = fmt.Sprintf("recipient %d", to)
	}
	switch {
	case a == (vitrine.Access{}):
		return nil
	case !l.Standalone():
		fault(fmt.Sprintf("link %d: a version is protected by itself", l.ID))
	case !validAccess(a):
		fault(name + ": its password has an unknown form, or its passes have no round")
	}
	open, err := tx.OpenPlaces(l.ID, a.Round)
	if len(open) > 2*maxOpenPlaces {
		fault(fmt.Sprintf("%s: %d browsers have a place that does not count yet", name, len(open)))
	}
	return err
}

// validAccess reports whether a password can be checked, and passes tell what
// is protected before a change from what is after it.
func validAccess(a vitrine.Access) bool {
	_, _, _, known := password.ParsePHC(a.Password)
	return (known || a.Password == "") && a.Gated() == (a.Round != "")
}

// auditReaders checks that readers have left nothing at deleted links, and that
// who is known by name is known at a link.
func auditReaders(tx vitrine.Tx, links []*vitrine.Link, fault func(string)) error {
	left, err := tx.LeftByReaders()
	if err != nil {
		return err
	}
	for _, id := range left {
		name := fmt.Sprint("link ", id)
		if id < 0 {
			name = fmt.Sprint("album ", -id)
		}
		fault(name + " is deleted, but something that its readers left is not")
	}
	byID := make(map[vitrine.LinkID]*vitrine.Link, len(links))
	for _, l := range links {
		byID[l.ID] = l
	}
	return tx.EachKnownReader(func(r *vitrine.KnownReader) error {
		of := fmt.Sprintf("known reader %d: ", r.ID)
		email, err := vitrine.NormalEmail(r.Email)
		if err != nil || email != r.Email || r.Round == "" || r.At.IsZero() {
			fault(of + "the address, the round or the time is not valid")
		}
		if l := byID[r.Link]; l != nil && !l.Standalone() {
			fault(of + fmt.Sprintf("its link %d is a version", r.Link))
		}
		return nil
	})
}

// maxOpenPlaces bounds the open places of a link, of browsers and of programs
// (security, Access).
const maxOpenPlaces = 20

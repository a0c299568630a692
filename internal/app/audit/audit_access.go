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
	if to := l.Through.Recipient; to != 0 {
		name = fmt.Sprintf("recipient %d", to)
	}
	_, _, _, known := password.ParsePHC(a.Password)
	switch {
	case a == (vitrine.Access{}):
		return nil
	case !l.Standalone():
		fault(fmt.Sprintf("link %d: a version is protected by itself", l.ID))
	case !known && a.Password != "":
		fault(name + ": its password has an unknown form")
	case a.Gated() != (a.Round != ""):
		fault(name + ": it is protected, but its passes have no round, or the other way round")
	}
	open, err := tx.OpenPlaces(l.ID, a.Round)
	if len(open) > 2*maxOpenPlaces {
		fault(fmt.Sprintf("%s: %d browsers have a place that does not count yet", name, len(open)))
	}
	return err
}

// maxOpenPlaces bounds the open places of a link, of browsers and of programs
// (security, Access).
const maxOpenPlaces = 20

package audit

import (
	"fmt"

	"vitrine"
)

// auditVersions checks that each version belongs to a link of the same account,
// that the row of a current version has no file, and that a version waiting to
// become current belongs to the link.
func auditVersions(links []*vitrine.Link, fault func(string)) {
	of := map[vitrine.LinkID]*vitrine.Link{}
	for _, l := range links {
		of[l.ID] = l
	}
	for _, l := range links {
		if l.Pending != 0 && (of[l.Pending] == nil || of[l.Pending].Of != l.ID) {
			fault(fmt.Sprintf("link %s: its pending version is link %d, which is not a version of it", l.Slug,
				l.Pending))
		}
		if !l.OfLink() {
			if l.Version < 1 || l.Version > max(l.Versions, 1) {
				fault(fmt.Sprintf("link %s: version %d of %d is current", l.Slug, l.Version, l.Versions))
			}
			continue
		}
		m := of[l.Of]
		switch {
		case m == nil:
			fault(fmt.Sprintf("link %s: it is a version of link %d, which does not exist", l.Slug, l.Of))
		case !m.Standalone() || l.OfSite() || m.Account != l.Account:
			fault(fmt.Sprintf("link %s: it cannot be a version of link %s", l.Slug, m.Slug))
		case l.Version > m.Versions:
			fault(fmt.Sprintf("link %s: it is version %d of link %s, which has had %d", l.Slug, l.Version, m.Slug,
				m.Versions))
		case l.Version == m.Version && l.HasBytes:
			fault(fmt.Sprintf("link %s: it is the current version of link %s, which has another file", l.Slug, m.Slug))
		case l.Version != m.Version && !l.HasBytes && l.State != vitrine.StateDisabled:
			fault(fmt.Sprintf("link %s: version %d of link %s has no file", l.Slug, l.Version, m.Slug))
		}
	}
}

package links_test

import (
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/app/audit"
)

// TestAudit checks that the audit finds versions that do not fit their link.
func TestAudit(t *testing.T) {
	v := newVersioned(t)
	v.replace("text 2")
	v.replace("text 3")
	for want, spoil := range map[string]func(m, row *vitrine.Link){
		"which is not a version of it":        func(m, _ *vitrine.Link) { m.Pending = m.ID },
		"of link 99999, which does not exist": func(_, row *vitrine.Link) { row.Of = 99999 },
		"is current":                          func(m, _ *vitrine.Link) { m.Version = 9 },
		"which has had 1":                     func(m, _ *vitrine.Link) { m.Versions = 1 },
		"has no file":                         func(_, row *vitrine.Link) { row.HasBytes = false },
		"it is the current version of link":   func(m, _ *vitrine.Link) { m.Version = 1 },
		"it cannot be a version of link":      func(_, row *vitrine.Link) { row.Site = 7 },
		"a version is protected by itself":    func(_, row *vitrine.Link) { row.Access.Readers = 1 },
		"its password has an unknown form":    func(m, _ *vitrine.Link) { m.Access.Password = "open sesame" },
		"its passes have no round":            func(m, _ *vitrine.Link) { m.Access.Readers = 1 },
		"has another link, too":               func(m, row *vitrine.Link) { row.Upload = m.Upload },
	} {
		var m, row vitrine.Link
		change := func(f func(*vitrine.Link, *vitrine.Link)) {
			v.Must(v.Store.Update(t.Context(), func(tx vitrine.Tx) error {
				link, err := tx.Link(v.link.ID)
				v.Must(err)
				first, err := tx.Link(v.first())
				v.Must(err)
				if m.ID == 0 {
					m, row = *link, *first
				}
				f(link, first)
				v.Must(tx.PutLink(link))
				return tx.PutLink(first)
			}))
		}
		change(spoil)
		var faults []string
		a := audit.Checker{Store: v.Store, Blobs: v.Blobs, Log: v.Log, Now: v.Clock.Now}
		v.Must(a.Run(t.Context(), func(fault string) { faults = append(faults, fault) }))
		if !strings.Contains(strings.Join(faults, "\n"), want) {
			t.Errorf("audit = %q, want %q", faults, want)
		}
		change(func(link, first *vitrine.Link) { *link, *first = m, row })
	}
}

// first returns the row ID of the first version.
func (v *versioned) first() (id vitrine.LinkID) {
	v.T.Helper()
	v.Must(v.Store.Read(v.T.Context(), func(tx vitrine.Tx) error {
		links, err := tx.Links(vitrine.LinkQuery{Sort: vitrine.SortID})
		for _, l := range links {
			if l.ID != v.link.ID && l.Version == 1 {
				id = l.ID
			}
		}
		return err
	}))
	return id
}

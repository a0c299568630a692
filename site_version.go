package vitrine

import (
	"errors"
	"time"
)

// deleteVersion deletes a version within a transaction, with what was reported about it. Its bytes go with the next purge.
func (l *Link) deleteVersion(tx Tx, now time.Time, by Actor) error {
	l.DeletedAt, l.HasBytes = now, true
	return errors.Join(l.change(tx, now, Change{By: by, Action: ActionDelete}), tx.DeleteAbuseReports(l.ID))
}

// leaveSite has a version's website show it no longer, when it is deleted by anyone who deletes links. Nothing else is shown instead.
func (l *Link) leaveSite(tx Tx) error {
	if l.Site == 0 {
		return nil
	}
	site, err := tx.Site(l.Site)
	if err != nil {
		return err
	}
	if site.Current == l.ID {
		site.Current = 0
	}
	if site.Pending == l.ID {
		site.Pending = 0
		if l.State == StateLive {
			site.Current = 0
		}
	}
	return tx.PutSite(site)
}

// standForSite has a version that was shown when it was cleared stand for its website from now on, when it is taken off display: the website is
// off display with it, and no older version comes back. Anyone who takes the clearance itself back has the website as it was before.
func (l *Link) standForSite(tx Tx, c Change) error {
	if l.Site == 0 || c.From != StateLive || c.To == StateLive || c.Action == ActionUndo || c.Action == ActionDelete {
		return nil
	}
	site, err := tx.Site(l.Site)
	if err != nil || site.Pending != l.ID {
		return err
	}
	site.Current, site.Pending = l.ID, 0
	return tx.PutSite(site)
}

// openSite finds the website of an upload, which must still be there.
func openSite(tx Tx, u *Upload) (*Site, error) {
	site, err := tx.Site(u.Site)
	if errors.Is(err, ErrNotFound) || err == nil && (site.Account != u.Account || !site.DeletedAt.IsZero()) {
		return nil, errNoSite
	}
	return site, err
}

// deploy makes a link that was just added the version that is shown, or that will be, and deletes the versions that are too old. What was
// shown until now stays, however old, for anyone who has to go back to it.
func (s *Site) deploy(tx Tx, l *Link, now time.Time) error {
	var before LinkID
	if shown, err := s.shown(tx); err != nil {
		return err
	} else if shown != nil {
		before = shown.ID
	}
	if l.State == StateLive {
		s.Current, s.Pending = l.ID, 0
	} else {
		s.Current, s.Pending = before, l.ID // the deploy before this one may have become live meanwhile
	}
	if err := tx.PutSite(s); err != nil {
		return err
	}
	versions, err := tx.Links(LinkQuery{Site: s.ID})
	if err != nil {
		return err
	}
	for _, old := range versions[min(len(versions), KeptVersions):] {
		if old.ID == s.Current || old.ID == s.Pending || old.ID == before {
			continue
		}
		if err := old.deleteVersion(tx, now, Owner(s.Account)); err != nil {
			return err
		}
	}
	return nil
}

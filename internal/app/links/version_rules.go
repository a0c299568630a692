package links

import (
	"errors"
	"slices"
	"strconv"
	"time"

	"vitrine"
	"vitrine/internal/app/access"
)

// ErrNoVersion is returned for an unknown version of a link.
var ErrNoVersion = vitrine.Errorf(vitrine.CodeNotFound, "This link has no such version.")

// Replaceable refuses another file for a link that is being checked, held, or
// taken down by others than its owner.
func Replaceable(m *vitrine.Link) error {
	if m.MayMove() {
		return nil
	}
	return &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "replace",
		Message: "The file cannot be replaced while the link is being checked, held or disabled by a moderator. Replace it once the link is live."}
}

// AddVersion adds a checked file as a version of a link. A clean version
// becomes current at once; any other one becomes current when it is live,
// unless another file is chosen for the link in the meantime.
func AddVersion(tx vitrine.Tx, m, v *vitrine.Link, most int64, now time.Time) error {
	m.Versions = max(m.Versions, m.Version) + 1
	v.Of, v.Version, v.Title, v.Slug = m.ID, m.Versions, m.Title, ""
	v.CreatedAt, v.StateAt, v.ExpiresAt = now, now, time.Time{} // the link alone expires
	if err := v.Add(tx, v.InitialActor()); err != nil {
		return err
	}
	if v.State == vitrine.StateLive {
		return show(tx, m, v, most, now, vitrine.Change{By: vitrine.Owner(m.Account), Action: vitrine.ActionReplace})
	}
	m.Pending = v.ID
	return errors.Join(tx.PutLink(m), deleteOldVersions(tx, m, most, now))
}

// UpdateSettled updates a link after one of its versions changed: a pending
// version becomes current when it is live, and is replaced again when that
// decision is undone.
func UpdateSettled(tx vitrine.Tx, v *vitrine.Link, from vitrine.LinkState, by vitrine.Actor, plans vitrine.Plans,
	now time.Time) error {
	if !v.OfLink() || from == v.State || !v.DeletedAt.IsZero() {
		return nil
	}
	m, err := tx.Link(v.Of)
	if err != nil || !m.DeletedAt.IsZero() {
		return err
	}
	a, err := tx.Account(m.Account)
	if err != nil {
		return err
	}
	most := plans.LimitsOf(a).Versions
	switch {
	case v.State == vitrine.StateLive && m.Pending == v.ID && Replaceable(m) == nil:
		return show(tx, m, v, most, now, vitrine.Change{By: by, Action: vitrine.ActionReplace})
	case from == vitrine.StateLive && m.Version == v.Version:
		before, err := shownBefore(tx, m)
		if err != nil {
			return err
		}
		if err := show(tx, m, before, most, now, vitrine.Change{By: by, Action: vitrine.ActionRestore}); err != nil {
			return err
		}
		m.Pending = v.ID
		if fresh, err := tx.Link(v.ID); err != nil {
			return err
		} else {
			*v = *fresh
		}
		return tx.PutLink(m)
	}
	return nil
}

// shownBefore returns the newest version before the current one that can be
// shown.
func shownBefore(tx vitrine.Tx, m *vitrine.Link) (*vitrine.Link, error) {
	list, err := others(tx, m)
	for _, v := range slices.Backward(list) {
		if v.Version < m.Version && v.Live() && v.HasBytes {
			refused := access.CheckPublish(tx, v, vitrine.Owner(m.Account)) // a file that nobody decides about here
			if vitrine.CodeOf(refused) != vitrine.CodeForbidden {
				return v, errors.Join(err, refused)
			}
		}
	}
	return nil, errors.Join(err, vitrine.Errorf(vitrine.CodeInvalidRequest,
		"There is no earlier version to show in its place. Disable the link %s instead.", m.Slug))
}

// show makes a version the current one. c has By and Action.
func show(tx vitrine.Tx, m, v *vitrine.Link, most int64, now time.Time, c vitrine.Change) error {
	if err := keepFile(tx, m, now); err != nil {
		return err
	}
	m.Take(&v.File)
	m.Version, m.Pending = v.Version, 0
	if m.State == vitrine.StateLive {
		m.StateAt = now // pages wait for the previews of the new file from now on
	}
	c.At, c.Account, c.Link, c.From, c.To, c.Reason = now, m.Account, m.ID, m.State, m.State, m.Reason
	c.Detail = "version " + strconv.Itoa(m.Version)
	if err := errors.Join(tx.PutLink(v), tx.PutLink(m), c.Add(tx, vitrine.EventVersionLive)); err != nil {
		return err
	}
	return deleteOldVersions(tx, m, most, now)
}

// keepFile moves the file of a link into the row of its current version. An
// imported link has no bytes, but a kind and pages to which its history refers:
// they stay as those of a deleted version.
func keepFile(tx vitrine.Tx, m *vitrine.Link, now time.Time) error {
	imported := !m.HasBytes
	row, err := tx.Version(m.ID, m.Version)
	if errors.Is(err, vitrine.ErrNotFound) {
		row = &vitrine.Link{Account: m.Account, Of: m.ID, Version: m.Version, Title: m.Title, State: vitrine.StateLive,
			Key: m.Key, Client: m.Client, CreatedAt: m.CreatedAt, StateAt: now}
		row.Take(&m.File)
		if imported {
			row.State, row.DeletedAt = vitrine.StateDisabled, now
		}
		return row.Add(tx, vitrine.Owner(m.Account))
	}
	if err != nil || imported {
		return err
	}
	row.Take(&m.File)
	return tx.PutLink(row)
}

// VersionFiles returns a row for the file of each version of a link, also of
// deleted versions, whose numbers stay. It omits versions that are unknown.
func VersionFiles(tx vitrine.LinkTx, m *vitrine.Link) (map[int]*vitrine.Link, error) {
	files := map[int]*vitrine.Link{m.Version: m}
	for n := 1; n <= m.Versions; n++ {
		if n == m.Version {
			continue
		}
		row, err := tx.Version(m.ID, n)
		if errors.Is(err, vitrine.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		files[n] = row
	}
	return files, nil
}

// others returns the versions of a link that are neither current, nor pending,
// nor deleted, oldest first.
func others(tx vitrine.LinkTx, m *vitrine.Link) ([]*vitrine.Link, error) {
	list, err := tx.Links(vitrine.LinkQuery{Of: m.ID})
	list = slices.DeleteFunc(list, func(v *vitrine.Link) bool { return v.Version == m.Version || v.ID == m.Pending })
	slices.SortFunc(list, func(a, b *vitrine.Link) int { return a.Version - b.Version })
	return list, err
}

// pushTime is how long a version that was sent with a key that may not delete
// pushes out no other one, so that its owner can restore what was there before.
const pushTime = 30 * 24 * time.Hour

// deleteOldVersions deletes the oldest versions beyond the current one and the
// number to keep. A reader can finish reading one, because its bytes are purged
// later.
func deleteOldVersions(tx vitrine.Tx, m *vitrine.Link, most int64, now time.Time) error {
	if most == 0 {
		return nil
	}
	list, err := others(tx, m)
	if err != nil || len(list) <= int(most) {
		return err
	}
	keys, err1 := tx.Keys(m.Account)
	current, err2 := tx.Version(m.ID, m.Version)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	pushes := func(v *vitrine.Link) bool {
		return now.Sub(v.CreatedAt) >= pushTime || !slices.ContainsFunc(keys, func(k *vitrine.APIKey) bool {
			return k.ID == v.Key && !k.Scope.Allows(vitrine.ScopeFull)
		})
	}
	if pushes(current) {
		most--
	}
	for _, v := range slices.Backward(list) {
		switch {
		case most < 0:
			if err := v.DeleteVersion(tx, now, vitrine.Owner(m.Account)); err != nil {
				return err
			}
		case pushes(v):
			most--
		}
	}
	return nil
}

// WithVersion returns a link with the file of one of its versions, for readers
// who began with that version. It returns ErrNotFound if the version does not
// exist or is disabled.
func WithVersion(tx vitrine.LinkTx, m *vitrine.Link, n int) (*vitrine.Link, error) {
	if n == m.Version {
		return m, nil
	}
	v, err := tx.Version(m.ID, n)
	if err == nil && (v.State != vitrine.StateLive || !v.HasBytes) {
		err = vitrine.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	as := *m
	as.Take(&v.File)
	as.Version = n
	return &as, nil
}

// DetachVersion removes a version from its link before the version is deleted.
// It fails for the current version.
func DetachVersion(tx vitrine.Tx, v *vitrine.Link) error {
	if !v.OfLink() {
		return nil
	}
	m, err := tx.Link(v.Of)
	switch {
	case err != nil || !m.DeletedAt.IsZero():
		return err
	case m.Version == v.Version:
		return vitrine.Errorf(vitrine.CodeInvalidRequest,
			"This is the version that the link %s shows. Disable or delete that link.", m.Slug)
	case m.Pending == v.ID:
		m.Pending = 0
		return tx.PutLink(m)
	}
	return nil
}

// leaveSite removes a version from its website before the version is deleted.
// No other version replaces it.
func leaveSite(tx vitrine.SiteTx, l *vitrine.Link) error {
	if !l.OfSite() {
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
		if l.State == vitrine.StateLive {
			site.Current = 0
		}
	}
	return tx.PutSite(site)
}

// DeleteVersions deletes the versions of a link that is being deleted. It
// returns those whose bytes must be purged.
func DeleteVersions(tx vitrine.Tx, m *vitrine.Link, now time.Time, by vitrine.Actor) (gone []*vitrine.Link, err error) {
	if m.Versions == 0 {
		return nil, nil
	}
	kept, err1 := tx.Links(vitrine.LinkQuery{Of: m.ID})
	lapsed, err2 := tx.Links(vitrine.LinkQuery{Of: m.ID, WithBytes: true})
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	for _, v := range kept {
		if err := remove(tx, v, now, by); err != nil {
			return nil, err
		}
	}
	for _, v := range lapsed {
		hide(v)
		if err := tx.PutLink(v); err != nil {
			return nil, err
		}
	}
	return append(kept, lapsed...), nil
}

// remove deletes a version for every reader, including those who are reading
// it.
func remove(tx vitrine.Tx, v *vitrine.Link, now time.Time, by vitrine.Actor) error {
	hide(v)
	return v.DeleteVersion(tx, now, by)
}

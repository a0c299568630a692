package audit

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"vitrine"
	"vitrine/internal/app/links"
)

// auditTrash returns what is in the trash. It checks that it is deleted, and
// leaves the trash in time.
func auditTrash(tx vitrine.LinkTx, now time.Time, fault func(string)) ([]*vitrine.Link, error) {
	trashed, err := tx.Links(vitrine.LinkQuery{Trash: true, Sort: vitrine.SortDeleted})
	for _, l := range trashed {
		switch {
		case l.DeletedAt.IsZero():
			fault(fmt.Sprintf("link %s: it is in the trash, but not deleted", l.Slug))
		case now.Sub(l.TrashUntil) > 24*time.Hour, l.TrashUntil.Sub(l.DeletedAt) > links.TrashLife:
			fault(fmt.Sprintf("link %s: it is in the trash since %s, which is too long", l.Slug,
				l.DeletedAt.UTC().Format(time.DateOnly)))
		}
	}
	return trashed, err
}

// auditAlbums checks that each album has only links of its own account, no more
// than allowed, and no website versions.
func auditAlbums(tx vitrine.Tx, fault func(string)) error {
	albums, err := tx.Albums(0)
	if err != nil {
		return err
	}
	for _, album := range albums {
		links, err := tx.AlbumLinks(album.ID, 0)
		if err != nil {
			return err
		}
		if err := auditAccess(tx, album.Door(), fault); err != nil {
			return err
		}
		if len(links) > vitrine.MaxAlbumLinks {
			fault("album " + string(album.Slug) + ": it has " + strconv.Itoa(len(links)) + " links")
		}
		for _, l := range links {
			if l.Account != album.Account || !l.Standalone() {
				fault("album " + string(album.Slug) + ": link " + string(l.Slug) + " does not belong in it")
			}
		}
	}
	return nil
}

// auditRecipients checks that each recipient is of a link that is not deleted
// and can have recipients, and of the link's account, and its access.
func auditRecipients(tx vitrine.Tx, links []*vitrine.Link, fault func(string)) error {
	byID := make(map[vitrine.LinkID]*vitrine.Link, len(links))
	for _, l := range links {
		byID[l.ID] = l
	}
	var protected []*vitrine.Link
	err := tx.EachRecipient(func(r *vitrine.Recipient) error {
		l, of := byID[r.Link], fmt.Sprintf("recipient %d: ", r.ID)
		switch {
		case l == nil:
			fault(of + fmt.Sprintf("its link %d does not exist", r.Link))
		case !l.Standalone():
			fault(of + fmt.Sprintf("its link %d is a version", r.Link))
		case l.Account != r.Account:
			fault(of + fmt.Sprintf("it is of account %d, and its link %s of account %d", r.Account, l.Slug, l.Account))
		}
		if _, ok := vitrine.ParseRecipientToken(string(r.Token)); !ok || r.Number < 1 {
			fault(of + "its address or number is not valid")
		}
		if r.Access != nil && l != nil && l.Standalone() {
			protected = append(protected, l.For(r))
		}
		return nil
	})
	for _, l := range protected { // a row at a time: a transaction has one open list
		if err == nil {
			err = auditAccess(tx, l, fault)
		}
	}
	return err
}

// auditOldSlugs checks that each old slug leads to an existing link and is not
// the current slug of another one.
func auditOldSlugs(tx vitrine.Tx, now time.Time, fault func(string)) error {
	old, err := tx.OldSlugs(0, now)
	if err != nil {
		return err
	}
	for _, o := range old {
		if _, err := tx.Link(o.Link); errors.Is(err, vitrine.ErrNotFound) {
			fault("the old slug " + string(o.Slug) + " leads to a link that does not exist")
		} else if err != nil {
			return err
		}
		if l, err := tx.LinkBySlug(o.Slug); err == nil {
			fault("the old slug " + string(o.Slug) + " is the slug of link " + strconv.FormatInt(int64(l.ID), 10) +
				", too")
		} else if !errors.Is(err, vitrine.ErrNotFound) {
			return err
		}
		if o.Until.After(now.Add(vitrine.SlugRest + time.Hour)) {
			fault("the old slug " + string(o.Slug) + " is blocked for longer than it should be")
		}
	}
	return nil
}

// auditNotes checks that the notes of a link are within their bounds, and that
// a version has none.
func auditNotes(l *vitrine.Link, fault func(string)) {
	if l.Notes == "" {
		return
	}
	of, ids := "link "+string(l.Slug)+": ", map[int]bool{}
	all := links.NotesOf(l)
	if !l.Standalone() || len(all) > links.MaxNotes || len(all) != strings.Count(l.Notes, "\n") {
		fault(of + "it has notes that it cannot have")
	}
	for _, n := range all {
		if n.ID < 1 || ids[n.ID] || n.Text == "" || utf8.RuneCountInString(n.Text) > links.MaxNoteText {
			fault(of + "its note " + strconv.Itoa(n.ID) + " is not valid")
		}
		ids[n.ID] = true
	}
}

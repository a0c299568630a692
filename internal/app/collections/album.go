package collections

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/app/links"
	"vitrine/internal/filetype"

	"golang.org/x/text/unicode/norm"
)

var errNoAlbum = vitrine.Errorf(vitrine.CodeNotFound, "There is no album at this address.")

// Albums implements the use cases of albums.
type Albums struct {
	Store vitrine.Store
	Gates *access.Gates // checks changes of what readers need
	Now   func() time.Time
}

// Create creates an empty album. With slug "" it generates a slug; others
// require a plan with custom slugs. Errors: CodeInvalidRequest (field title, or
// the account has MaxAlbums), CodeProRequired, CodeInvalidSlug, CodeSlugTaken,
// CodeBanned.
func (s *Albums) Create(ctx context.Context, a *vitrine.Account, title, slug string) (album *vitrine.Album, err error) {
	title, err = parseTitle(title)
	if err != nil {
		return nil, err
	}
	chosen, err := chosenSlug(a, slug)
	if err != nil {
		return nil, err
	}
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		if _, err := accountForCreate(tx, a.ID, chosen != ""); err != nil {
			return err
		}
		albums, err := tx.Albums(a.ID)
		if err != nil {
			return err
		}
		if len(albums) >= vitrine.MaxAlbums {
			return vitrine.Errorf(vitrine.CodeInvalidRequest,
				"An account can have %d albums. Delete one first.", vitrine.MaxAlbums)
		}
		album = &vitrine.Album{Account: a.ID, Title: title, CreatedAt: s.Now()}
		return vitrine.AddNamed(chosen, func(slug vitrine.Slug) error { album.Slug = slug; return tx.AddAlbum(album) })
	})
	return album, err
}

// accountForCreate reads the current account, if it may make something, with a
// slug that it chose or not.
func accountForCreate(tx vitrine.AccountTx, id vitrine.AccountID, named bool) (*vitrine.Account, error) {
	a, err := tx.Account(id)
	switch {
	case err != nil:
		return nil, err
	case a.Banned:
		return nil, vitrine.ErrBanned
	case named:
		return a, a.MayChooseSlug()
	}
	return a, nil
}

// SlugFree reports whether an account may give a new album a slug now. Errors:
// CodeProRequired, CodeInvalidSlug, CodeSlugTaken.
func (s *Albums) SlugFree(ctx context.Context, a *vitrine.Account, slug string) error {
	return slugUnused(ctx, s.Store, a, slug, func(tx vitrine.Tx, slug vitrine.Slug) error {
		_, err := tx.AlbumBySlug(slug)
		return err
	})
}

// AlbumFacts is an album and its links.
type AlbumFacts struct {
	*vitrine.Album
	Links []*vitrine.Link // in order
	// Locked are those that the reader needs a pass for.
	Locked []*vitrine.Link
}

// Has reports whether a link is in the album.
func (f *AlbumFacts) Has(id vitrine.LinkID) bool {
	return slices.ContainsFunc(f.Links, func(l *vitrine.Link) bool { return l.ID == id })
}

// AlbumRow is an album in a list.
type AlbumRow struct {
	*vitrine.Album
	Links int64           // how many are in it
	First []*vitrine.Link // of those, at most four
}

// List returns the albums of an account, newest first.
func (s *Albums) List(ctx context.Context, a *vitrine.Account) (rows []AlbumRow, err error) {
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		rows = nil
		albums, err := tx.Albums(a.ID)
		if err != nil {
			return err
		}
		sizes, err := tx.AlbumSizes(a.ID)
		if err != nil {
			return err
		}
		for _, album := range albums {
			row := AlbumRow{Album: album, Links: sizes[album.ID]}
			if row.First, err = tx.AlbumLinks(album.ID, 4); err != nil {
				return err
			}
			rows = append(rows, row)
		}
		return nil
	})
	return rows, err
}

// BySlug returns an album of an account with all its links. Errors:
// CodeNotFound, also for another account's album.
func (s *Albums) BySlug(ctx context.Context, a *vitrine.Account, slug string) (f *AlbumFacts, err error) {
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		album, err := ownAlbum(tx, a, slug)
		if err != nil {
			return err
		}
		f = &AlbumFacts{Album: album}
		f.Links, err = tx.AlbumLinks(album.ID, 0)
		return err
	})
	return f, err
}

func ownAlbum(tx vitrine.AlbumTx, a *vitrine.Account, slug string) (*vitrine.Album, error) {
	album, err := tx.AlbumBySlug(vitrine.Slug(slug))
	if errors.Is(err, vitrine.ErrNotFound) || err == nil && (album.Account != a.ID || !album.DeletedAt.IsZero()) {
		return nil, errNoAlbum
	}
	return album, err
}

// Find returns an album of an account, without its links. Errors: CodeNotFound,
// also for another account's album.
func (s *Albums) Find(ctx context.Context, a *vitrine.Account, slug string) (*vitrine.Album, error) {
	return vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) (*vitrine.Album, error) { return ownAlbum(tx, a, slug) })
}

// Public returns an album with those of its links that a reader may see, and
// those that need a pass. Errors, which reveal nothing else about the album:
// CodeNotFound (unknown or deleted, or its account is closed), CodeDisabled
// (its account is suspended), an [access.Gate] for a reader without a pass of
// the album.
func (s *Albums) Public(ctx context.Context, slug vitrine.Slug, by access.Asker) (f *AlbumFacts, err error) {
	var a *vitrine.Account
	err = s.Store.Read(ctx, func(tx vitrine.Tx) (err error) {
		f = new(AlbumFacts)
		if f.Album, a, err = shown(tx, slug); err == nil {
			f.Links, err = tx.AlbumLinks(f.ID, 0)
		}
		return err
	})
	if err == nil {
		err = access.CheckAlbum(f.Album, by) // not above: it may read the store
	}
	if err != nil {
		return nil, err
	}
	members, pass := f.Links, vitrine.Pass{}
	f.Links = nil
	if f.Access.Gated() {
		pass = by.Pass(f.Door())
	}
	ask := by.Pass
	by.Pass = func(l *vitrine.Link) vitrine.Pass {
		if l.Access.Readers == 0 && l.OpenedBy(pass) || ask == nil {
			return pass
		}
		return ask(l)
	}
	for _, l := range members {
		if l.Account != a.ID {
			continue
		}
		if f.Access.Gated() {
			l.Albums = &vitrine.Albums{f.Album}
		}
		switch vitrine.CodeOf((access.File{Link: l, Account: a}).Check(by, s.Now())) {
		case "":
			f.Links = append(f.Links, l)
		case vitrine.CodeAccessRequired:
			f.Locked = append(f.Locked, l)
		}
	}
	return f, nil
}

// MayRead returns nil if a reader may see an album now, and otherwise the error
// of Public.
func (s *Albums) MayRead(ctx context.Context, slug vitrine.Slug, by access.Asker) error {
	album, err := vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) (*vitrine.Album, error) {
		album, _, err := shown(tx, slug)
		return album, err
	})
	if err != nil {
		return err
	}
	return access.CheckAlbum(album, by)
}

// Around returns the albums that a link is in.
func (s *Albums) Around(ctx context.Context, id vitrine.LinkID) ([]*vitrine.Album, error) {
	return vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) ([]*vitrine.Album, error) { return tx.AlbumsWith(id) })
}

// shown finds an album that readers may see, once they have passed its gate,
// and its account.
func shown(tx vitrine.Tx, slug vitrine.Slug) (*vitrine.Album, *vitrine.Account, error) {
	album, err := tx.AlbumBySlug(slug)
	if errors.Is(err, vitrine.ErrNotFound) || err == nil && !album.DeletedAt.IsZero() {
		return nil, nil, errNoAlbum
	}
	if err != nil {
		return nil, nil, err
	}
	a, err := tx.Account(album.Account)
	switch {
	case err != nil:
		return nil, nil, err
	case !a.ClosedAt.IsZero():
		return nil, nil, errNoAlbum
	case a.Banned:
		return nil, nil, vitrine.Errorf(vitrine.CodeDisabled, "This album has been disabled.")
	}
	return album, a, nil
}

// SetAccess changes what readers of an album need. If that ends their passes,
// running transfers of its ZIP end too. Errors: those of [access.Gates.Prepare]
// and CodeNotFound.
func (s *Albums) SetAccess(ctx context.Context, a *vitrine.Account, slug string, c *access.Change) error {
	if err := s.Gates.Prepare(ctx, c, a.Email); err != nil {
		return err
	}
	return s.change(ctx, a, slug, func(tx vitrine.Tx, album *vitrine.Album) error {
		before := album.Access.Round
		c.Apply(&album.Access)
		if before != "" && album.Access.Round != before {
			if err := tx.DeletePlaces(album.Door().ID, before); err != nil {
				return err
			}
		}
		return tx.PutAlbum(album)
	})
}

// MaxAlbumText bounds the text above the links of an album, in characters.
const MaxAlbumText = 2000

// Describe gives an album of an account another title and text. Errors:
// CodeInvalidRequest (fields title, text), CodeNotFound.
func (s *Albums) Describe(ctx context.Context, a *vitrine.Account, slug, title, text string) error {
	title, err := parseTitle(title)
	if err != nil {
		return err
	}
	text = norm.NFC.String(strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")))
	if !utf8.ValidString(text) || utf8.RuneCountInString(text) > MaxAlbumText ||
		filetype.HasControl(strings.ReplaceAll(text, "\n", "")) {
		return &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "text",
			Message: "A text has at most 2,000 characters, and no control or text-direction characters. Shorten it."}
	}
	return s.change(ctx, a, slug, func(tx vitrine.Tx, album *vitrine.Album) error {
		album.Title, album.Text = title, text
		return tx.PutAlbum(album)
	})
}

// Delete deletes an album, and none of the links in it. Its slug stays blocked
// for SlugRest. Errors: CodeNotFound.
func (s *Albums) Delete(ctx context.Context, a *vitrine.Account, slug string) error {
	return s.change(ctx, a, slug, func(tx vitrine.Tx, album *vitrine.Album) error {
		album.DeletedAt = s.Now()
		door := album.Door().ID
		return errors.Join(tx.PutAlbum(album), tx.PutAlbumLinks(album.ID, nil), tx.DeletePlaces(door, ""),
			tx.DeleteKnownReaders(door), tx.DeleteGateCounts(door))
	})
}

// Add appends links of the account, given by their slugs, to an album. Links
// that are already in it keep their position. Errors: CodeNotFound for the
// album or a link, CodeInvalidRequest when it would have more than
// MaxAlbumLinks.
func (s *Albums) Add(ctx context.Context, a *vitrine.Account, slug string, slugs []string) error {
	return s.changeLinks(ctx, a, slug, func(tx vitrine.Tx, members []vitrine.LinkID) ([]vitrine.LinkID, error) {
		for _, link := range slugs {
			l, err := links.OwnLinkIn(tx, a, link)
			if err != nil {
				return nil, err
			}
			if !slices.Contains(members, l.ID) {
				members = append(members, l.ID)
			}
		}
		if len(members) > vitrine.MaxAlbumLinks {
			return nil, vitrine.Errorf(vitrine.CodeInvalidRequest,
				"An album can have at most %d links, and this one would have %d. Create another album.",
				vitrine.MaxAlbumLinks, len(members))
		}
		return members, nil
	})
}

// Remove removes a link from an album. A link that is not in it is not an
// error.
func (s *Albums) Remove(ctx context.Context, a *vitrine.Account, slug, link string) error {
	return s.changeLinks(ctx, a, slug, func(tx vitrine.Tx, members []vitrine.LinkID) ([]vitrine.LinkID, error) {
		l, err := links.OwnLinkIn(tx, a, link)
		if err != nil {
			return nil, err
		}
		return slices.DeleteFunc(members, func(id vitrine.LinkID) bool { return id == l.ID }), nil
	})
}

// Move moves a link of an album to an index among the others. An index beyond
// the end is the end.
func (s *Albums) Move(ctx context.Context, a *vitrine.Account, slug, link string, to int) error {
	return s.changeLinks(ctx, a, slug, func(tx vitrine.Tx, members []vitrine.LinkID) ([]vitrine.LinkID, error) {
		l, err := links.OwnLinkIn(tx, a, link)
		if err != nil {
			return nil, err
		}
		rest := slices.DeleteFunc(slices.Clone(members), func(id vitrine.LinkID) bool { return id == l.ID })
		if len(rest) == len(members) {
			return nil, vitrine.Errorf(vitrine.CodeNotFound, "This link is no longer in the album.")
		}
		return slices.Insert(rest, min(max(to, 0), len(rest)), l.ID), nil
	})
}

func (s *Albums) changeLinks(ctx context.Context, a *vitrine.Account, slug string,
	f func(vitrine.Tx, []vitrine.LinkID) ([]vitrine.LinkID, error)) error {
	return s.change(ctx, a, slug, func(tx vitrine.Tx, album *vitrine.Album) error {
		links, err := tx.AlbumLinks(album.ID, 0)
		if err != nil {
			return err
		}
		members := make([]vitrine.LinkID, len(links))
		for i, l := range links {
			members[i] = l.ID
		}
		if members, err = f(tx, members); err != nil {
			return err
		}
		return tx.PutAlbumLinks(album.ID, members)
	})
}

func (s *Albums) change(ctx context.Context, a *vitrine.Account, slug string,
	f func(vitrine.Tx, *vitrine.Album) error) error {
	return s.Store.Update(ctx, func(tx vitrine.Tx) error {
		album, err := ownAlbum(tx, a, slug)
		if err != nil {
			return err
		}
		return f(tx, album)
	})
}

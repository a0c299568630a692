package vitrine

import (
	"crypto/rand"
	"encoding/json"
	"strings"
	"time"
)

// Access is what a reader needs to open a link, besides its address. The zero
// Access asks for nothing. Values can be compared.
type Access struct {
	Password string    `json:"password,omitempty"` // its hash; "" for none
	Email    EmailGate `json:"email,omitzero"`
	Readers  int       `json:"readers,omitempty"` // how many people may read the link; 0 for any number
	// Round tells the passes of before a change from those after it. Each
	// change that ends passes sets a new one (NewRound).
	Round string `json:"round,omitempty"`
}

// EmailGate makes readers confirm an email address. The zero value does not.
type EmailGate struct {
	On          bool   `json:"on,omitempty"`
	Allow, Deny string // addresses and domains, one a line, in lower case and ASCII
	Consent     string // what readers agree to; "" for nothing
}

// NewRound ends all passes.
func (a *Access) NewRound() {
	if a.Round = ""; a.Gated() {
		a.Round = rand.Text()[:10]
	}
}

// Gated reports whether readers need a pass. Asks reports whether they must do
// something for it.
func (a Access) Gated() bool { return a.Asks() || a.Readers != 0 }
func (a Access) Asks() bool  { return a.Password != "" || a.Email.On }

// Pass is what a reader has of the gate of a link. The zero Pass is nothing.
type Pass struct {
	Round string // of the access that was passed
	Place int64  // the reader's place among those that a limit admits; 0 for none
	Owner bool   // the reader is the owner of the link, who needs no place
}

// Admits reports whether a pass has all that an access asks for.
func (a Access) Admits(p Pass) bool {
	return !a.Gated() || a.Fits(p) && (a.Readers == 0 || p.Place != 0 || p.Owner)
}

// Fits reports whether a pass is of this access.
func (a Access) Fits(p Pass) bool { return p.Round != "" && p.Round == a.Round }

// OpenedBy reports whether a pass is of a protected album that the link is in.
func (l *Link) OpenedBy(p Pass) bool {
	if l.Albums == nil {
		return false
	}
	for _, a := range *l.Albums {
		if a.Access.Gated() && a.Access.Admits(p) {
			return true
		}
	}
	return false
}

// String returns an access as text for a database: "" for the zero Access.
func (a Access) String() string {
	if a == (Access{}) {
		return ""
	}
	b, err := json.Marshal(a)
	if err != nil {
		panic(err) // it has only texts and numbers
	}
	return string(b)
}

// Scan reads what String returns.
func (a *Access) Scan(stored any) error {
	*a = Access{}
	text, _ := stored.(string)
	if b, ok := stored.([]byte); ok {
		text = string(b)
	}
	if text == "" {
		return nil
	}
	return json.Unmarshal([]byte(text), a)
}

// Place is the place of a browser at a link, or the door of an album, that
// limits its readers.
type Place struct {
	ID        int64
	Link      LinkID
	Round     string
	Machine   bool      // a recognized program has it; it never counts
	At        time.Time // when it was given
	BytesAt   time.Time // when the browser fetched content; zero if not yet
	CountedAt time.Time // since when it counts as a reader; zero if not yet
}

// PlaceTx reads and writes places within a transaction.
type PlaceTx interface {
	AddPlace(p *Place) error // sets p.ID
	Place(id int64) (*Place, error)
	PutPlace(p *Place) error
	DeletePlace(id int64) error
	// OpenPlaces lists the places of a link that do not count, oldest first.
	OpenPlaces(l LinkID, round string) ([]*Place, error)
	CountPlaces(l LinkID, round string) (int64, error) // those that count
	DeletePlaces(l LinkID, round string) error         // "": of all rounds
}

// Recipient is a named address of a link: the link's own address and a token.
type Recipient struct {
	ID        RecipientID
	Link      LinkID
	Account   AccountID
	Number    int64 // of the link's recipients, from 1, in the order in which they were added
	Token     RecipientToken
	Label     string  // for the owner only; "" once it is deleted
	Download  *bool   // whether the file may be downloaded; nil: as the link says
	Access    *Access // what its readers need; nil: as the link says
	CreatedAt time.Time
	ExpiresAt time.Time // zero: with the link
	RevokedAt time.Time // zero: not revoked
	Call      string    // idempotency key of the call that added it; "" if none
	Asked     []byte    // hash of what that call asked for
	OpenedAt  time.Time // when an event said that a person viewed the link; zero: not yet
}

// RecipientID identifies a recipient in the view log. It is random, so that a
// restored store does not use one again that the log has seen, and at most
// 2^52, so that programs read it as a number.
type RecipientID int64

// RecipientToken is what follows the slug in the address of a recipient: 128
// random bits, written as those of an UploadID.
type RecipientToken string

// ParseRecipientToken reads a token as people pass it on: in any case.
func ParseRecipientToken(s string) (RecipientToken, bool) {
	id, ok := ParseUploadID(strings.ToLower(s))
	return RecipientToken(id), ok
}

// Through is the recipient through whose address a reader has a link. The zero
// Through is the link's plain address.
type Through struct {
	Recipient RecipientID
	Token     RecipientToken
	Own       bool // it has an access of its own
}

// Path returns the address of the link without the host: that of its recipient,
// if it has one.
func (l *Link) Path() string {
	switch {
	case l.ID < 0: // of an album (Album.Door)
		return "/a/" + string(l.Slug)
	case l.Through.Token == "":
		return "/p/" + string(l.Slug)
	}
	return "/p/" + string(l.Slug) + "/" + string(l.Through.Token)
}

// For returns the link as a recipient may have it.
func (l Link) For(r *Recipient) *Link {
	l.Through = Through{r.ID, r.Token, r.Access != nil}
	if r.Download != nil {
		l.AllowDownload = *r.Download
	}
	if r.Access != nil {
		l.Access = *r.Access
	}
	return &l
}

// RecipientQuery selects recipients of a link. Zero fields do not restrict the
// result.
type RecipientQuery struct {
	Link  LinkID
	Call  string
	After int64 // those with higher numbers
	Limit int   // 0 means all
}

// RecipientTx reads and writes recipients within a transaction.
type RecipientTx interface {
	// AddRecipients stores recipients. IDs are unique, and so are the numbers
	// and tokens of a link; after ErrExists some may be stored.
	AddRecipients(list []*Recipient) error
	Recipient(l LinkID, id RecipientID) (*Recipient, error)
	RecipientByToken(l LinkID, t RecipientToken) (*Recipient, error)
	PutRecipient(r *Recipient) error
	// RecipientsByID lists those that exist, in any order.
	RecipientsByID(ids []RecipientID) ([]*Recipient, error)
	// Recipients lists the recipients that q selects, by number.
	Recipients(q RecipientQuery) ([]*Recipient, error)
	// CountRecipients counts the recipients of a link that are not revoked, and
	// returns the highest number.
	CountRecipients(l LinkID) (open, highest int64, err error)
	// DeleteRecipients deletes the recipients of a link.
	DeleteRecipients(l LinkID) error
	// EachRecipient calls f with every recipient, in any order.
	EachRecipient(f func(*Recipient) error) error
}

// KnownReader is a reader who confirmed an address at the email gate of a link,
// or of the door of an album.
type KnownReader struct {
	ID      int64
	Link    LinkID
	Round   string // of the access that was passed
	Email   string
	Consent string // the text that the reader agreed to
	At      time.Time
}

// KnownReaderTx reads and writes known readers within a transaction.
type KnownReaderTx interface {
	AddKnownReader(r *KnownReader) error // nothing if the address has a row of the round
	// KnownReaders lists at most n readers of a link with lower IDs than before
	// (0: all), the newest first.
	KnownReaders(l LinkID, before int64, n int) ([]*KnownReader, error)
	DeleteKnownReader(l LinkID, id int64) error
	DeleteKnownReaders(l LinkID) error // of all rounds
	ExpireKnownReaders(before time.Time) error
	// EachKnownReader calls f with every known reader, in any order.
	EachKnownReader(f func(*KnownReader) error) error
}

// GateCounts is how often browsers were shown the gate of a link, and how often
// a reader passed it.
type GateCounts struct{ Shown, Passed int64 }

// GateTx counts gates within a transaction.
type GateTx interface {
	AddGateCounts(l LinkID, more GateCounts) error // nothing if it is deleted
	GateCounts(l LinkID) (GateCounts, error)
	DeleteGateCounts(l LinkID) error
	// LeftByReaders lists the purged links, and the doors of albums that are
	// deleted or unknown, that have places, known readers, counts of gates or
	// recipients.
	LeftByReaders() ([]LinkID, error)
}

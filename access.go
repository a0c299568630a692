package vitrine

import (
	"crypto/rand"
	"encoding/json"
	"time"
)

// Access is what a reader needs to open a link, besides its address. The zero
// Access asks for nothing. Values can be compared.
type Access struct {
	Password string `json:"password,omitempty"` // its hash; "" for none
	Readers  int    `json:"readers,omitempty"`  // how many people may read the link; 0 for any number
	// Round tells the passes of before a change from those after it. Each
	// change that ends passes sets a new one (NewRound).
	Round string `json:"round,omitempty"`
}

// NewRound ends all passes.
func (a *Access) NewRound() {
	if a.Round = ""; a.Gated() {
		a.Round = rand.Text()[:10]
	}
}

// Gated reports whether readers need a pass.
func (a Access) Gated() bool { return a.Password != "" || a.Readers != 0 }

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

// Place is the place of a browser at a link that limits its readers.
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
	DeletePlaces(l LinkID) error                       // of all rounds
}

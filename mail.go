package vitrine

import (
	"context"
	"errors"
	"time"
)

// Mailer hands messages over to a mail server.
//
// Send tries once, takes half a minute at the most, whatever becomes of ctx,
// and returns nil when the server has taken the message. An error says nothing
// of whom it was for; with ErrMailRefused the server never takes it, and any
// other may pass.
//
// Every implementation passes the suite mailtest.Run.
type Mailer interface {
	Send(ctx context.Context, m Message) error
}

// ErrMailRefused is what a mail server says that does not take a message now or
// later.
var ErrMailRefused = errors.New("refused for good")

// Message is a message in plain text.
type Message struct {
	ID      string // of no other message, so that one that comes twice is known to be the same
	To      string // one address
	Subject string // one line
	Text    string // lines of at most 72 characters, addresses apart
}

// Letter is a message on its way. It is in the store from the transaction that
// wants it until it was sent or given up; nothing of it is kept longer. Where
// there is a secret in it, that is good for no longer than until ExpiresAt, and
// so is the letter.
type Letter struct {
	ID LetterID
	Message
	CreatedAt time.Time
	ExpiresAt time.Time // from then on it is of no use; zero: it always is
	Tries     int       // that have begun
	NextAt    time.Time // until then it is left alone: the sender claims it first
}

// LetterTx reads and writes letters within a transaction.
type LetterTx interface {
	// AddLetter gives l.ID.
	AddLetter(l *Letter) error
	Letter(id LetterID) (*Letter, error)
	PutLetter(l *Letter) error
	DeleteLetter(id LetterID) error
	// LettersDue lists at most n letters that are to be sent at or before a
	// time, those first that are due longest.
	LettersDue(now time.Time, n int) ([]*Letter, error)
}

package vitrine

import (
	"context"
	"errors"
	"time"
)

// Mailer passes messages to a mail server.
//
// Send tries once and takes at most half a minute, even if ctx ends. It returns
// nil when the server has accepted the message. Errors do not name the
// recipient. ErrMailRefused is permanent; after any other error a later try may
// succeed.
//
// Every implementation passes the suite mailtest.Run.
type Mailer interface {
	Send(ctx context.Context, m Message) error
}

// ErrMailRefused is returned if the mail server will never accept the message.
var ErrMailRefused = errors.New("refused for good")

// Message is a plain-text message.
type Message struct {
	ID      string // unique, so that a duplicate can be recognized
	To      string // one address
	Subject string // one line
	Text    string // lines of at most 72 characters, except addresses
}

// Letter is a message to be sent. The transaction that causes it stores it, and
// it is deleted once it is sent or given up. A secret in it is valid until
// ExpiresAt at most, and so is the letter.
type Letter struct {
	ID LetterID
	Message
	CreatedAt time.Time
	ExpiresAt time.Time // when it becomes useless; zero if never
	Tries     int       // started tries
	NextAt    time.Time // time of the next try; the sender moves it to claim the letter
}

// LetterTx reads and writes letters within a transaction.
type LetterTx interface {
	// AddLetter sets l.ID.
	AddLetter(l *Letter) error
	Letter(id LetterID) (*Letter, error)
	PutLetter(l *Letter) error
	DeleteLetter(id LetterID) error
	// LettersDue lists at most n letters that are due at a time, the longest
	// due first.
	LettersDue(now time.Time, n int) ([]*Letter, error)
}

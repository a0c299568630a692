package vitrine

import (
	"errors"
	"fmt"
	"time"
)

// ChangeID is given by the Store, from 1 up; a later change has a larger one.
type ChangeID int64

// Change is one line of the history: who changed the state of a link or an
// account, when and why. It is written in the transaction that makes the
// change, and stays when the link is deleted.
type Change struct {
	ID      ChangeID
	At      time.Time
	By      Actor
	Action  Action
	Account AccountID // the account that was changed, or whose link was
	Link    LinkID    // 0: the account itself was
	From    LinkState // of a link; "" before it was made
	To      LinkState // of a link; "" once it is deleted
	Reason  string    // the link's reason code in its new state
	Detail  string    // what exactly was found, where something was; of an account, what it is now
	Note    string    // what the person who did it wrote, at most MaxNote characters on one line

	Since time.Time // of an undo: since when the link was in the state that it is in again
}

// Action names what was done.
type Action string

const (
	ActionCreate  Action = "create"  // the link was made, in whatever state
	ActionScan    Action = "scan"    // a scanner has spoken
	ActionHold    Action = "hold"    // taken to review
	ActionClear   Action = "clear"   // published by a person
	ActionReject  Action = "reject"  // disabled by a person instead of published
	ActionDisable Action = "disable" // taken off display
	ActionExpire  Action = "expire"  // disabled at the time that its owner set
	ActionUndo    Action = "undo"    // the decision before it was taken back
	ActionDelete  Action = "delete"
	ActionReplace Action = "replace" // another version of the file is current: Detail says which; the state stays
	ActionRestore Action = "restore" // as ActionReplace, an earlier version
	ActionRefuse  Action = "refuse"  // a file never became a link: it is malware, or unsafe
	ActionBan     Action = "ban"
	ActionUnban   Action = "unban"
	ActionPlan    Action = "plan"
	ActionRole    Action = "role"
	ActionClose   Action = "close"      // the account was closed by whose it was
	ActionReclass Action = "reclassify" // why its views are excluded
)

// Actor is who changes a state.
type Actor struct {
	Kind    ActorKind
	Account AccountID // of an owner or a moderator; else 0
}

// ActorKind says in what capacity someone, or something, acts.
type ActorKind string

const (
	ActorOwner      ActorKind = "owner"      // the account that the link belongs to
	ActorModerator  ActorKind = "moderator"  // on the website
	ActorOperator   ActorKind = "operator"   // on the command line
	ActorInspection ActorKind = "inspection" // of the file's bytes
	ActorScanner    ActorKind = "scanner"
	ActorReaders    ActorKind = "readers" // who reported it
	ActorExpiry     ActorKind = "expiry"  // the time that its owner set
)

// Operator is a person at the command line of the server.
var Operator = Actor{Kind: ActorOperator}

// Moderator is a moderator by their account.
func Moderator(a *Account) Actor { return Actor{ActorModerator, a.ID} }

// Owner is a link's owner.
func Owner(a AccountID) Actor { return Actor{ActorOwner, a} }

// MayUndo reports whether a decision may be taken back by b: an owner's own is
// theirs, and the operator may everything.
func (a Actor) MayUndo(b Actor) bool {
	switch b.Kind {
	case ActorModerator, ActorOperator:
		return a.Kind == ActorModerator || a.Kind == ActorOperator
	case ActorOwner:
		return a == b || a.Kind == ActorOperator
	}
	return false // what inspection, scanner and readers have found is answered by clearing or rejecting
}

// MaxNote bounds the note of a decision, in characters.
const MaxNote = 1000

// Decision is a person's: who, and what they have to say about it.
type Decision struct {
	By   Actor
	Note string
	// Seen is the last change of the link that the decider has seen;
	// when there is another since, nothing is decided. 0: any.
	Seen ChangeID
}

// changesAtOnce is how many changes of a link are read at once.
const changesAtOnce = 100

// EachChange calls f with the changes of a link, newest first, until f returns
// false.
func EachChange(tx ChangeTx, l LinkID, f func(*Change) bool) error {
	q := ChangeQuery{Link: l, Limit: changesAtOnce}
	for {
		list, err := tx.Changes(q)
		if err != nil {
			return err
		}
		for _, c := range list {
			if !f(c) {
				return nil
			}
		}
		if len(list) < changesAtOnce {
			return nil
		}
		q.Before = list[len(list)-1].ID
	}
}

// LastDecision returns the last change of a link that was not undone since, the
// one before it, to which undoing it leads back, and since when the link was in
// the state of that one; nil where there is none.
func LastDecision(tx ChangeTx, l LinkID) (last, before *Change, since time.Time, err error) {
	undone := 0
	err = EachChange(tx, l, func(c *Change) bool {
		switch {
		case c.Action == ActionReplace, c.Action == ActionRestore: // no change of the state
		case c.Action == ActionUndo:
			undone++
		case undone > 0:
			undone--
		case last == nil:
			last = c
		case before == nil:
			before, since = c, c.At
		case c.To == before.To:
			since = c.At
		default:
			return false
		}
		return true
	})
	if before == nil || err != nil {
		return nil, nil, time.Time{}, err
	}
	return last, before, since, nil
}

const (
	// ownerChanges is how often the owner of a link may change its state within
	// ownerHour. Each change stays in the link's history.
	ownerChanges = 30
	ownerHour    = time.Hour
)

// OwnerMayChange returns CodeRateLimited if the owner of a link has changed
// its state too often.
func OwnerMayChange(tx ChangeTx, l *Link, now time.Time) error {
	list, err := tx.Changes(ChangeQuery{Link: l.ID, Limit: ownerChanges})
	if err != nil || len(list) < ownerChanges {
		return err
	}
	oldest := list[ownerChanges-1]
	for _, c := range list {
		if c.By.Kind != ActorOwner || c.Action == ActionCreate || c.Action == ActionReplace ||
			c.At.Before(now.Add(-ownerHour)) {
			return nil
		}
	}
	wait := min(max(oldest.At.Add(ownerHour).Sub(now), time.Second), ownerHour)
	return &Error{Code: CodeRateLimited, RetryAfter: wait, Message: fmt.Sprintf(
		"You have changed the state of this link %d times within an hour. Wait, then try again.", ownerChanges)}
}

// CheckedNote is the note of a decision, on one line.
func (d Decision) CheckedNote() (string, error) {
	note := OneLine(d.Note)
	if len([]rune(note)) > MaxNote {
		return "", &Error{Code: CodeInvalidRequest, Field: "note",
			Message: "The note is longer than 1000 characters. Shorten it."}
	}
	return note, nil
}

// Transition moves a link to a state and writes who did it and why, in one
// transaction. c says By, Action, To, Reason, Detail and Note.
func (l *Link) Transition(tx Tx, now time.Time, c Change) error {
	c.Link, c.Account, c.From, c.At = l.ID, l.Account, l.State, now
	if c.Action == ActionDelete {
		c.Reason, c.Detail = "", ""
	} else {
		if l.State != c.To {
			l.StateAt = now
		}
		if !c.Since.IsZero() {
			l.StateAt = c.Since // it has its place in the queue again
		}
		l.State, l.Reason, l.Detail = c.To, c.Reason, c.Detail
	}
	return errors.Join(tx.PutLink(l), l.disableSite(tx, c), tx.AddChange(&c))
}

// Add makes a link and writes that it was made. Its state, reason and detail
// are those that it begins with.
func (l *Link) Add(tx Tx, by Actor) error {
	if err := addLink(tx, l); err != nil {
		return err
	}
	return tx.AddChange(&Change{At: l.StateAt, By: by, Action: ActionCreate, Account: l.Account, Link: l.ID,
		To: l.State, Reason: l.Reason, Detail: l.Detail})
}

// ChangeQuery selects changes, newest first. Zero members do not select. That a
// link was made is told with the link alone.
type ChangeQuery struct {
	Account AccountID
	Link    LinkID
	People  bool     // only what people decided
	Before  ChangeID // older than this one
	Limit   int      // 0: all
}

// LinkEvent is a change of a link as its owner is told of it: what was done and
// in what capacity, but never by which person, what they noted, or who reported
// what.
type LinkEvent struct {
	At       time.Time
	By       ActorKind
	Action   Action
	From, To LinkState
	Reason   string // a reason code
	Detail   string // what exactly was found in the file
}

// ForOwner is a change as the owner of the link is told of it.
func (c *Change) ForOwner() LinkEvent {
	e := LinkEvent{At: c.At, By: c.By.Kind, Action: c.Action, From: c.From, To: c.To, Reason: c.Reason}
	switch c.By.Kind {
	case ActorOperator:
		e.By = ActorModerator // who of them it was is not the owner's to know
	case ActorInspection, ActorScanner:
		e.Detail = c.Detail
	}
	if c.Action == ActionReplace || c.Action == ActionRestore {
		e.Detail = c.Detail
	}
	return e
}

// ReviewTx reads the links in review within a transaction.
type ReviewTx interface {
	// Review lists links in review, the longest waiting first, as q asks.
	Review(q ReviewQuery) ([]*Link, error)
	// CountReview counts the links in review by their reason code.
	CountReview() (map[string]int64, error)
}

// ChangeTx reads and writes changes within a transaction.
type ChangeTx interface {
	// AddChange gives c.ID, larger than any before.
	AddChange(c *Change) error
	// Changes lists changes, newest first, as q asks; without a link,
	// ActionCreate is left out.
	Changes(q ChangeQuery) ([]*Change, error)
}

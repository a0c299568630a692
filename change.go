package vitrine

import (
	"errors"
	"fmt"
	"time"
)

// ChangeID is assigned by the Store, from 1. Later changes have larger IDs.
type ChangeID int64

// Change is an entry of the history: who changed the state of a link or
// account, when and why. The transaction that makes the change writes it, and
// it remains when the link is deleted.
type Change struct {
	ID      ChangeID
	At      time.Time
	By      Actor
	Action  Action
	Account AccountID // the changed account, or the account of the link
	Link    LinkID    // 0 means the account itself was changed
	From    LinkState // of a link; "" before it was made
	To      LinkState // of a link; "" once it is deleted
	Reason  string    // reason code of the new state
	Detail  string    // finding in the file; for an account, its new value
	Note    string    // by the person who decided, at most MaxNote characters, one line

	Since time.Time // of an undo: since when the link was in the restored state
}

// Action is what was done.
type Action string

const (
	ActionCreate  Action = "create"  // the link was created, in any state
	ActionScan    Action = "scan"    // the scanner gave a result
	ActionHold    Action = "hold"    // moved to review
	ActionClear   Action = "clear"   // published by a person
	ActionReject  Action = "reject"  // disabled by a person instead of published
	ActionDisable Action = "disable" // disabled by a person
	ActionExpire  Action = "expire"  // disabled at the time its owner set
	ActionUndo    Action = "undo"    // the previous decision was undone
	ActionDelete  Action = "delete"
	ActionReplace Action = "replace" // another version of the file became current, named by Detail; the state stays
	ActionRestore Action = "restore" // as ActionReplace, with an earlier version
	ActionDate    Action = "date"    // the creation date was moved back to the first view, as Detail says; the state stays
	ActionRefuse  Action = "refuse"  // a file was refused as malware or unsafe and never became a link
	ActionBan     Action = "ban"
	ActionUnban   Action = "unban"
	ActionPlan    Action = "plan"
	ActionRole    Action = "role"
	ActionClose   Action = "close"      // the account was closed by its owner
	ActionReclass Action = "reclassify" // why its views are excluded changed

	// What happened with the ways into an account is for its owner: ChangeQuery
	// needs Activity.
	ActionKey      Action = "key"     // an API key was created, named by Detail
	ActionRotate   Action = "rotate"  // an API key was replaced
	ActionSignIn   Action = "sign-in" // on a device that Detail names, for the first time
	ActionPassword Action = "password"
)

// Actor is who changed a state.
type Actor struct {
	Kind    ActorKind
	Account AccountID // of an owner or moderator; otherwise 0
}

// ActorKind is the role in which a person or the program acts.
type ActorKind string

const (
	ActorOwner      ActorKind = "owner"      // the account of the link
	ActorModerator  ActorKind = "moderator"  // in the dashboard
	ActorOperator   ActorKind = "operator"   // on the command line
	ActorInspection ActorKind = "inspection" // of the bytes of the file
	ActorScanner    ActorKind = "scanner"
	ActorReaders    ActorKind = "readers" // their abuse reports
	ActorExpiry     ActorKind = "expiry"  // the time its owner set
)

// Operator is the person at the command line of the server.
var Operator = Actor{Kind: ActorOperator}

// Moderator returns the actor for a moderator's account.
func Moderator(a *Account) Actor { return Actor{ActorModerator, a.ID} }

// Owner returns the actor for the owner of a link.
func Owner(a AccountID) Actor { return Actor{ActorOwner, a} }

// MayUndo reports whether b may undo a decision by a. Owners undo their own
// decisions; the operator may undo any.
func (a Actor) MayUndo(b Actor) bool {
	switch b.Kind {
	case ActorModerator, ActorOperator:
		return a.Kind == ActorModerator || a.Kind == ActorOperator
	case ActorOwner:
		return a == b || a.Kind == ActorOperator
	}
	return false // results of inspection, scanner and readers are cleared or rejected, not undone
}

// MaxNote is the longest note of a decision, in characters.
const MaxNote = 1000

// Decision is a decision by a person, with a note.
type Decision struct {
	By   Actor
	Note string
	// Seen is the last change of the link that the person has seen, or 0 for
	// any. If there is a newer one, the decision fails.
	Seen ChangeID
}

// changesBatch is the number of changes that are read together.
const changesBatch = 100

// EachChange calls f with the changes of a link, newest first, until f returns
// false.
func EachChange(tx ChangeTx, l LinkID, f func(*Change) bool) error {
	q := ChangeQuery{Link: l, Limit: changesBatch}
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
		if len(list) < changesBatch {
			return nil
		}
		q.Before = list[len(list)-1].ID
	}
}

// LastDecision returns the last change of a link that is not undone, the change
// before it, to which an undo returns, and since when the link was in that
// earlier state. Both are nil if there is none.
func LastDecision(tx ChangeTx, l LinkID) (last, before *Change, since time.Time, err error) {
	undone := 0
	err = EachChange(tx, l, func(c *Change) bool {
		switch {
		case c.Action == ActionReplace, c.Action == ActionRestore, c.Action == ActionDate: // the state did not change
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
	// ownerChanges is how often a link's owner may change its state within
	// ownerHour. Each change stays in the history.
	ownerChanges = 30
	ownerHour    = time.Hour
)

// OwnerMayChange returns CodeRateLimited if the owner has changed the state of
// a link too often.
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

// CheckedNote returns the note on one line. Error: CodeInvalidRequest.
func (d Decision) CheckedNote() (string, error) {
	note := OneLine(d.Note)
	if len([]rune(note)) > MaxNote {
		return "", &Error{Code: CodeInvalidRequest, Field: "note",
			Message: "The note is longer than 1000 characters. Shorten it."}
	}
	return note, nil
}

// Transition moves a link to another state and writes a change, in one
// transaction. c has By, Action, To, Reason, Detail and Note.
func (l *Link) Transition(tx Tx, now time.Time, c Change) error {
	c.Link, c.Account, c.From, c.At = l.ID, l.Account, l.State, now
	if c.Action == ActionDelete {
		c.Reason, c.Detail = "", ""
	} else {
		if l.State != c.To {
			l.StateAt = now
		}
		if !c.Since.IsZero() {
			l.StateAt = c.Since // it returns to its place in the queue
		}
		l.State, l.Reason, l.Detail = c.To, c.Reason, c.Detail
	}
	return errors.Join(tx.PutLink(l), l.disableSite(tx, c), tx.AddChange(&c))
}

// Add adds a link and writes the change that created it, with the link's state,
// reason and detail.
func (l *Link) Add(tx Tx, by Actor) error {
	if err := addLink(tx, l); err != nil {
		return err
	}
	return tx.AddChange(&Change{At: l.StateAt, By: by, Action: ActionCreate, Account: l.Account, Link: l.ID,
		To: l.State, Reason: l.Reason, Detail: l.Detail})
}

// ChangeQuery selects changes, newest first. Zero fields do not restrict the
// result. ActionCreate is included only for a single link.
type ChangeQuery struct {
	Account AccountID
	Link    LinkID
	People  bool     // only decisions by people
	Before  ChangeID // older than this change
	Limit   int      // 0 means all
	// Activity selects only what happened with keys, sign-ins and passwords;
	// otherwise that is left out.
	Activity bool
}

// LinkEvent is a change as a link's owner may see it: the action and the role,
// but not which person it was, their note, or who reported what.
type LinkEvent struct {
	At       time.Time
	By       ActorKind
	Action   Action
	From, To LinkState
	Reason   string // a reason code
	Detail   string // finding in the file
}

// DateBack makes a link with a view from before its creation one that was
// created at that view, because the range "all" begins there. It changes
// nothing if the link is older.
func (l *Link) DateBack(tx Tx, first time.Time, by Actor, now time.Time) error {
	if !l.CreatedAt.After(first) {
		return nil
	}
	l.CreatedAt = first.UTC()
	return errors.Join(tx.PutLink(l), tx.AddChange(&Change{At: now, By: by, Action: ActionDate, Account: l.Account,
		Link: l.ID, From: l.State, To: l.State, Reason: l.Reason, Detail: "to " + l.CreatedAt.Format(time.RFC3339)}))
}

// ForOwner returns the change as the owner of the link may see it.
func (c *Change) ForOwner() LinkEvent {
	e := LinkEvent{At: c.At, By: c.By.Kind, Action: c.Action, From: c.From, To: c.To, Reason: c.Reason}
	switch c.By.Kind {
	case ActorOperator:
		e.By = ActorModerator // owners do not learn which moderator it was
	case ActorInspection, ActorScanner:
		e.Detail = c.Detail
	}
	if c.Action == ActionReplace || c.Action == ActionRestore || c.Action == ActionDate {
		e.Detail = c.Detail
	}
	return e
}

// ReviewTx reads the links in review within a transaction.
type ReviewTx interface {
	// Review lists the links in review that q selects, the longest waiting
	// first.
	Review(q ReviewQuery) ([]*Link, error)
	// CountReview counts the links in review by reason code.
	CountReview() (map[string]int64, error)
}

// ChangeTx reads and writes changes within a transaction.
type ChangeTx interface {
	// AddChange sets c.ID, larger than any before.
	AddChange(c *Change) error
	// Changes lists the changes that q selects, newest first. Without a link,
	// it leaves ActionCreate out.
	Changes(q ChangeQuery) ([]*Change, error)
	// DeleteActivity deletes the activity of an account (0: of all) before a
	// time.
	DeleteActivity(a AccountID, before time.Time) error
}

// AbuseReason is what a reader reports about a link.
type AbuseReason string

const (
	AbuseMalware   AbuseReason = "malware"
	AbusePhishing  AbuseReason = "phishing"
	AbuseCopyright AbuseReason = "copyright"
	AbuseIllegal   AbuseReason = "illegal"
	AbusePrivate   AbuseReason = "private_data"
	AbuseOther     AbuseReason = "other"
)

// AbuseReasons lists all reasons in the order of the form.
var AbuseReasons = []AbuseReason{AbuseMalware, AbusePhishing, AbuseCopyright, AbuseIllegal, AbusePrivate, AbuseOther}

// AbuseReport is a reader's report about a link.
type AbuseReport struct {
	Link     LinkID
	Reporter ReporterID
	Reason   AbuseReason
	Note     string // at most MaxAbuseNote characters, on one line
	At       time.Time
}

// ReporterID distinguishes the reporters of a day without identifying them
// (promise 10).
type ReporterID uint64

// AbuseReportTx reads and writes abuse reports within a transaction.
type AbuseReportTx interface {
	// AddAbuseReport adds a report. Earlier reports by the same reporter about
	// the same link are emptied: they still count but are not listed. The link
	// must exist.
	AddAbuseReport(r *AbuseReport) error
	// AbuseReports lists the reports about a link at or after a time, newest
	// first: the last one of each reporter.
	AbuseReports(l LinkID, since time.Time) ([]*AbuseReport, error)
	// CountAbuseReports counts the reports by a reporter at or after a time,
	// and returns the time of the oldest (zero: none).
	CountAbuseReports(by ReporterID, since time.Time) (n int64, oldest time.Time, err error)
	// DeleteAbuseReports deletes the reports about a link.
	DeleteAbuseReports(l LinkID) error
	// ExpireAbuseReports deletes reports about live links from before a time.
	ExpireAbuseReports(before time.Time) (int64, error)
}

package vitrine

import (
	"errors"
	"slices"
	"time"

	"vitrine/internal/filetype"
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
	ActionDelete  Action = "delete"  // moved to the trash, or deleted permanently
	ActionPurge   Action = "purge"   // deleted permanently, out of the trash
	ActionRevive  Action = "revive"  // taken out of the trash, in the state it had before
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
	ActionFactor   Action = "factor"   // the second factor, as Detail says
	ActionProvider Action = "provider" // a provider of sign-ins, as Detail says
)

// Actor is who changed a state.
type Actor struct {
	Kind    ActorKind
	Account AccountID // of an owner or moderator; otherwise 0
}

// ActorKind is the role in which a person or the program acts.
type ActorKind string

const (
	ActorOwner         ActorKind = "owner"         // the account of the link
	ActorModerator     ActorKind = "moderator"     // in the dashboard
	ActorAdministrator ActorKind = "administrator" // on the command line
	ActorInspection    ActorKind = "inspection"    // of the bytes of the file
	ActorScanner       ActorKind = "scanner"
	ActorReaders       ActorKind = "readers" // their abuse reports
	ActorExpiry        ActorKind = "expiry"  // the time its owner set
)

// Administrator is the person at the command line of the server.
var Administrator = Actor{Kind: ActorAdministrator}

// Moderator returns the actor for a moderator's account.
func Moderator(a *Account) Actor { return Actor{ActorModerator, a.ID} }

// Owner returns the actor for the owner of a link.
func Owner(a AccountID) Actor { return Actor{ActorOwner, a} }

// MayUndo reports whether b may undo a decision by a. Owners undo their own
// decisions; the administrator may undo any.
func (a Actor) MayUndo(b Actor) bool {
	switch b.Kind {
	case ActorModerator, ActorAdministrator:
		return a.Kind == ActorModerator || a.Kind == ActorAdministrator
	case ActorOwner:
		return a == b || a.Kind == ActorAdministrator
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

// CheckedNote returns the note on one line. Error: CodeInvalidRequest.
func (d Decision) CheckedNote() (string, error) {
	note := filetype.OneLine(d.Note)
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
	if c.Action == ActionDelete || c.Action == ActionPurge {
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
	return errors.Join(tx.PutLink(l), l.disableSite(tx, c), c.Add(tx, l.eventOf(&c)))
}

// Add adds a link and writes the change that created it, with the link's state,
// reason and detail.
func (l *Link) Add(tx Tx, by Actor) error {
	if err := addLink(tx, l); err != nil {
		return err
	}
	c := Change{At: l.StateAt, By: by, Action: ActionCreate, Account: l.Account, Link: l.ID, To: l.State,
		Reason: l.Reason, Detail: l.Detail}
	return c.Add(tx, l.eventOf(&c))
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

// ForOwner returns the change as the owner of the link may see it.
func (c *Change) ForOwner() LinkEvent {
	e := LinkEvent{At: c.At, By: c.By.Kind, Action: c.Action, From: c.From, To: c.To, Reason: c.Reason}
	switch c.By.Kind {
	case ActorAdministrator:
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

// AbuseReport is a reader's report about a link.
type AbuseReport struct {
	Link     LinkID
	Reporter ReporterID
	Reason   AbuseReason
	Note     string // at most moderation.MaxAbuseNote characters, on one line
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

// The reasons for which a link is in review or disabled, besides those of
// inspection (filetype.Reasons).
const (
	ReasonScanUnavailable = "scan_unavailable" // the scanner failed: fail closed
	ReasonScanSlow        = "scan_slow"        // the scanner did not answer in time
	ReasonScanLimit       = "scan_limit"       // the file exceeds the limits of the scanner
	ReasonScanLate        = "scan_late"        // the scanner failed at first and later found the file clean
	ReasonSuspicious      = "scan_suspicious"
	ReasonMalware         = filetype.ReasonMalware
	ReasonKnownBytes      = "known_bytes" // the same bytes were disabled before or are held
	ReasonAbuse           = "abuse_reports"
	ReasonOwner           = "owner"
	ReasonModerator       = "moderator"
	ReasonExpired         = "expired"
)

// Reason is a reason code and its meaning for the owner and the moderator.
type Reason = filetype.Reason

var ownReasons = []Reason{
	{Code: ReasonScanUnavailable, Holds: true, Meaning: "The malware scanner did not respond. The scan is repeated. Approve the file once it is found clean."},
	{Code: ReasonScanSlow, Holds: true, Meaning: "The malware scanner did not finish in time. The scan is repeated. Approve the file once it is found clean."},
	{Code: ReasonScanLimit, Holds: true, Meaning: "The file is too large or too deeply nested for the malware scanner. Check it before you approve it."},
	{Code: ReasonScanLate, Holds: true, Meaning: "The malware scanner did not respond at first, and later found the file clean. You can approve it."},
	{Code: ReasonSuspicious, Holds: true, Meaning: "The malware scanner found the file suspicious. Check it before you approve it."},
	{Code: ReasonKnownBytes, Holds: true, Meaning: "The same file was disabled here before, or is held. Check why before you approve it."},
	{Code: ReasonAbuse, Holds: true, Meaning: "Viewers reported the file. Read their reports before you decide."},
	{Code: ReasonOwner, Meaning: "The owner disabled the link."},
	{Code: ReasonModerator, Meaning: "A moderator disabled the link."},
	{Code: ReasonExpired, Meaning: "The link has expired. Its owner can choose a later time."},
}

// Reasons returns all reason codes that a link or a refusal can have.
func Reasons() []Reason { return slices.Concat(ownReasons, filetype.Reasons) }

// Meaning returns the meaning of a reason code, or "" if it is unknown.
func Meaning(code string) (text string) {
	for _, r := range Reasons() {
		if r.Code == code {
			text = r.Meaning
		}
	}
	return text
}

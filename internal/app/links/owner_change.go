package links

import (
	"fmt"
	"time"

	"vitrine"
)

const (
	// ownerChanges is how often a link's owner may change its state within
	// ownerHour. Each change stays in the history.
	ownerChanges = 30
	ownerHour    = time.Hour
)

// ownerMayChange returns CodeRateLimited if the owner has changed the state of
// a link too often.
func ownerMayChange(tx vitrine.ChangeTx, l *vitrine.Link, now time.Time) error {
	list, err := tx.Changes(vitrine.ChangeQuery{Link: l.ID, Limit: ownerChanges})
	if err != nil || len(list) < ownerChanges {
		return err
	}
	oldest := list[ownerChanges-1]
	for _, c := range list {
		if c.By.Kind != vitrine.ActorOwner || c.Action == vitrine.ActionCreate || c.Action == vitrine.ActionReplace ||
			c.At.Before(now.Add(-ownerHour)) {
			return nil
		}
	}
	wait := min(max(oldest.At.Add(ownerHour).Sub(now), time.Second), ownerHour)
	return &vitrine.Error{Code: vitrine.CodeRateLimited, RetryAfter: wait, Message: fmt.Sprintf(
		"You have changed the state of this link %d times within an hour. Wait, then try again.", ownerChanges)}
}

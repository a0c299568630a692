package ui

import (
	"testing"

	"vitrine"
)

// A link that the command line created was imported, not uploaded by a
// moderator.
func TestImportsAreNamed(t *testing.T) {
	c := vitrine.Change{By: vitrine.Administrator, Action: vitrine.ActionCreate, To: vitrine.StateLive}
	if e := c.ForOwner(); actionForOwner(e) != "Imported" || actorForOwner(e) != "The administrator" {
		t.Errorf("%s by %s", actionForOwner(e), actorForOwner(e))
	}
	c.By = vitrine.Actor{Kind: vitrine.ActorOwner}
	if e := c.ForOwner(); actionForOwner(e) == "Imported" || actorForOwner(e) != "You" {
		t.Errorf("%s by %s", actionForOwner(e), actorForOwner(e))
	}
}

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
	back := vitrine.Change{By: vitrine.Administrator, Action: vitrine.ActionDate, From: vitrine.StateLive,
		To: vitrine.StateLive}
	if e := back.ForOwner(); actorForOwner(e) != "The administrator" {
		t.Errorf("%s by %s", actionForOwner(e), actorForOwner(e))
	}
	c.By = vitrine.Actor{Kind: vitrine.ActorOwner}
	if e := c.ForOwner(); actionForOwner(e) == "Imported" || actorForOwner(e) != "You" {
		t.Errorf("%s by %s", actionForOwner(e), actorForOwner(e))
	}
}

// Websites are links of the plan, but are named apart.
func TestWebsitesAreNamedApart(t *testing.T) {
	for want, n := range map[string][2]int64{"0 links": {0, 0}, "1 link": {1, 0}, "30 links, 1 website": {31, 1},
		"0 links, 2 websites": {2, 2}} {
		if got := uses(n[0], n[1]); got != want {
			t.Errorf("uses(%v) = %q, want %q", n, got, want)
		}
	}
}

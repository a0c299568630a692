package ui

import (
	"vitrine"
	"vitrine/internal/moderation"
)

// ownersWords are what a change made of a link, for its owner.
func ownersWords(e vitrine.LinkEvent) string {
	if backOnDisplay(e) {
		return ""
	}
	return became(moderation.Event{Change: &vitrine.Change{Action: e.Action, From: e.From, To: e.To, Reason: e.Reason}})
}

// ownersDeed is what was done, for its owner.
func ownersDeed(e vitrine.LinkEvent) string {
	if backOnDisplay(e) {
		return "Enable"
	}
	return Deed(e.Action)
}

func backOnDisplay(e vitrine.LinkEvent) bool {
	return e.Action == vitrine.ActionUndo && e.From == vitrine.StateDisabled && e.To == vitrine.StateLive
}

// ownersDoer is who made a change, as its owner is told.
func ownersDoer(k vitrine.ActorKind) string {
	if k == vitrine.ActorOwner {
		return "You"
	}
	return actorNames[k]
}

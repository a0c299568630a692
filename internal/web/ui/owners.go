package ui

import (
	"vitrine"
	"vitrine/internal/moderation"
)

// ownersWords describes the result of a change for the link's owner.
func ownersWords(e vitrine.LinkEvent) string {
	if backOnDisplay(e) {
		return ""
	}
	return became(moderation.Event{Change: &vitrine.Change{Action: e.Action, From: e.From, To: e.To, Reason: e.Reason}})
}

// ownersDeed describes what was done for the link's owner.
func ownersDeed(e vitrine.LinkEvent) string {
	if backOnDisplay(e) {
		return "Enable"
	}
	return Deed(e.Action)
}

func backOnDisplay(e vitrine.LinkEvent) bool {
	return e.Action == vitrine.ActionUndo && e.From == vitrine.StateDisabled && e.To == vitrine.StateLive
}

// ownersDoer describes who made a change for the link's owner.
func ownersDoer(k vitrine.ActorKind) string {
	if k == vitrine.ActorOwner {
		return "You"
	}
	return actorNames[k]
}

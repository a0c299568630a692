package ui

import (
	"vitrine"
	"vitrine/internal/moderation"
)

// ownersWords describes the result of a change for the link's owner.
func ownersWords(e vitrine.LinkEvent) string {
	if isLiveAgain(e) {
		return ""
	}
	return became(moderation.Event{Change: &vitrine.Change{Action: e.Action, From: e.From, To: e.To, Reason: e.Reason}})
}

// actionForOwner describes what was done for the link's owner.
func actionForOwner(e vitrine.LinkEvent) string {
	if isLiveAgain(e) {
		return "Enable"
	}
	return Deed(e.Action)
}

func isLiveAgain(e vitrine.LinkEvent) bool {
	return e.Action == vitrine.ActionUndo && e.From == vitrine.StateDisabled && e.To == vitrine.StateLive
}

// actorForOwner describes who made a change for the link's owner.
func actorForOwner(k vitrine.ActorKind) string {
	if k == vitrine.ActorOwner {
		return "You"
	}
	return actorNames[k]
}

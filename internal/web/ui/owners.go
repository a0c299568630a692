package ui

import (
	"vitrine"
	"vitrine/internal/app/moderation"
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
	if e.Action == vitrine.ActionCreate && isImport(e) {
		return "Imported"
	}
	return ActionName(e.Action)
}

// isImport reports whether a change comes from the import of a link or of its
// views, which an administrator makes on the command line.
func isImport(e vitrine.LinkEvent) bool {
	return (e.Action == vitrine.ActionCreate || e.Action == vitrine.ActionDate) && e.By == vitrine.ActorModerator
}

func isLiveAgain(e vitrine.LinkEvent) bool {
	return e.Action == vitrine.ActionUndo && e.From == vitrine.StateDisabled && e.To == vitrine.StateLive
}

// actorForOwner describes who made a change for the link's owner.
func actorForOwner(e vitrine.LinkEvent) string {
	switch {
	case e.By == vitrine.ActorOwner:
		return "You"
	case isImport(e):
		return "The administrator"
	}
	return actorNames[e.By]
}

package public

import (
	"net/http"

	"vitrine"
	"vitrine/internal/web/ui"
)

// forOwner adds to the error of a public page what its owner can do, if the
// owner is signed in. For everyone else the answer stays the same, byte for
// byte.
func (s *Handler) forOwner(r *http.Request, slug vitrine.Slug, err error) error {
	switch vitrine.CodeOf(err) {
	case vitrine.CodeDisabled, vitrine.CodeNotAvailable:
	default:
		return err
	}
	if s.Server.Framers(r) != "'none'" {
		return err // a page of another site is around it
	}
	me := s.Server.SignedInAccount(r)
	if me == nil {
		return err
	}
	l, own := s.Links.Own(r.Context(), me, string(slug))
	if own != nil {
		return err
	}
	here := "/links/" + string(l.Slug) // the app is on the public host
	told := &ui.OwnersError{Err: err, Way: here, Name: "Manage this link"}
	switch {
	case l.Live(): // the address of a recipient has ended
		return err
	case l.State == vitrine.StateProcessing:
		told.Advice = "Your video is still being checked. The link goes live when the check is done."
	case l.State == vitrine.StateReview:
		told.Advice = "Your link is held for review. It goes live once a moderator approves it."
		told.Name = "See why"
	case l.Reason == vitrine.ReasonExpired:
		told.Advice = "Your link has expired. Choose a later date to open it again."
	case l.Undoable && !l.HasBytes:
		told.Advice = "You disabled this link. Its file is not available here."
	case l.Undoable:
		told.Advice = "You disabled this link. Readers see that it is no longer available."
		told.Enable = here + "/undo"
	default:
		told.Advice = "Your link was disabled, and you cannot enable it yourself."
		told.Name = "See why"
	}
	return told
}

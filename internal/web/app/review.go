package app

import (
	"net/url"

	"vitrine"
	"vitrine/internal/web/httpx"
)

// reviewAddress returns the address of the case of a link that waits for a
// person, for an account that may publish it; "" for others.
func reviewAddress(me *vitrine.Account, l *vitrine.Link) string {
	if l.State != vitrine.StateReview || !me.Moderates() || !MayPublish(me, l) {
		return ""
	}
	return CaseAddress(l.Slug, AnyReason)
}

// MayPublish reports whether a moderator may publish a link. For their own link
// they must be an owner of the instance, who is responsible for it anyway and
// may be the only moderator.
func MayPublish(me *vitrine.Account, l *vitrine.Link) bool {
	return l.Account != me.ID || me.Role == vitrine.RoleOwner
}

// AnyReason names the whole queue where "" would be none.
const AnyReason = "all"

// QueueName returns the name of a queue in the address of a case.
func QueueName(reason string) string {
	if reason == "" {
		return AnyReason
	}
	return reason
}

// CaseAddress returns the address of a link's case, seen from a queue or, with
// "", from none.
func CaseAddress(slug vitrine.Slug, queue string, more ...string) string {
	return httpx.WithQuery(httpx.ModerationRoot+"/links/"+string(slug), url.Values{},
		append([]string{"queue", queue}, more...)...)
}

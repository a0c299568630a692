package app

import (
	"net/url"

	"vitrine"
	"vitrine/internal/web/httpx"
)

// ReviewAddress returns the address of the case of a link that waits for a
// person, for an account that may publish it; "" for others.
func ReviewAddress(me *vitrine.Account, l *vitrine.Link) string {
	if l.State != vitrine.StateReview || !me.Moderates() || !MayPublish(me, l) {
		return ""
	}
	return CaseAddress(l.Slug, AnyReason)
}

// MayPublish reports whether a moderator may make a link public: their own only
// as the instance's owner, who answers for it anyway and may be the only person
// there is.
func MayPublish(me *vitrine.Account, l *vitrine.Link) bool {
	return l.Account != me.ID || me.Role == vitrine.RoleOwner
}

// AnyReason names the whole queue where "" would be none.
const AnyReason = "all"

// QueueName is how the address of a case tells which queue it is seen from.
func QueueName(reason string) string {
	if reason == "" {
		return AnyReason
	}
	return reason
}

// CaseAddress is the case of a link, seen from a queue or, with "", from none.
func CaseAddress(slug vitrine.Slug, queue string, more ...string) string {
	return httpx.WithQuery(httpx.ModerationRoot+"/links/"+string(slug), url.Values{},
		append([]string{"queue", queue}, more...)...)
}

package report

// BotAutomation is the reason of a view whose own browser told that a program
// drives it. No rule takes that back.
const BotAutomation = "automation"

// Reclassed is the view with another class, and whether it changes. A view by
// the owner counts or, without count, does not. Another one that its request
// excluded is from now on excluded for a reason or, with count and without a
// reason, a person's; so is one that once was excluded. WasBot and WasProduct
// keep what it was stored with, until it is that again. A view with BotUndecided
// is given no other reason, and one that was read long enough never has it again.
func (o *View) Reclassed(reason string, count bool) (v View, changes bool) {
	v = *o
	if o.Own {
		if v.Bot, v.Product = "", ""; !count {
			v.Bot = BotOwn
		}
		return v, count && o.Bot == BotOwn || !count && o.Counted()
	}
	if o.WasBot == "" {
		v.WasBot, v.WasProduct = o.Bot, o.Product
	}
	engaged := o.Session != nil && o.Session.EngagedMs >= DecidedMs
	switch {
	case v.WasBot == "", v.WasBot == BotAutomation, o.Bot == BotAutomation, reason == "" && !count, reason == o.Bot,
		reason == BotOwn, reason == BotAutomation, o.Bot == BotUndecided && reason != "",
		reason == BotUndecided && (v.WasBot != BotUndecided || engaged):
		return *o, false
	}
	if v.Bot, v.Product = reason, ""; reason != "" {
		v.Product = v.WasProduct
	}
	if v.Bot == v.WasBot {
		v.WasBot, v.WasProduct = "", ""
	}
	return v, true
}

package report

// BotAutomation is the reason of a view whose own browser reported that a
// program controls it. No rule changes it.
const BotAutomation = "automation"

// Reclassed returns the view with another class, and whether it changes. A view
// by the owner counts if count is set and is excluded otherwise. Any other view
// that was ever excluded is now excluded for reason; it counts if reason is
// empty and count is set. WasBot and WasProduct preserve the original reason as
// long as another one replaces it. A view with BotUndecided gets no other
// reason, and a view that was read long enough never gets BotUndecided again.
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

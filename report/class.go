package report

// Class says whether a view counts, and has all that decides it. A log stores
// it with the view. View.Open and Decide are the only rules about it.
//
// Every load that was answered is a view with a class, so that each rule can
// change later and every number stays exact. A view from a network of mail
// scanners or rented servers becomes a person's once it was read: the network
// alone would exclude readers.
type Class struct {
	Bot, Product       string // as in View
	WasBot, WasProduct string // as in View
	Own                bool
	EngagedMs          int64 // so far

	// Decided reports whether the class changed after the view was stored,
	// other than by SelfReported. Then the view with another class, sent again,
	// is the same view.
	Decided bool
	// SelfReported reports whether a beacon of the view gave the reason.
	SelfReported bool
	// Waits reports whether the excluded view has a download, which counts once
	// the view counts.
	Waits bool
}

// Class returns the class of a view as it was read from a log. What only the
// log uses is not set.
func (v *View) Class() Class {
	c := Class{Bot: v.Bot, Product: v.Product, WasBot: v.WasBot, WasProduct: v.WasProduct, Own: v.Own}
	if v.Session != nil {
		c.EngagedMs = v.Session.EngagedMs
	}
	return c
}

// Open decides whether a new view counts, which has the reason that its request
// shows, if any. A view from a network of programs (network and reason, or "")
// does not until it is read. A view by the owner of the link does if the owner
// wants that, whatever the request shows.
func (v *View) Open(network, reason string, own, countOwn bool) {
	if v.Bot == "" && network != "" {
		v.Bot, v.Product = reason, network
	}
	if own {
		if v.Own, v.Bot, v.Product = true, "", ""; !countOwn {
			v.Bot = BotOwn
		}
	}
}

// Counts reports whether the view counts.
func (c *Class) Counts() bool { return c.Bot == "" }

// Event is what can change the class of a stored view: a [Beacon], a
// [Downloaded] or a [Reclass].
type Event interface{ decide(c Class) Class }

// Effect is what follows from an event for the counts of a link.
type Effect struct {
	// Views is 1 if the view counts now: its viewer has one more view. It is -1
	// if the view no longer counts: its viewer has one less, and its downloads
	// no longer count. If it has any, they are a Downloaded of the view as it
	// is now.
	Views int
	// Download reports whether a download of the view counts now.
	Download bool
}

// Decide returns the class of a view after an event, and what follows. An event
// that is repeated changes nothing the second time, except that each download
// of a view that counts does.
func (c Class) Decide(e Event) (after Class, effect Effect) {
	after = e.decide(c)
	_, download := e.(Downloaded)
	switch {
	case after.Counts() && !c.Counts():
		effect.Views = 1
	case !after.Counts() && c.Counts():
		effect.Views = -1
	}
	if effect.Download = after.Counts() && (download || after.Waits); after.Counts() || after.Bot == BotAutomation {
		after.Waits = false
	}
	return after, effect
}

// Beacon is a message of the page of a view: the engaged time so far, and
// whether a program controls the browser. A program's view is excluded. A view
// that is Undecided and reaches DecidedMs counts.
type Beacon struct {
	EngagedMs  int64
	Automation bool
}

func (b Beacon) decide(c Class) Class {
	undecided := Undecided(c.Bot)
	c.EngagedMs = max(c.EngagedMs, b.EngagedMs)
	switch {
	case b.Automation && (undecided || c.Counts()):
		c.Bot, c.SelfReported = BotAutomation, true
	case undecided && c.EngagedMs >= DecidedMs:
		c.Bot = ""
	default:
		return c
	}
	c.Product, c.WasBot, c.WasProduct, c.Decided = "", "", "", c.Decided || undecided
	return c
}

// Downloaded is a download of the file of a view. It counts if the view does;
// otherwise it waits, except with BotAutomation.
type Downloaded struct{}

func (Downloaded) decide(c Class) Class {
	c.Waits = c.Waits || !c.Counts()
	return c
}

// Reclass gives a view another class. A view by the owner counts if Count is
// set and is excluded otherwise. Any other view that was ever excluded by a
// rule is now excluded for Reason; it counts if Reason is empty and Count is
// set. WasBot and WasProduct preserve the original reason as long as another
// one replaces it. A view that is Undecided gets no other reason, and a view
// that was read long enough never becomes Undecided again.
type Reclass struct {
	Reason string
	Count  bool
}

func (r Reclass) decide(c Class) Class {
	before, was, product := c, c.WasBot, c.WasProduct
	switch {
	case c.Own && r.Count && c.Bot == BotOwn:
		c.Bot, c.Product = "", ""
	case c.Own && !r.Count && c.Counts():
		c.Bot, c.Product = BotOwn, ""
	case c.Own:
		return before
	default:
		if was == "" {
			was, product = c.Bot, c.Product
		}
		if !r.changes(&before, was) {
			return before
		}
		c.Bot, c.Product, c.WasBot, c.WasProduct = r.Reason, "", was, product
		if r.Reason != "" {
			c.Product = product
		}
		if c.Bot == was {
			c.WasBot, c.WasProduct = "", ""
		}
	}
	c.Decided = true
	return c
}

// changes reports whether a view that was first excluded for a reason changes.
func (r Reclass) changes(c *Class, was string) bool {
	switch {
	case was == "", was == BotOwn, was == BotAutomation, c.Bot == BotAutomation: // not by a rule
		return false
	case r.Reason == c.Bot, r.Reason == "" && !r.Count:
		return false
	case r.Reason == BotOwn, r.Reason == BotAutomation, r.Reason != "" && Undecided(c.Bot):
		return false
	}
	return !Undecided(r.Reason) || was == r.Reason && c.EngagedMs < DecidedMs
}

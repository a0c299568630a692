package front

import (
	"net/http"
	"strconv"

	"vitrine"
	"vitrine/internal/web/ui"
)

type plansPage struct {
	frontPage
	Plans   []planRow
	Have    string // the signed-in account's plan
	Way     string // what is said of the way to another plan; "" when there is no larger one
	Upgrade string // where that is sold; "" where plans are not
}

// planRow shows the limits of a plan.
type planRow struct {
	Name, For                               string
	Links, File, Storage, Uploads, Versions string
	Recipients                              string
	Pro                                     bool
	Mine                                    bool // the plan of the signed-in account
	Own                                     bool // the account has limits of its own
}

// plansInOrder lists the plans, the smallest first, with names and audiences.
var plansInOrder = []struct {
	plan      vitrine.Plan
	name, use string
}{
	{vitrine.PlanFree, "Free", "For occasional sharing."},
	{vitrine.PlanPro, "Pro", "For people who want to know how their files are read."},
	{vitrine.PlanLifetime, "Lifetime", "Everything in Pro, for as long as the account exists."},
}

// planRows returns the configured plans, with the account's own limits instead
// of its plan's. If plans are not sold, there is at most one row: the account's
// limits, or those of new accounts.
func (s *Handler) planRows(me *vitrine.Account) (rows []planRow) {
	only := vitrine.Plan("")
	if me != nil {
		only = me.Plan
	} else if s.mayJoin() {
		only = s.Accounts.NewPlan()
	}
	mine := -1
	for i, p := range plansInOrder {
		if me != nil && me.Plan == p.plan {
			mine = i
		}
	}
	for i, p := range plansInOrder {
		if !s.Server.Sold() && p.plan != only {
			continue
		}
		l, own := s.Uploads.Plans[p.plan], false
		if i == mine {
			l, own = s.Uploads.Plans.LimitsOf(me), me.Limits != nil
		}
		row := newPlanRow(p.name, p.plan, l)
		row.For, row.Mine, row.Own = p.use, i == mine, own
		rows = append(rows, row)
	}
	return rows
}

// accessRows returns the limits of people who are invited, where plans are not
// sold: with the names that the page People has for them.
func (s *Handler) accessRows() (rows []planRow) {
	for _, p := range []struct {
		plan vitrine.Plan
		name string
	}{{vitrine.PlanPro, "Full access"}, {vitrine.PlanFree, "Limited access"}} {
		rows = append(rows, newPlanRow(p.name, p.plan, s.Uploads.Plans[p.plan]))
	}
	return rows
}

// newPlanRow returns a row with the limits of a plan, or of an account that has
// it.
func newPlanRow(name string, plan vitrine.Plan, l vitrine.Limits) planRow {
	return planRow{Name: name, Links: planLimit(l.Links, planCount), File: planLimit(l.FileBytes, ui.LimitSize),
		Storage: planLimit(l.StorageBytes, ui.LimitSize), Uploads: planLimit(l.HourlyUploads, planCount),
		Versions: planLimit(l.Versions, planCount), Recipients: planLimit(l.Recipients, planCount), Pro: plan.Pro()}
}

// planLimit formats a limit; 0 is none.
func planLimit(n int64, format func(int64) string) string {
	if n == 0 {
		return "unlimited"
	}
	return format(n)
}

func planCount(n int64) string { return strconv.FormatInt(n, 10) }

func (s *Handler) Plans(w http.ResponseWriter, r *http.Request) error {
	title, about := "Plans", "Compare the plans of this instance: links, file sizes, storage, analytics."
	if !s.Server.Sold() {
		title, about = "Limits", "The limits of an account on this instance: links, file sizes, storage."
	}
	p := plansPage{frontPage: s.newFrontPage(r, title, about, "plans"), Upgrade: s.Server.UpgradeURL}
	p.Plans, p.Way = s.planRows(p.Me), "A larger plan"
	switch {
	case p.Me == nil:
	case p.Me.Plan == vitrine.PlanLifetime:
		p.Way = ""
	case p.Me.Plan.Pro():
		p.Way = "Another plan"
	}
	if p.Me != nil {
		u, err := s.Uploads.Usage(r.Context(), p.Me)
		if err != nil {
			return err
		}
		have := ui.Counted(u.Links-u.Sites, "link", "links")
		if u.Sites > 0 {
			have += " and " + ui.Counted(u.Sites, "website", "websites")
		}
		p.Have = "You have " + have + " with " + ui.LimitSize(u.Bytes) + " and started " + ui.Counted(u.Uploads,
			"upload", "uploads") + " in the last hour."
	}
	return s.writeFront(w, r, "plans.html", p.Nonce, &p)
}

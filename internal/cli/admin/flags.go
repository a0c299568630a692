package admin

import (
	"vitrine"
	"vitrine/internal/cli/command"
)

// PlanFlags are the limits of the plans.
type PlanFlags struct {
	PlanFree     Bounds
	PlanPro      Bounds
	PlanLifetime Bounds
}

// AddFlags adds the flags to a command.
func (f *PlanFlags) AddFlags(cmd *command.Command) {
	cmd.Title("Limits of the plans")
	initial := func(p vitrine.Plan) string { return Format(vitrine.DefaultPlans()[p]) }
	cmd.Text(&f.PlanFree, "plan-free", "LIMITS", "", "Limits of the Free plan: links, size of a file, size of all files, uploads within an hour, earlier versions of a file, recipients of a link. 0: no limit. What is left out keeps its default. Default: "+initial(vitrine.PlanFree)+".").Env("VITRINE_PLAN_FREE")
	cmd.Text(&f.PlanPro, "plan-pro", "LIMITS", "",
		"Limits of the Pro plan. Default: "+initial(vitrine.PlanPro)+".").Env("VITRINE_PLAN_PRO")
	cmd.Text(&f.PlanLifetime, "plan-lifetime", "LIMITS", "",
		"Limits of the Lifetime plan. Default: "+initial(vitrine.PlanLifetime)+".").Env("VITRINE_PLAN_LIFETIME")
	cmd.Title("")
}

// Plans returns the plan limits: the defaults, overridden by flags.
func (f PlanFlags) Plans() vitrine.Plans {
	p := vitrine.DefaultPlans()
	for plan, b := range map[vitrine.Plan]Bounds{vitrine.PlanFree: f.PlanFree, vitrine.PlanPro: f.PlanPro,
		vitrine.PlanLifetime: f.PlanLifetime} {
		p[plan] = b.Over(p[plan])
	}
	return p
}

package limits

import "vitrine"

// PlanFlags are the limits of the plans.
type PlanFlags struct {
	PlanFree     Bounds `help:"Limits of the Free plan: links, size of a file, size of all files, uploads within an hour, earlier versions of a file. 0: no limit. What is left out keeps its default. Default: ${plan_free}." env:"VITRINE_PLAN_FREE" group:"plans" placeholder:"LIMITS"`
	PlanPro      Bounds `help:"Limits of the Pro plan. Default: ${plan_pro}." env:"VITRINE_PLAN_PRO" group:"plans" placeholder:"LIMITS"`
	PlanLifetime Bounds `help:"Limits of the Lifetime plan. Default: ${plan_lifetime}." env:"VITRINE_PLAN_LIFETIME" group:"plans" placeholder:"LIMITS"`
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

package reportpage

import (
	"strings"

	"vitrine"
	"vitrine/internal/web/ui"
	"vitrine/report"
)

// statsReason is a row of the list of excluded views.
type statsReason struct {
	Name, Who string
	Programs  []statsProgram
	Count     ui.Figure
	Pct       string
}

// statsProgram is a program or network and its number of views.
type statsProgram struct {
	Name  string
	Count ui.Figure
}

// shownParts is how many ranges of parts the card of assistants names of each.
const shownParts = 3

// shownPrograms is how many programs of a reason a page names.
const shownPrograms = 8

// newLedger lists the excluded views of a report by reason. Readers of a shared
// report do not see the owner's visits.
func newLedger(r *report.Summary, shared bool) []statsReason {
	var rows []statsReason
	excluded := r.Excluded
	if shared {
		excluded = r.ExcludedByOthers()
	}
	for _, b := range excluded {
		noun, ok := ui.BotNouns[b.Key]
		if !ok {
			noun[0] = ui.ReasonName(b.Key)
		}
		rows = append(rows, statsReason{noun[0], noun[1], programs(r, b.Key), ui.Figure(b.Count), ui.Percent(b.Pct)})
	}
	return rows
}

// LeftOut says how many views are not counted, or in no average, and leaves out
// what there is none of.
func (p *reportPage) LeftOut() string {
	t := p.Totals
	var parts []string
	if t.BotsExcluded > 0 && p.Website != nil {
		parts = append(parts, ui.Counted(t.BotsExcluded, "page load", "page loads")+" by bots excluded")
	} else if t.BotsExcluded > 0 {
		parts = append(parts, ui.Counted(t.BotsExcluded, "bot view", "bot views")+" excluded")
	}
	if own := ui.Figure(t.OwnExcluded).String(); p.Own != nil && t.OwnExcluded > 0 && len(parts) > 0 {
		parts = append(parts, own+" of your own")
	} else if p.Own != nil && t.OwnExcluded > 0 {
		parts = append(parts, own+" of your own excluded")
	}
	if len(parts) == 0 {
		parts = append(parts, "No "+p.Words().One+"s excluded")
	}
	if text := p.NotInAverages(); text != "" {
		parts = append(parts, text)
	}
	return strings.Join(parts, " · ")
}

// NotInAverages says how many of the views are in no average, or "". Page loads
// of websites have no averages.
func (p *reportPage) NotInAverages() string {
	if p.Website != nil {
		return ""
	}
	return ui.NotInAverages(p.Totals.Views, p.Totals.Sessions)
}

// programs returns the programs with the most views of a reason.
func programs(r *report.Summary, reason string) []statsProgram {
	var list []statsProgram
	for _, b := range r.ProductsOf(reason) {
		list = append(list, statsProgram{b.Key, ui.Figure(b.Count)})
	}
	return list[:min(len(list), shownPrograms)]
}

// statsOwn is the setting "Count my own visits".
type statsOwn struct {
	Count    bool
	Changing bool   // past views do not follow it yet
	Back     string // address of the page that it is on
}

func newStatsOwn(me *vitrine.Account, address string) *statsOwn {
	return &statsOwn{me.CountOwn, !me.OwnChangedAt.IsZero(), address}
}

// assistants returns the card of what AI assistants read, with the crawlers
// that collect training data. It reports false if there are neither.
func assistants(r *report.Summary) (card statsBars, any bool) {
	read, texts := r.ProductsOf(report.BotAIAssistant), TextReads(r, report.BotAIAssistant)
	card = statsBars{ID: "assistants", Name: "Read by assistants", Of: "Reads",
		Rows: statsBarsOf(read, "Reads", nil, func(program string, row *statsBar) {
			row.Note = partsNote(texts[program])
		}), All: len(read), Training: programs(r, report.BotAITraining)}
	return card, len(read) > 0 || len(card.Training) > 0
}

// partsNote names the parts of a text that a program read, the most read ones
// first.
func partsNote(parts []report.Bucket) string {
	var read []string
	for _, p := range parts[:min(len(parts), shownParts)] {
		text := strings.ReplaceAll(p.Key, "-", "–")
		if p.Count > 1 {
			text += " (" + ui.Figure(p.Count).String() + ")"
		}
		read = append(read, text)
	}
	switch {
	case len(read) == 0:
		return ""
	case len(parts) > shownParts:
		read = append(read, "…")
	}
	return "parts " + strings.Join(read, ", ")
}

// programRows returns the excluded views with a known program or network.
func programRows(n *numbers) [][]string {
	rows := [][]string{{"reason", "program", "views"}}
	for _, p := range n.summary().Products {
		rows = append(rows, []string{p.Reason, p.Product, whole(p.Count)})
	}
	return rows
}

// TextReads lists the programs of a reason that read the text of a file, and of
// each the parts that they read, most first.
func TextReads(s *report.Summary, reason string) map[string][]report.Bucket {
	reads := map[string][]report.Bucket{}
	for _, p := range s.Products {
		if program, parts := report.TextRead(p.Product); p.Reason == reason && parts != "" {
			reads[program] = append(reads[program], report.Bucket{Key: parts, Count: p.Count})
		}
	}
	return reads
}

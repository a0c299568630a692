package viewlog

import (
	"vitrine"
	"vitrine/report"
)

// dailyViews writes the views by link of each day.
func (b *building) dailyViews() error {
	return b.write(func(t logTx) error {
		for d := b.days.from; d < b.days.to; d++ {
			tally := b.whole[d]
			if tally == nil || tally.Views() == 0 {
				continue
			}
			_, err := t.Exec("INSERT INTO daily_views (account, day, data) VALUES ($1, $2, $3) ON CONFLICT (account, day) DO UPDATE SET data = excluded.data", int64(b.account), d, tally.AppendLinkViews(nil))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// days64 builds the tallies of the block of 64 days that ends with the built
// days.
func (b *building) days64() error {
	days := span{b.days.to - width(2), b.days.to}
	all, err := b.sum(b.scope(0), days)
	if err != nil {
		return err
	}
	for _, link := range b.links {
		s := b.scope(link)
		if all.LinkViews(int64(link)) < b.log.least[2] {
			continue
		}
		if _, err := b.sum(s, days); err != nil {
			return err
		}
		if len(b.pending) >= pendingTallies/4 {
			if err := b.flush(); err != nil {
				return err
			}
		}
	}
	return b.flush()
}

// sum returns the tally of many days. It adds the smaller stored tallies, and
// the views of days without one.
func (b *building) sum(s vitrine.Scope, days span) (*report.Tally, error) {
	t := new(report.Tally)
	err := b.read(func(tx logTx) error {
		st := stored{tx: tx, words: b.log.words, scope: s, since: report.NoDay, tally: t}
		missing, err := st.take(days)
		if err != nil {
			return err
		}
		return b.log.eachDay(b.ctx, tx, s, window{cold: missing},
			func(_ report.Day, day *report.Tally) { t.Merge(day) })
	})
	if err != nil {
		return nil, err
	}
	if b.log.least.stores(s, 2, trim(s, t)) {
		b.pending = append(b.pending, pendingTally{s, 2, days.from, t})
	}
	return t, nil
}

package reference

import (
	"vitrine/bench/dataset"
)

// openRow is a row of the view tables.
type openRow struct {
	account, link                                             uint32
	at                                                        int64
	viewer                                                    uint64
	labels                                                    [8]string // in the order of labelColumns
	bot, qr, cameBack, session, counted, atypical, downloaded bool
	engaged, present                                          uint32
	completion                                                float64
	played, reached, depth                                    uint8
}

func rowOf(o *dataset.Open) openRow {
	r := openRow{account: uint32(o.Link.Account), link: uint32(o.Link.Number), at: o.At, viewer: o.Viewer,
		labels: [8]string{dataset.Countries[o.Country], dataset.CityKeys[o.City], dataset.Referrers[o.Referrer],
			dataset.Sources[o.Source],
			dataset.Devices[o.Device], dataset.Browsers[o.Browser], dataset.Systems[o.OS]},
		bot: o.Bot, qr: o.QR, cameBack: o.Returning, session: o.Session, counted: o.Counted(), atypical: o.Atypical(),
		downloaded: o.Downloaded,
		engaged:    uint32(o.EngagedMs), present: uint32(o.PresentMs), played: uint8(o.PlayedPct),
		reached: uint8(o.ReachedPct), depth: uint8(o.DepthPct)}
	if o.Session {
		r.labels[7] = dataset.Screens[o.Screen]
		r.completion, _ = o.Completion()
	}
	return r
}

// downloads counts the downloads by people for each link over all time.
type downloads map[uint32]int64

func (d downloads) add(r *openRow) {
	if r.downloaded && !r.bot {
		d[r.link]++
	}
}

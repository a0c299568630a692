package tables

import (
	"vitrine/internal/backend/viewlog/segment"
	"vitrine/report"
)

// View returns the record of a view.
func (w *LabelWriter) View(v *report.View) (r segment.View, err error) {
	r.Viewer = v.Viewer
	if v.Returning {
		r.Flags |= segment.ViewReturning
	}
	if v.QR {
		r.Flags |= segment.ViewQR
	}
	if v.Version > 1 {
		r.Version = v.Version
	}
	r.Recipient, r.Album = v.Recipient, v.Album
	for i := range segment.WordKinds {
		k := &segment.WordKinds[i]
		if k.ID == nil {
			continue
		}
		if *k.ID(&r), err = w.ID(k.Kind, k.Of(v)...); err != nil {
			return r, err
		}
	}
	c := v.Class()
	return r, w.SetClass(&c, &r)
}

// SetClass sets the class in the record of a view.
func (w *LabelWriter) SetClass(c *report.Class, r *segment.View) (err error) {
	for _, f := range [...]struct {
		flag uint16
		set  bool
	}{{segment.ViewBot, !c.Counts()}, {segment.ViewOwn, c.Own}, {segment.ViewDecided, c.Decided},
		{segment.ViewSelfReported, c.SelfReported}, {segment.ViewWaits, c.Waits}} {
		if r.Flags &^= f.flag; f.set {
			r.Flags |= f.flag
		}
	}
	if r.Bot, err = w.bot(c.Bot, c.Product); err == nil {
		r.Was, err = w.bot(c.WasBot, c.WasProduct)
	}
	return err
}

// ReadClass returns the class of a view, without its engaged time.
func (w *LabelWriter) ReadClass(r *segment.View) (c report.Class, err error) {
	has := func(flag uint16) bool { return r.Flags&flag != 0 }
	c = report.Class{Own: has(segment.ViewOwn), Decided: has(segment.ViewDecided),
		SelfReported: has(segment.ViewSelfReported), Waits: has(segment.ViewWaits)}
	bot, err := w.Word(r.Bot)
	if err != nil {
		return c, err
	}
	was, err := w.Word(r.Was)
	if err != nil {
		return c, err
	}
	c.Bot, c.Product, c.WasBot, c.WasProduct = bot.Labels[0], bot.Labels[1], was.Labels[0], was.Labels[1]
	return c, nil
}

// Views creates the records of n views. It looks up all unknown words in one
// query.
func (w *LabelWriter) Views(n int, view func(i int) (*report.View, *segment.View)) (err error) {
	w.Collects, w.Noted, w.Unknown = true, map[string]bool{}, nil
	var again []int
	write := func(i int) error {
		v, r := view(i)
		*r, err = w.View(v)
		return err
	}
	for i := range n {
		before := w.Misses
		if err = write(i); err != nil {
			break
		}
		if w.Misses > before {
			again = append(again, i)
		}
	}
	w.Collects = false
	if err == nil {
		err = w.Learn(w.Unknown)
	}
	for _, i := range again {
		if err == nil {
			err = write(i)
		}
	}
	return err
}

// bot returns the word of a bot reason, and of a product if there is one.
func (w *LabelWriter) bot(reason, product string) (segment.WordID, error) {
	if product == "" {
		return w.ID(segment.WordBot, reason)
	}
	return w.ID(segment.WordBot, reason, product)
}

// ReadView sets v from a row of a link, without its session. word returns the
// labels of a number.
func ReadView(word func(segment.WordID) (*segment.Labels, error), link int64, row *segment.Row, v *report.View) error {
	r := &row.View
	*v = report.View{ID: int64(row.ID), At: row.ID.Ms(), Link: link, Viewer: r.Viewer, Version: r.Version,
		Recipient: r.Recipient, Album: r.Album,
		Own: r.Flags&segment.ViewOwn != 0, QR: r.Flags&segment.ViewQR != 0,
		Returning: r.Flags&segment.ViewReturning != 0}
	for i := range segment.WordKinds {
		k := &segment.WordKinds[i]
		if k.ID == nil {
			continue
		}
		l, err := word(*k.ID(r))
		if err != nil {
			return err
		}
		k.Read(l, v)
	}
	bot, err := word(r.Bot)
	if err != nil {
		return err
	}
	was, err := word(r.Was)
	if err != nil {
		return err
	}
	v.Bot, v.Product = bot.Labels[0], bot.Labels[1]
	v.WasBot, v.WasProduct = was.Labels[0], was.Labels[1]
	return nil
}

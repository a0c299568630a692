package segment

import (
	"encoding/binary"

	"vitrine/report/part"
)

func appendClicks(b []byte, clicks []part.Click) []byte {
	b = binary.AppendUvarint(b, uint64(len(clicks)))
	for _, c := range clicks {
		b = binary.AppendUvarint(b, uint64(c.Part))
		b = binary.AppendUvarint(b, uint64(c.Count))
		b = binary.AppendUvarint(b, uint64(len(c.Target)))
		b = append(b, c.Target...)
	}
	return b
}

// clicks reads what appendClicks wrote.
func (r *Reader) clicks() (clicks []part.Click) {
	n := r.number()
	if n < 1 || n > part.MaxTargets {
		r.fail()
		return nil
	}
	for range n {
		c := part.Click{Part: int(r.number()), Count: r.number()}
		size := r.number()
		if size < 0 || size > int64(r.left()) {
			r.fail()
			return nil
		}
		c.Target = string(r.b[r.at : r.at+int(size)])
		r.at += int(size)
		clicks = append(clicks, c)
	}
	return clicks
}

// clicks adds the clicks of a session.
func (p *Encoder) clicks(clicks []part.Click) {
	each, targets := &p.columns[columnClicks], &p.columns[columnTargets]
	each.number(int64(len(clicks)))
	for _, c := range clicks {
		each.number(int64(c.Part))
		each.number(c.Count)
		targets.number(int64(len(c.Target)))
		targets.bytes([]byte(c.Target))
	}
}

// clicks reads the clicks of a session.
func (u *Decoder) clicks() (clicks []part.Click) {
	each, targets := &u.columns[columnClicks], &u.columns[columnTargets]
	n := each.next()
	if n < 1 || n > part.MaxTargets {
		each.bad = true
		return nil
	}
	for range n {
		c := part.Click{Part: int(each.next()), Count: each.next()}
		u.bytes = u.bytes[:0]
		for size := targets.next(); size > 0 && !targets.bad; size-- {
			u.bytes = append(u.bytes, byte(targets.next()))
		}
		c.Target = string(u.bytes)
		clicks = append(clicks, c)
	}
	return clicks
}

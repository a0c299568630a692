package importer

import (
	"encoding/binary"
	"errors"

	"vitrine"
	"vitrine/report"
	"vitrine/report/click"
)

// The flags in the first byte of a staged view.
const (
	stagedBot = 1 << iota
	stagedQR
	stagedReturning
	stagedSession
	stagedDownloaded
	stagedMore // what few views have
)

// The flags of a session in a view that few have.
const (
	stagedOutlined = 1 << iota
	stagedUnmeasured
)

// labelsOf returns the labels of a staged view, each at most 255 bytes.
func labelsOf(v *vitrine.ViewRecord) [12]*string {
	return [...]*string{&v.Country, &v.City, &v.Referrer, &v.Source, &v.Device, &v.Browser, &v.OS, &v.Campaign,
		&v.Medium, &v.Content, &v.Term, &v.Product}
}

// stagedLabels is the number of labels that every staged view has.
const stagedLabels = 7

// hasMore reports whether a view has rare fields.
func hasMore(v *vitrine.ViewRecord) bool {
	return v.Version > 1 || v.Recipient != 0 || v.Album != 0 ||
		v.Campaign != "" || v.Medium != "" || v.Content != "" || v.Term != "" || v.Product != "" ||
		v.Session != nil && (v.Session.Outlined || v.Session.Unmeasured || len(v.Session.Clicks) > 0 ||
			v.Session.Parts != report.Parts{})
}

// appendStaged writes a view in a short form that readStaged reads; all but
// its account, link, time and ID.
func appendStaged(b []byte, v *vitrine.ViewRecord) []byte {
	s := v.Session
	var flags byte
	for _, f := range []struct {
		set bool
		bit byte
	}{{v.Bot != "", stagedBot}, {v.QR, stagedQR}, {v.Returning, stagedReturning}, {s != nil, stagedSession},
		{s != nil && s.Downloaded, stagedDownloaded}, {hasMore(v), stagedMore}} {
		if f.set {
			flags |= f.bit
		}
	}
	b = append(b, flags)
	b = binary.LittleEndian.AppendUint64(b, v.Viewer)
	all := labelsOf(v)
	labels := all[:stagedLabels]
	if flags&stagedMore != 0 {
		labels = all[:]
		b = binary.AppendUvarint(b, uint64(v.Version))
		b = binary.AppendUvarint(b, uint64(v.Recipient))
		b = binary.AppendUvarint(b, uint64(v.Album))
	}
	for _, l := range labels {
		b = append(append(b, byte(len(*l))), *l...)
	}
	if s == nil {
		return b
	}
	b = append(append(b, byte(len(s.Screen))), s.Screen...)
	for _, n := range [...]int64{s.EngagedMs, s.PresentMs, s.Played, s.Reached, s.Depth, int64(len(s.Pages))} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	for _, p := range s.Pages {
		b = binary.AppendUvarint(b, uint64(p.Page))
		b = binary.AppendUvarint(b, uint64(p.Ms))
	}
	if flags&stagedMore != 0 {
		var measured byte
		if s.Outlined {
			measured |= stagedOutlined
		}
		if s.Unmeasured {
			measured |= stagedUnmeasured
		}
		b = append(b, measured)
		b = binary.LittleEndian.AppendUint64(b, s.Parts[0])
		b = binary.LittleEndian.AppendUint64(b, s.Parts[1])
		b = append(b, byte(len(s.Clicks)))
		for _, c := range s.Clicks {
			b = binary.AppendUvarint(b, uint64(c.Part))
			b = binary.AppendUvarint(b, uint64(c.Count))
			b = append(append(b, byte(len(c.Target))), c.Target...)
		}
	}
	return b
}

var errStaged = errors.New("the temporary file of the import is damaged; run the import again")

// readStaged reads what appendStaged wrote. The view shares no memory with b.
func readStaged(b []byte, v *vitrine.ViewRecord, words *wordCache) error {
	r := stagedReader{rest: b}
	flags := r.bytes(1)[0]
	if flags&stagedBot != 0 {
		v.Bot = report.BotImported
	}
	v.QR, v.Returning = flags&stagedQR != 0, flags&stagedReturning != 0
	v.Viewer = binary.LittleEndian.Uint64(r.bytes(8))
	all := labelsOf(v)
	labels := all[:stagedLabels]
	if flags&stagedMore != 0 {
		labels = all[:]
		v.Version = int(r.number())
		v.Recipient, v.Album = r.number(), r.number()
	}
	for _, l := range labels {
		*l = words.of(r.bytes(int(r.bytes(1)[0])))
	}
	if flags&stagedSession != 0 {
		s := &report.Session{Downloaded: flags&stagedDownloaded != 0}
		s.Screen = words.of(r.bytes(int(r.bytes(1)[0])))
		s.EngagedMs, s.PresentMs, s.Played, s.Reached, s.Depth = r.number(), r.number(), r.number(), r.number(),
			r.number()
		if n := r.number(); n > int64(len(r.rest)) {
			return errStaged
		} else if n > 0 {
			s.Pages = make([]report.PageTime, n)
		}
		for i := range s.Pages {
			s.Pages[i] = report.PageTime{Page: int(r.number()), Ms: r.number()}
		}
		if flags&stagedMore != 0 {
			measured := r.bytes(1)[0]
			s.Outlined, s.Unmeasured = measured&stagedOutlined != 0, measured&stagedUnmeasured != 0
			s.Parts = report.Parts{binary.LittleEndian.Uint64(r.bytes(8)), binary.LittleEndian.Uint64(r.bytes(8))}
			for range r.bytes(1)[0] {
				s.Clicks = append(s.Clicks, click.Click{Part: int(r.number()), Count: r.number(),
					Target: words.of(r.bytes(int(r.bytes(1)[0])))})
			}
		}
		v.Session = s
	}
	if r.short || len(r.rest) > 0 {
		return errStaged
	}
	return nil
}

// stagedReader reads values. At the end it returns zeros and records the
// failure.
type stagedReader struct {
	rest  []byte
	short bool
}

func (r *stagedReader) bytes(n int) []byte {
	if n > len(r.rest) {
		r.rest, r.short = nil, true
		return make([]byte, n)
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *stagedReader) number() int64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 {
		r.rest, r.short = nil, true
		return 0
	}
	r.rest = r.rest[size:]
	return int64(n)
}

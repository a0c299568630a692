package importer

import (
	"encoding/binary"
	"errors"

	"vitrine"
	"vitrine/report"
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

// labelsOf returns the labels of a staged view, each at most 255 bytes.
func labelsOf(o *vitrine.ViewRecord) [12]*string {
	return [...]*string{&o.Country, &o.City, &o.Referrer, &o.Source, &o.Device, &o.Browser, &o.OS, &o.Campaign,
		&o.Medium, &o.Content, &o.Term, &o.Product}
}

// stagedLabels is the number of labels that every staged view has.
const stagedLabels = 7

// hasMore reports whether a view has rare fields.
func hasMore(o *vitrine.ViewRecord) bool {
	return o.Version > 1 || o.Recipient != 0 || o.Album != 0 ||
		o.Campaign != "" || o.Medium != "" || o.Content != "" || o.Term != "" || o.Product != "" ||
		o.Session != nil && (o.Session.Outlined || o.Session.Parts != report.Parts{})
}

// appendStaged writes a view in a short form that readStaged reads; all but
// its account, link, time and ID.
func appendStaged(b []byte, o *vitrine.ViewRecord) []byte {
	s := o.Session
	var flags byte
	for _, f := range []struct {
		set bool
		bit byte
	}{{o.Bot != "", stagedBot}, {o.QR, stagedQR}, {o.Returning, stagedReturning}, {s != nil, stagedSession},
		{s != nil && s.Downloaded, stagedDownloaded}, {hasMore(o), stagedMore}} {
		if f.set {
			flags |= f.bit
		}
	}
	b = append(b, flags)
	b = binary.LittleEndian.AppendUint64(b, o.Viewer)
	all := labelsOf(o)
	labels := all[:stagedLabels]
	if flags&stagedMore != 0 {
		labels = all[:]
		b = binary.AppendUvarint(b, uint64(o.Version))
		b = binary.AppendUvarint(b, uint64(o.Recipient))
		b = binary.AppendUvarint(b, uint64(o.Album))
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
		if s.Outlined {
			b = append(b, 1)
		} else {
			b = append(b, 0)
		}
		b = binary.LittleEndian.AppendUint64(b, s.Parts[0])
		b = binary.LittleEndian.AppendUint64(b, s.Parts[1])
	}
	return b
}

var errStaged = errors.New("the temporary file of the import is damaged; run the import again")

// readStaged reads what appendStaged wrote. The view shares no memory with b.
func readStaged(b []byte, o *vitrine.ViewRecord, words *wordCache) error {
	r := stagedReader{rest: b}
	flags := r.bytes(1)[0]
	if flags&stagedBot != 0 {
		o.Bot = report.BotImported
	}
	o.QR, o.Returning = flags&stagedQR != 0, flags&stagedReturning != 0
	o.Viewer = binary.LittleEndian.Uint64(r.bytes(8))
	all := labelsOf(o)
	labels := all[:stagedLabels]
	if flags&stagedMore != 0 {
		labels = all[:]
		o.Version = int(r.number())
		o.Recipient, o.Album = r.number(), r.number()
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
			s.Outlined = r.bytes(1)[0] == 1
			s.Parts = report.Parts{binary.LittleEndian.Uint64(r.bytes(8)), binary.LittleEndian.Uint64(r.bytes(8))}
		}
		o.Session = s
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

package pdf

import "vitrine/internal/filetype"

// pdfDict holds the values of the top-level keys of a dictionary that
// inspection uses.
type pdfDict struct {
	typ        string // /Type
	subtype    string
	width      int64 // of an image
	height     int64
	root       int64 // object numbers of references
	pages      int64
	count      int64 // -1 if absent
	n, first   int64
	length     int64 // 0 if absent, or in another object
	linearized bool
	filters    []string
	predicted  bool   // /DecodeParms name a predictor
	id         string // the first string of /ID
	encrypted  bool   // has /Encrypt
	encrypt    int64  // the object to which it refers
	Crypt      Encryption
}

// Dict reads a dictionary. It reports false if none begins here or it does not
// end. Nesting is counted without recursion.
func (l *Lexer) Dict() (d pdfDict, ok bool) {
	d.count = -1
	if t := l.Next(); t.Kind != pdfOpen || t.Text != "<<" {
		return d, false
	}
	key, depth := "", 1
	for {
		t := l.Next()
		switch t.Kind {
		case PdfEnd:
			return d, false
		case pdfOpen:
			depth++
		case pdfClose:
			if depth--; depth == 0 {
				return d, true
			}
			if depth == 1 {
				key = ""
			}
			continue
		}
		switch {
		case depth == 1 && key == "":
			if t.Kind == pdfName {
				key = t.Text
				d.encrypted = d.encrypted || key == "Encrypt"
			}
		case depth == 1:
			d.value(key, t, l)
			key = ""
		default:
			d.nested(key, t, l)
		}
	}
}

// value sets the value of a key, unless it is an array or dictionary.
func (d *pdfDict) value(key string, t pdfToken, l *Lexer) {
	ref := int64(0)
	if t.Kind == PdfInt {
		ref = l.reference(t.N)
	}
	switch key {
	case "Type":
		d.typ = t.Text
	case "Subtype":
		d.subtype = t.Text
	case "Root":
		d.root = ref
	case "Pages":
		d.pages = ref
	case "Encrypt":
		d.encrypt = ref
	case "Filter":
		if t.Kind == pdfName {
			d.filter(t.Text)
		}
	case "Linearized":
		d.linearized = true
	}
	if t.Kind == PdfInt && ref == 0 {
		switch key {
		case "Count":
			d.count = t.N
		case "N":
			d.n = t.N
		case "First":
			d.first = t.N
		case "Length":
			d.length = t.N
		case "Width":
			d.width = t.N
		case "Height":
			d.height = t.N
		}
	}
	d.Crypt.value(key, t)
}

// filter adds a filter, up to one more than is allowed.
func (d *pdfDict) filter(name string) {
	if len(d.filters) <= filetype.MaxPDFFilters {
		d.filters = append(d.filters, name)
	}
}

// nested handles a token within the array or dictionary that is the value of a
// key.
func (d *pdfDict) nested(key string, t pdfToken, l *Lexer) {
	switch {
	case key == "Filter" && t.Kind == pdfName:
		d.filter(t.Text)
	case key == "DecodeParms" && t.Kind == pdfName && t.Text == "Predictor":
		at := l.I
		d.predicted = d.predicted || l.Next().N > 1
		l.I = at
	case key == "ID" && t.Kind == pdfString && d.id == "":
		d.id = t.Text
	case key == "CF" && t.Kind == pdfName && t.Text == "CFM":
		at := l.I
		d.Crypt.Method = l.Next().Text
		l.I = at
	}
}

// reference returns the object of a reference "n gen R" and skips it. It
// returns 0 if n is only a number.
func (l *Lexer) reference(n int64) int64 {
	at := l.I
	if gen, r := l.Next(), l.Next(); gen.Kind == PdfInt && r.Kind == pdfWord && r.Text == "R" {
		return n
	}
	l.I = at
	return 0
}

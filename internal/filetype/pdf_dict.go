package filetype

// pdfDict is what inspection keeps of a dictionary: the values of a few keys of its top level.
type pdfDict struct {
	typ        string // /Type
	subtype    string
	width      int64 // of an image
	height     int64
	root       int64 // objects that are referred to
	pages      int64
	count      int64 // -1 absent
	n, first   int64
	length     int64 // 0 absent, or kept in another object
	linearized bool
	filters    []string
	predicted  bool   // /DecodeParms name a predictor
	id         string // the first of /ID
	encrypted  bool   // /Encrypt is there
	encrypt    int64  // and refers to this object
	crypt      pdfEncryption
}

// dict reads a dictionary. ok is false where none begins, or it does not end. Nesting is counted, not recursed into.
func (l *pdfLexer) dict() (d pdfDict, ok bool) {
	d.count = -1
	if t := l.next(); t.kind != pdfOpen || t.text != "<<" {
		return d, false
	}
	key, depth := "", 1
	for {
		t := l.next()
		switch t.kind {
		case pdfEnd:
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
			if t.kind == pdfName {
				key = t.text
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

// value takes the value of a key, unless it is an array or dictionary.
func (d *pdfDict) value(key string, t pdfToken, l *pdfLexer) {
	ref := int64(0)
	if t.kind == pdfInt {
		ref = l.reference(t.n)
	}
	switch key {
	case "Type":
		d.typ = t.text
	case "Subtype":
		d.subtype = t.text
	case "Root":
		d.root = ref
	case "Pages":
		d.pages = ref
	case "Encrypt":
		d.encrypt = ref
	case "Filter":
		if t.kind == pdfName {
			d.filter(t.text)
		}
	case "Linearized":
		d.linearized = true
	}
	if t.kind == pdfInt && ref == 0 {
		switch key {
		case "Count":
			d.count = t.n
		case "N":
			d.n = t.n
		case "First":
			d.first = t.n
		case "Length":
			d.length = t.n
		case "Width":
			d.width = t.n
		case "Height":
			d.height = t.n
		}
	}
	d.crypt.value(key, t)
}

// filter adds a filter, up to one more than is allowed.
func (d *pdfDict) filter(name string) {
	if len(d.filters) <= maxPDFFilters {
		d.filters = append(d.filters, name)
	}
}

// nested takes a token within the array or dictionary that is the value of a key.
func (d *pdfDict) nested(key string, t pdfToken, l *pdfLexer) {
	switch {
	case key == "Filter" && t.kind == pdfName:
		d.filter(t.text)
	case key == "DecodeParms" && t.kind == pdfName && t.text == "Predictor":
		at := l.i
		d.predicted = d.predicted || l.next().n > 1
		l.i = at
	case key == "ID" && t.kind == pdfString && d.id == "":
		d.id = t.text
	case key == "CF" && t.kind == pdfName && t.text == "CFM":
		at := l.i
		d.crypt.method = l.next().text
		l.i = at
	}
}

// reference tells the object that "n gen R" refers to, and reads on behind it; 0 when n is only a number.
func (l *pdfLexer) reference(n int64) int64 {
	at := l.i
	if gen, r := l.next(), l.next(); gen.kind == pdfInt && r.kind == pdfWord && r.text == "R" {
		return n
	}
	l.i = at
	return 0
}

package archive

// sevenReader reads values of a directory. After a failure it returns zeros.
type sevenReader struct {
	p      []byte
	failed bool
}

func (r *sevenReader) bytes(n int64) []byte {
	if n < 0 || n > int64(len(r.p)) {
		r.failed, r.p = true, nil
		return nil
	}
	p := r.p[:n]
	r.p = r.p[n:]
	return p
}

func (r *sevenReader) byte() byte {
	if p := r.bytes(1); len(p) == 1 {
		return p[0]
	}
	return 0
}

// number reads a variable-length number. The leading ones of the first byte
// count the bytes that follow.
func (r *sevenReader) number() int64 {
	first := r.byte()
	var v uint64
	mask := byte(0x80)
	for i := 0; i < 8; i++ {
		if first&mask == 0 {
			v |= uint64(first&(mask-1)) << (8 * i)
			break
		}
		v |= uint64(r.byte()) << (8 * i)
		mask >>= 1
	}
	if v > 1<<62 {
		r.failed, r.p = true, nil
		return 0
	}
	return int64(v)
}

// count reads a number of items. It returns an error if there is less than one
// remaining bit per item.
func (r *sevenReader) count() int {
	n := r.number()
	if n > 8*int64(len(r.p)) {
		r.failed, r.p = true, nil
		return 0
	}
	return int(n)
}

func (r *sevenReader) bits(n int) []bool {
	v := make([]bool, n)
	for i, p := 0, r.bytes(int64(n+7)/8); i < n && len(p) > 0; i++ {
		v[i] = p[i/8]&(0x80>>(i%8)) != 0
	}
	return v
}

// defined reads n bits, after a byte that indicates whether all are set.
func (r *sevenReader) defined(n int) []bool {
	if r.byte() == 0 {
		return r.bits(n)
	}
	v := make([]bool, n)
	for i := range v {
		v[i] = true
	}
	return v
}

// digests skips n checksums and returns which of them exist.
func (r *sevenReader) digests(n int) []bool {
	there := r.defined(n)
	for _, set := range there {
		if set {
			r.bytes(4)
		}
	}
	return there
}

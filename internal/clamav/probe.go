package clamav

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"sync"
)

// probeDepth is how often the probe is compressed. clamd's MaxRecursion is 17
// unless set; with one of many hundreds a file can end clamd by filling its
// stack, so there is no reason for more than this.
const probeDepth = 100

// probe is two kilobytes that are nested deeper than clamd looks. Looking that
// far takes it 2 ms. What is inside is nobody else's: clamd remembers what was
// clean, and does not look into that again.
var probe = sync.OnceValue(func() []byte {
	b := []byte(rand.Text())
	for range probeDepth {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, _ = w.Write(b) // a bytes.Buffer takes all
		_ = w.Close()
		b = packed.Bytes()
	}
	return b
})

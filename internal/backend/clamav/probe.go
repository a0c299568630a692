package clamav

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"sync"
)

// probeDepth is how often the probe is compressed. clamd's default MaxRecursion
// is 17. With many hundreds, a file can overflow clamd's stack and end it, so
// no administrator has a reason to allow more than this.
const probeDepth = 100

// probe is two kilobytes that are nested deeper than clamd looks. Scanning it
// takes clamd 2 ms. Its content is random: clamd remembers clean content and
// would not scan it again.
var probe = sync.OnceValue(func() []byte {
	b := []byte(rand.Text())
	for range probeDepth {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, _ = w.Write(b) // a bytes.Buffer never fails
		_ = w.Close()
		b = packed.Bytes()
	}
	return b
})

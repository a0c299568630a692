package spool

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math"

	"vitrine"
)

// A record is a mark, the length of its body, the CRC-32C of length and body
// (both little-endian), and the body: a Batch as JSON. A body cannot contain
// the mark, because UTF-8 never has its byte 0xff. So the mark shows where the
// next record begins after damage.
const (
	recordMark = "\xff\xfe\xff\x01"
	headerSize = len(recordMark) + 4 + 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func encode(b vitrine.Batch) ([]byte, error) {
	body, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	if len(body) > math.MaxInt32 {
		return nil, fmt.Errorf("a batch of %d bytes", len(body))
	}
	r := make([]byte, headerSize, headerSize+len(body))
	copy(r, recordMark)
	binary.LittleEndian.PutUint32(r[4:], uint32(len(body)))
	binary.LittleEndian.PutUint32(r[8:], checksum(r[4:8], body))
	return append(r, body...), nil
}

func checksum(length, body []byte) uint32 {
	return crc32.Update(crc32.Checksum(length, castagnoli), castagnoli, body)
}

// decode reads the record at the beginning of data. It returns false if there
// is no whole record.
func decode(data []byte) (b vitrine.Batch, size int, ok bool) {
	if len(data) < headerSize || string(data[:len(recordMark)]) != recordMark {
		return b, 0, false
	}
	length := int64(binary.LittleEndian.Uint32(data[4:]))
	if length > int64(len(data)-headerSize) {
		return b, 0, false
	}
	size = headerSize + int(length)
	body := data[headerSize:size]
	if checksum(data[4:8], body) != binary.LittleEndian.Uint32(data[8:]) || json.Unmarshal(body, &b) != nil {
		return vitrine.Batch{}, 0, false
	}
	return b, size, true
}

// reader reads the records of a file. It skips bytes that are not a whole
// record, and counts them: as torn if an interrupted write left them after the
// last record, otherwise as damaged.
type reader struct {
	data          []byte
	at            int // how many bytes have been read
	torn, damaged int // bytes
}

// next reads the next whole record.
func (r *reader) next() (vitrine.Batch, bool) {
	rest := r.data[r.at:]
	for skip := 0; ; skip++ {
		i := bytes.Index(rest[skip:], []byte(recordMark))
		if i < 0 {
			break
		}
		skip += i
		if b, size, ok := decode(rest[skip:]); ok {
			r.damaged += skip
			r.at += skip + size
			return b, true
		}
	}
	if torn(rest) {
		r.torn += len(rest)
	} else {
		r.damaged += len(rest)
	}
	r.at = len(r.data)
	return vitrine.Batch{}, false
}

// torn reports whether the end of a file is the beginning of a record, or room
// that was never written to. A last record with its full length and a wrong
// checksum may be torn or damaged. It counts as damaged, so that it is kept.
func torn(end []byte) bool {
	if len(bytes.Trim(end, "\x00")) == 0 {
		return true
	}
	if len(end) < headerSize {
		return bytes.HasPrefix(end, []byte(recordMark)[:min(len(end), len(recordMark))])
	}
	return string(end[:len(recordMark)]) == recordMark &&
		int64(binary.LittleEndian.Uint32(end[4:])) > int64(len(end)-headerSize)
}

// join reads records into one batch until it has joined entries or there are no
// more records.
func (r *reader) join() (all vitrine.Batch, ok bool) {
	for all.Len() < joined {
		b, more := r.next()
		if !more {
			break
		}
		ok = true
		all.Add(b)
	}
	return all, ok
}

package disk

import (
	"encoding"
	"encoding/binary"
	"errors"
	"hash"
	"hash/crc32"
	"io"
	"io/fs"
	"os"

	"vitrine/internal/base/durable"
)

// progress is how far an upload in chunks has come.
type progress struct {
	number uint64 // of the record; the one with the highest number counts
	offset int64  // bytes that are durable
	hash   []byte // the state of their SHA-256
}

// recordSize is the size of a record. The file has room for two, which are
// written in turn: if a crash damages one, the other is whole.
const recordSize = 256

// encode returns a record: its number, the offset, the state of the hash with
// its length, and the CRC-32 of all that at the end.
func (p progress) encode() ([]byte, error) {
	r := binary.BigEndian.AppendUint64(make([]byte, 0, recordSize), p.number)
	r = binary.BigEndian.AppendUint64(r, uint64(p.offset))
	r = binary.BigEndian.AppendUint16(r, uint16(len(p.hash)))
	r = append(r, p.hash...)
	if len(r) > recordSize-4 {
		return nil, errors.New("the state of the hash is too long")
	}
	r = r[:recordSize-4]
	return binary.BigEndian.AppendUint32(r, crc32.ChecksumIEEE(r)), nil
}

// decodeProgress reads a record. It returns false for a damaged one.
func decodeProgress(r []byte) (p progress, ok bool) {
	body, sum := r[:recordSize-4], r[recordSize-4:]
	n := int(binary.BigEndian.Uint16(body[16:]))
	if crc32.ChecksumIEEE(body) != binary.BigEndian.Uint32(sum) || 18+n > len(body) {
		return p, false
	}
	return progress{number: binary.BigEndian.Uint64(body), offset: int64(binary.BigEndian.Uint64(body[8:])),
		hash: body[18 : 18+n]}, true
}

// readProgress reads the last whole record of a file, or the zero progress if
// there is none, or if the bytes that it describes are not there.
func readProgress(path, chunks string) (last progress, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return progress{}, nil
	}
	if err != nil {
		return progress{}, err
	}
	defer f.Close()
	r := make([]byte, 2*recordSize)
	n, err := io.ReadFull(f, r)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return progress{}, err
	}
	for r = r[:n]; len(r) >= recordSize; r = r[recordSize:] {
		if p, ok := decodeProgress(r[:recordSize]); ok && p.number > last.number {
			last = p
		}
	}
	st, err := os.Stat(chunks)
	if errors.Is(err, fs.ErrNotExist) {
		return progress{}, nil
	}
	if err == nil && st.Size() < last.offset {
		last = progress{number: last.number}
	}
	return last, err
}

// put records the progress durably.
func (t *chunked) put(p progress) (err error) {
	p.number = t.number + 1
	r, err := p.encode()
	if err != nil {
		return err
	}
	fresh := t.record == nil
	if fresh {
		if t.record, err = os.OpenFile(t.blobs.progress(t.key), os.O_CREATE|os.O_RDWR, 0o600); err != nil {
			return err
		}
	}
	if _, err := t.record.WriteAt(r, int64(p.number%2)*recordSize); err != nil {
		return err
	}
	if err := durable.Sync(t.record); err != nil {
		return err
	}
	if fresh { // the files may be new
		if err := durable.SyncDir(t.blobs.incoming); err != nil {
			return err
		}
	}
	t.progress = p
	now := t.blobs.now()
	return os.Chtimes(t.bytes.Name(), now, now) // Sweep compares this time
}

// state returns the state of a hash.
func state(h hash.Hash) ([]byte, error) { return h.(encoding.BinaryMarshaler).MarshalBinary() }

// restore continues a hash from a state.
func restore(h hash.Hash, state []byte) error {
	return h.(encoding.BinaryUnmarshaler).UnmarshalBinary(state)
}

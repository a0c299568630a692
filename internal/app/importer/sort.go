package importer

import (
	"bufio"
	"cmp"
	"container/heap"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"

	"vitrine"
	"vitrine/report"
)

// The memory limits of an import: about 40 MiB for any file.
const (
	stagedRunViews = 1 << 18  // views of a sorted run
	stagedRunBytes = 24 << 20 // bytes of a sorted run
	mergeBytes     = 16 << 20 // of the buffers of all runs together, unless there are thousands
)

// staging sorts views by account, link, time and, within a millisecond, the
// order in which they came: runs of them in memory, and these through a
// temporary file, which has no name where the system allows it.
type staging struct {
	file    *os.File
	named   bool // the file must be removed
	end     int64
	runs    []stagedRun
	views   int64
	targets []*importTarget // by number

	runViews int
	index    []stagedView // the run in memory, as it came
	data     []byte       // of its views
}

// stagedView is a view of the run in memory.
type stagedView struct {
	at        int64
	target    uint32 // number; its position in the order while the run is sorted
	off, size uint32 // in staging.data
}

// stagedRun is a range of the file.
type stagedRun struct{ off, size int64 }

func stagingError(err error) error {
	return fmt.Errorf("the temporary file of the import in %s (set TMPDIR for another directory): %w", os.TempDir(),
		err)
}

func newStaging(runViews int) (*staging, error) {
	f, err := os.CreateTemp("", "vitrine-import-*")
	if err != nil {
		return nil, stagingError(err)
	}
	return &staging{file: f, named: os.Remove(f.Name()) != nil, runViews: cmp.Or(runViews, stagedRunViews)}, nil
}

func (s *staging) close() {
	s.file.Close()
	if s.named {
		os.Remove(s.file.Name())
	}
}

// target registers a link and returns its number.
func (s *staging) target(t *importTarget) uint32 {
	s.targets = append(s.targets, t)
	return uint32(len(s.targets) - 1)
}

// add stages a view. It keeps no reference to it.
func (s *staging) add(t *importTarget, v *vitrine.ViewRecord) error {
	if s.index == nil {
		s.index, s.data = make([]stagedView, 0, s.runViews), make([]byte, 0, stagedRunBytes)
	}
	off := len(s.data)
	s.data = appendStaged(s.data, v)
	s.index = append(s.index, stagedView{at: v.At, target: t.number, off: uint32(off), size: uint32(len(s.data) - off)})
	s.views++
	if len(s.index) < s.runViews && len(s.data) < stagedRunBytes-2*importMaxLine {
		return nil
	}
	return s.spill()
}

// compare orders two views of known targets.
func (s *staging) compare(target1 uint32, at1 int64, target2 uint32, at2 int64) int {
	if target1 != target2 {
		a, b := s.targets[target1], s.targets[target2]
		return cmp.Or(cmp.Compare(a.account, b.account), cmp.Compare(a.link, b.link))
	}
	return cmp.Compare(at1, at2)
}

// spill writes the run in memory, sorted, at the end of the file.
func (s *staging) spill() error {
	slices.SortFunc(s.index, func(a, b stagedView) int {
		if c := s.compare(a.target, a.at, b.target, b.at); c != 0 {
			return c
		}
		return cmp.Compare(a.off, b.off)
	})
	from := s.end
	w := bufio.NewWriterSize(io.NewOffsetWriter(s.file, from), 256<<10)
	for _, o := range s.index {
		head := binary.AppendUvarint(w.AvailableBuffer(), uint64(o.target))
		head = binary.AppendVarint(head, o.at)
		head = binary.AppendUvarint(head, uint64(o.size))
		w.Write(head)
		w.Write(s.data[o.off : o.off+o.size])
		s.end += int64(len(head)) + int64(o.size)
	}
	if err := w.Flush(); err != nil {
		return stagingError(err)
	}
	s.runs = append(s.runs, stagedRun{from, s.end - from})
	s.index, s.data = s.index[:0], s.data[:0]
	return nil
}

// sorted starts to read all views in order. No more views can be added.
func (s *staging) sorted() (*merge, error) {
	if len(s.index) > 0 {
		if err := s.spill(); err != nil {
			return nil, err
		}
	}
	s.index, s.data = nil, nil
	m := &merge{staging: s, words: newWordCache()}
	buffer := min(256<<10, max(4<<10, mergeBytes/max(len(s.runs), 1)))
	for n, run := range s.runs {
		r := &runReader{number: n, Reader: bufio.NewReaderSize(io.NewSectionReader(s.file, run.off, run.size), buffer)}
		if err := r.head(); err != nil {
			return nil, err
		}
		m.runs = append(m.runs, r)
	}
	heap.Init(m)
	return m, nil
}

// merge reads staged views in order. It is a heap of the runs with remaining
// views, ordered by their next view.
type merge struct {
	*staging
	runs  []*runReader
	body  []byte
	words *wordCache
}

// next reads the next view without its ID; io.EOF: there is none.
func (m *merge) next(v *vitrine.ViewRecord) error {
	if len(m.runs) == 0 {
		return io.EOF
	}
	r := m.runs[0]
	t := m.targets[r.target]
	*v = vitrine.ViewRecord{Account: t.account, View: report.View{At: r.at, Link: int64(t.link)}}
	m.body = slices.Grow(m.body[:0], r.size)[:r.size]
	if _, err := io.ReadFull(r, m.body); err != nil {
		return stagingError(err)
	}
	if err := readStaged(m.body, v, m.words); err != nil {
		return err
	}
	switch err := r.head(); err {
	case nil:
		heap.Fix(m, 0)
	case io.EOF:
		heap.Pop(m)
	default:
		return err
	}
	return nil
}

func (m *merge) Len() int      { return len(m.runs) }
func (m *merge) Swap(i, j int) { m.runs[i], m.runs[j] = m.runs[j], m.runs[i] }
func (m *merge) Push(r any)    { m.runs = append(m.runs, r.(*runReader)) }

func (m *merge) Less(i, j int) bool {
	a, b := m.runs[i], m.runs[j]
	if c := m.compare(a.target, a.at, b.target, b.at); c != 0 {
		return c < 0
	}
	return a.number < b.number // which came first
}

func (m *merge) Pop() any {
	last := len(m.runs) - 1
	r := m.runs[last]
	m.runs = m.runs[:last]
	return r
}

// runReader reads one sorted run.
type runReader struct {
	*bufio.Reader
	number int

	// Of the next view:
	target uint32
	at     int64
	size   int
}

// head reads what precedes the next view's body; io.EOF: the run ends here.
func (r *runReader) head() error {
	target, err := binary.ReadUvarint(r)
	if err == io.EOF {
		return err
	}
	at, err1 := binary.ReadVarint(r)
	size, err2 := binary.ReadUvarint(r)
	if err := cmp.Or(err, err1, err2); err != nil {
		return stagingError(err)
	}
	r.target, r.at, r.size = uint32(target), at, int(size)
	return nil
}

package public

import (
	"bufio"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"strconv"
	"strings"

	"vitrine"
	"vitrine/internal/visitor"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
	"vitrine/internal/web/viewer"
	"vitrine/report"
)

// textSuffix is the end of the address of a link's text.
const textSuffix = ".md"

// maxRead bounds the text in one answer, in bytes.
const maxRead = 1 << 20

// asksText reports whether a request for the page of a link prefers its text.
func asksText(r *http.Request) bool {
	return strings.HasSuffix(httpx.TrimTail(r.URL.Path), textSuffix) || httpx.PrefersMarkdown(r)
}

// sendText answers with parts of the text of a link, as Markdown. Each answer
// with text is a view of the class of its sender (contract, Text for
// programs). The owner's are not recorded.
func (s *Handler) sendText(w http.ResponseWriter, r *http.Request, l *vitrine.Link, a *vitrine.Account) error {
	text, err := s.Viewers.Reading(r, l)
	if errors.Is(err, httpx.ErrNoPage) { // it is lost, and made again
		err = vitrine.Unavailable(err)
	}
	if err != nil {
		return err
	}
	defer text.Close()
	h := w.Header()
	s.Server.SetPolicy(w, r, httpx.FileBytes)
	first, last, ok := askedParts(r.URL.Query().Get("parts"), len(text.Sizes))
	if !ok {
		http.Error(w, fmt.Sprintf("The query parameter parts is a number or a range from 1 to %d, such as 1-%[1]d.",
			len(text.Sizes)), http.StatusBadRequest)
		return nil
	}
	last = within(text.Sizes, first, last)
	head := s.headOf(l, text, first, last)
	h.Set("Cache-Control", "private, no-cache") // a link that is taken down is gone at once
	h.Set("Content-Type", "text/markdown; charset=utf-8")
	h.Add("Link", fmt.Sprintf(`<%s>; rel="canonical"`, s.Server.AddressOf(l)))
	h.Set("ETag", etagOf(l, text, head))
	if httpx.Matches(r, h.Get("ETag")) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	if r.Method == http.MethodHead {
		return nil
	}
	if err := s.recordRead(r, l, a, rangeOf(first, last)); err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	if err := errors.Join(writeText(b, text, head, first, last), b.Flush()); err != nil {
		panic(http.ErrAbortHandler) // a reader must not mistake some of it for all
	}
	return nil
}

// askedParts reads a number, a range such as 3-5, or the beginning of one such
// as 3-, within the parts that there are; "" is all of them.
func askedParts(text string, count int) (first, last int, ok bool) {
	if text == "" {
		return 1, count, count > 0
	}
	from, to, isRange := strings.Cut(text, "-")
	first, err := strconv.Atoi(from)
	last = first
	if isRange && to == "" {
		last = count
	} else if err == nil && isRange {
		last, err = strconv.Atoi(to)
	}
	return first, last, err == nil && 1 <= first && first <= last && last <= count
}

// within returns the last of some parts that one answer has room for.
func within(sizes []int64, first, last int) int {
	room := int64(maxRead)
	for i := first; i <= last; i++ {
		if room -= sizes[i-1]; room < 0 {
			return max(i-1, first)
		}
	}
	return last
}

func rangeOf(first, last int) string {
	if first == last {
		return strconv.Itoa(first)
	}
	return fmt.Sprintf("%d-%d", first, last)
}

// headOf returns what an answer says of itself before the text.
func (s *Handler) headOf(l *vitrine.Link, text *viewer.Reading, first, last int) string {
	var b strings.Builder
	count := len(text.Sizes)
	fmt.Fprintf(&b, "---\ntitle: %q\nsource: %q\nunit: %s\nparts: %d\nshown: %s\n", ui.Title(l), s.Server.AddressOf(l),
		text.Unit, count, rangeOf(first, last))
	if last < count && l.Through.Recipient == 0 {
		fmt.Fprintf(&b, "next: %q\n", s.textAddress(l)+"?parts="+strconv.Itoa(last+1)+"-")
	}
	if text.Cut {
		b.WriteString("note: The file has more text, which is only in the download.\n")
	}
	b.WriteString("---\n")
	return b.String()
}

// textAddress returns the address of a link's text.
func (s *Handler) textAddress(l *vitrine.Link) string { return s.Server.AddressOf(l) + textSuffix }

// etagOf returns a validator of parts of a text, whose description has all that
// may change besides the text itself.
func etagOf(l *vitrine.Link, text *viewer.Reading, head string) string {
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, head, text.Sizes)
	return fmt.Sprintf(`"%.16s-text-%x"`, l.SHA256, h.Sum64())
}

// writeText writes the description of an answer, and the parts.
func writeText(w io.Writer, text *viewer.Reading, head string, first, last int) error {
	if _, err := io.WriteString(w, head); err != nil {
		return err
	}
	for i := first; i <= last; i++ {
		if _, err := fmt.Fprintf(w, "\n<!-- %s %d -->\n\n", text.Unit, i); err != nil {
			return err
		}
		part := &bounded{w: w, left: maxRead}
		if err := text.Write(part, i-1); err != nil && !errors.Is(err, errFull) {
			return err
		} else if err != nil {
			_, _ = io.WriteString(w, "\n\n<!-- cut -->")
		}
		if _, err := io.WriteString(w, "\n"); err != nil {
			return err
		}
	}
	return nil
}

var errFull = errors.New("the answer has no more room")

// bounded writes some bytes, and then fails with errFull.
type bounded struct {
	w    io.Writer
	left int
}

func (b *bounded) Write(p []byte) (int, error) {
	if len(p) <= b.left {
		b.left -= len(p)
		return b.w.Write(p)
	}
	n, err := b.w.Write(p[:b.left])
	b.left = 0
	return n, errors.Join(err, errFull)
}

// recordRead stores that the sender of a request read parts of a text.
func (s *Handler) recordRead(r *http.Request, l *vitrine.Link, a *vitrine.Account, parts string) error {
	if s.Server.SignedInAs(r, a.ID) {
		return nil
	}
	v := s.viewOf(r, l, a)
	v.Bot, v.Product = visitor.ReaderOfText(v.Bot), report.TextProduct(v.Product, parts)
	_, err := s.add(r, l, v)
	return err
}

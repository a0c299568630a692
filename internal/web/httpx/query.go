package httpx

import (
	"encoding/base64"
	"fmt"
	"hash/crc32"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/base/notation"
	"vitrine/report"
)

// Query parses the query of a request. A part that cannot be read is an error,
// because what it selects is unknown. Its Field is the name of the parameter.
func Query(r *http.Request) (url.Values, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err == nil {
		return values, nil
	}
	for part := range strings.SplitSeq(r.URL.RawQuery, "&") {
		if _, err := url.ParseQuery(part); err == nil {
			continue
		}
		name, _, _ := strings.Cut(part, "=")
		if name, err = url.QueryUnescape(name); err != nil {
			break
		}
		e := unreadable(fmt.Sprintf("The parameter %q cannot be read. Write %%, &, + and ; in its value as %%25, %%26, %%2B and %%3B.",
			shortName(name)), shortName(name))
		if name == "range" {
			e.Code = vitrine.CodeBadRange
		}
		return nil, e
	}
	return nil, unreadable("The query of the address cannot be read: write % as %25.", "")
}

func unreadable(message, field string) *vitrine.Error {
	return &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: field, Message: message}
}

// OnlyParameters returns an error for a query with a parameter that is not
// known. It names the parameter, and the one that was probably meant.
func OnlyParameters(values url.Values, known []string) error {
	unknown := ""
	for name := range values {
		if !slices.Contains(known, name) && (unknown == "" || name < unknown) {
			unknown = name
		}
	}
	if unknown == "" && !values.Has("") {
		return nil
	}
	message := fmt.Sprintf("There is no parameter %q.", shortName(unknown))
	switch meant, dimension := nearest(unknown, known), strings.ToLower(unknown); {
	case slices.Contains(known, "filter") && report.Dimension(dimension).Row() != nil:
		message += fmt.Sprintf(" Use filter=%s:is:VALUE.", dimension)
	case meant != "":
		message += fmt.Sprintf(" Use %q.", meant)
	default:
		message += " The parameters are " + strings.Join(known, ", ") + "."
	}
	return unreadable(message, shortName(unknown))
}

// shortName cuts the name of a parameter for an error.
func shortName(name string) string {
	const most = 60
	return vitrine.OneLine(name[:min(len(name), most)])
}

// joints removes what joins words in names of parameters.
var joints = strings.NewReplacer("_", "", "-", "", " ", "", "[", "", "]", "")

// nearest returns the known name that a misspelt one probably means, or "".
func nearest(name string, known []string) string {
	if len(name) > 40 {
		return ""
	}
	return notation.Nearest(joints.Replace(strings.ToLower(name)), known, 2)
}

// ErrPage is returned for an address of a page that is further down a list, if
// the parameter that says where the page begins is wrong.
func ErrPage(parameter string) error {
	return unreadable("The address of this page of the list is wrong. Begin with the first page.", parameter)
}

// FormatCursor returns the cursor of a list of links.
func FormatCursor(c vitrine.LinkCursor) string { return cursor(c.CreatedAt.UnixMilli(), int64(c.ID)) }

// ParseCursor reads a cursor of FormatCursor; "" is the zero value. Errors have
// the field "cursor".
func ParseCursor(text string) (c vitrine.LinkCursor, err error) {
	if text == "" {
		return c, nil
	}
	n, err := parseCursor(text, 2)
	if err != nil {
		return c, err
	}
	return vitrine.LinkCursor{CreatedAt: time.UnixMilli(n[0]).UTC(), ID: vitrine.LinkID(n[1])}, nil
}

// FormatVisitCursor returns the cursor of a list of visits.
func FormatVisitCursor(v vitrine.ViewID) string { return cursor(int64(v)) }

// ParseVisitCursor reads a cursor of FormatVisitCursor; "" is 0. Errors have
// the field "cursor".
func ParseVisitCursor(text string) (vitrine.ViewID, error) {
	id, err := idOfCursor(text, 1)
	return vitrine.ViewID(id), err
}

// The cursors of other lists have more numbers, so that none is one of another
// list.

// FormatReaderCursor returns the cursor of a list of known readers.
func FormatReaderCursor(id int64) string { return cursor(id, 1, 1) }

// ParseReaderCursor is like ParseVisitCursor.
func ParseReaderCursor(text string) (int64, error) { return idOfCursor(text, 3) }

// FormatRecipientCursor returns the cursor of a list of recipients.
func FormatRecipientCursor(id int64) string { return cursor(id, 1, 1, 1) }

// ParseRecipientCursor is like ParseVisitCursor.
func ParseRecipientCursor(text string) (int64, error) { return idOfCursor(text, 4) }

// FormatExplainCursor returns the cursor of the visits of a figure.
func FormatExplainCursor(key vitrine.ViewID, same int64) string {
	return cursor(int64(key), same, 1, 1, 1)
}

// ParseExplainCursor is like ParseVisitCursor.
func ParseExplainCursor(text string) (key vitrine.ViewID, same int64, err error) {
	if text == "" {
		return 0, 0, nil
	}
	n, err := parseCursor(text, 5)
	if err != nil {
		return 0, 0, err
	}
	return vitrine.ViewID(n[0]), n[1], nil
}

// FormatDeliveryCursor returns the cursor of a list of deliveries.
func FormatDeliveryCursor(id int64) string { return cursor(id, 1, 1, 1, 1, 1) }

// ParseDeliveryCursor is like ParseVisitCursor.
func ParseDeliveryCursor(text string) (int64, error) { return idOfCursor(text, 6) }

func idOfCursor(text string, count int) (int64, error) {
	if text == "" {
		return 0, nil
	}
	n, err := parseCursor(text, count)
	if err != nil {
		return 0, err
	}
	return n[0], nil
}

// FormatEventCursor returns the cursor of a list of events of an account, after
// the one with an ID.
func FormatEventCursor(a vitrine.AccountID, after int64) string {
	return cursor(int64(a), after+1, 1, 1, 1)
}

// ParseEventCursor reads a cursor of FormatEventCursor. It reports whether it
// is one of the account.
func ParseEventCursor(text string, a vitrine.AccountID) (after int64, is bool) {
	n, err := parseCursor(text, 5)
	if err != nil || n[0] != int64(a) {
		return 0, false
	}
	return n[1] - 1, true
}

// cursor returns an opaque text with the numbers and their checksum. Without
// it, a cursor that was cut would be that of another page, and a list would end
// early unnoticed.
func cursor(numbers ...int64) string {
	b := make([]byte, 0, 48)
	for _, n := range numbers {
		b = append(strconv.AppendInt(b, n, 36), '.')
	}
	b = strconv.AppendUint(b, uint64(crc32.ChecksumIEEE(b)), 36)
	return base64.RawURLEncoding.EncodeToString(b)
}

// parseCursor reads the numbers of a cursor, which are positive.
func parseCursor(text string, count int) ([]int64, error) {
	b, _ := base64.RawURLEncoding.DecodeString(text)
	parts := strings.Split(string(b), ".")
	numbers := make([]int64, 0, count)
	for _, p := range parts[:len(parts)-1] {
		if n, err := strconv.ParseInt(p, 36, 64); err == nil && n > 0 {
			numbers = append(numbers, n)
		}
	}
	if len(numbers) != count || cursor(numbers...) != text {
		return nil, unreadable("The cursor is invalid. Use nextCursor from the previous page.", "cursor")
	}
	return numbers, nil
}

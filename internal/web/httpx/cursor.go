package httpx

import (
	"encoding/base64"
	"hash/crc32"
	"strconv"
	"strings"
	"time"

	"vitrine"
)

// list says of which list a cursor is. No cursor is one of another list.
type list int64

const (
	ofLinks list = iota + 1
	ofVisits
	ofReaders
	ofRecipients
	ofExplanation
	ofDeliveries
	ofEvents
	ofTrash
)

// FormatCursor returns the cursor of a list of links.
func FormatCursor(c vitrine.LinkCursor) string { return ofLinks.formatLink(c) }

// ParseCursor reads a cursor of FormatCursor; "" is the zero value. Errors have
// the field "cursor".
func ParseCursor(text string) (vitrine.LinkCursor, error) { return ofLinks.parseLink(text) }

// FormatTrashCursor returns the cursor of the trash.
func FormatTrashCursor(c vitrine.LinkCursor) string { return ofTrash.formatLink(c) }

// ParseTrashCursor is like ParseCursor.
func ParseTrashCursor(text string) (vitrine.LinkCursor, error) { return ofTrash.parseLink(text) }

func (l list) formatLink(c vitrine.LinkCursor) string {
	return l.format(c.CreatedAt.UnixMilli(), int64(c.ID))
}

func (l list) parseLink(text string) (c vitrine.LinkCursor, err error) {
	if text == "" {
		return c, nil
	}
	n, err := l.parse(text, 2)
	if err != nil {
		return c, err
	}
	return vitrine.LinkCursor{CreatedAt: time.UnixMilli(n[0]).UTC(), ID: vitrine.LinkID(n[1])}, nil
}

// FormatVisitCursor returns the cursor of a list of visits.
func FormatVisitCursor(v vitrine.ViewID) string { return ofVisits.format(int64(v)) }

// ParseVisitCursor reads a cursor of FormatVisitCursor; "" is 0. Errors have
// the field "cursor".
func ParseVisitCursor(text string) (vitrine.ViewID, error) {
	id, err := ofVisits.parseID(text)
	return vitrine.ViewID(id), err
}

// FormatReaderCursor returns the cursor of a list of known readers.
func FormatReaderCursor(id int64) string { return ofReaders.format(id) }

// ParseReaderCursor is like ParseVisitCursor.
func ParseReaderCursor(text string) (int64, error) { return ofReaders.parseID(text) }

// FormatRecipientCursor returns the cursor of a list of recipients.
func FormatRecipientCursor(id int64) string { return ofRecipients.format(id) }

// ParseRecipientCursor is like ParseVisitCursor.
func ParseRecipientCursor(text string) (int64, error) { return ofRecipients.parseID(text) }

// FormatExplainCursor returns the cursor of the visits of a figure.
func FormatExplainCursor(key vitrine.ViewID, same int64) string {
	return ofExplanation.format(int64(key), same)
}

// ParseExplainCursor is like ParseVisitCursor.
func ParseExplainCursor(text string) (key vitrine.ViewID, same int64, err error) {
	if text == "" {
		return 0, 0, nil
	}
	n, err := ofExplanation.parse(text, 2)
	if err != nil {
		return 0, 0, err
	}
	return vitrine.ViewID(n[0]), n[1], nil
}

// FormatDeliveryCursor returns the cursor of a list of deliveries.
func FormatDeliveryCursor(id int64) string { return ofDeliveries.format(id) }

// ParseDeliveryCursor is like ParseVisitCursor.
func ParseDeliveryCursor(text string) (int64, error) { return ofDeliveries.parseID(text) }

// FormatEventCursor returns the cursor of a list of events of an account, after
// the one with an ID.
func FormatEventCursor(a vitrine.AccountID, after int64) string {
	return ofEvents.format(int64(a), after+1)
}

// ParseEventCursor reads a cursor of FormatEventCursor. It reports whether it
// is one of the account.
func ParseEventCursor(text string, a vitrine.AccountID) (after int64, is bool) {
	n, err := ofEvents.parse(text, 2)
	if err != nil || n[0] != int64(a) {
		return 0, false
	}
	return n[1] - 1, true
}

// format returns an opaque text with the list, the numbers and their checksum.
// Without the checksum, a cursor that was cut would be that of another page,
// and a list would end early unnoticed.
func (l list) format(numbers ...int64) string {
	b := append(strconv.AppendInt(make([]byte, 0, 48), int64(l), 36), '.')
	for _, n := range numbers {
		b = append(strconv.AppendInt(b, n, 36), '.')
	}
	b = strconv.AppendUint(b, uint64(crc32.ChecksumIEEE(b)), 36)
	return base64.RawURLEncoding.EncodeToString(b)
}

// parse reads the numbers of a cursor of the list, which are positive.
func (l list) parse(text string, count int) ([]int64, error) {
	b, _ := base64.RawURLEncoding.DecodeString(text)
	numbers := make([]int64, 0, count)
	if parts := strings.Split(string(b), "."); len(parts) == count+2 {
		for _, p := range parts[1 : count+1] {
			if n, err := strconv.ParseInt(p, 36, 64); err == nil && n > 0 {
				numbers = append(numbers, n)
			}
		}
	}
	if len(numbers) != count || l.format(numbers...) != text {
		return nil, unreadable("The cursor is invalid. Use nextCursor from the previous page.", "cursor")
	}
	return numbers, nil
}

// parseID reads the number of a cursor that has one; "" is 0.
func (l list) parseID(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	n, err := l.parse(text, 1)
	if err != nil {
		return 0, err
	}
	return n[0], nil
}

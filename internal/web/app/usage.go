package app

import (
	"fmt"
	"strconv"
	"strings"

	"vitrine/internal/app/publish"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
)

// usageBar is a limit of the plan and its use.
type usageBar struct {
	Name, Used string
	Limit      string // "" for none
	Part, Of   int64  // of a bar; Of is 0 without a limit
	Full       bool
	Note       string // what to do when it is full
}

// Low reports whether there is room: there is no limit, or less than half of it
// is used.
func (b usageBar) Low() bool { return b.Of == 0 || 2*b.Part < b.Of }

// linksInUse returns a sentence for an account that has as many links as
// allowed.
func linksInUse(most int64) string {
	if most == 1 {
		return "Your account’s one link is in use"
	}
	return fmt.Sprintf("All %s of your account are in use", ui.Counted(most, "link", "links"))
}

// fullLimit returns the limit that keeps the account from publishing, in words,
// or "".
func fullLimit(u publish.Usage) string {
	switch most := u.Limits; {
	case most.Links > 0 && u.Links >= most.Links:
		return linksInUse(most.Links)
	case most.StorageBytes > 0 && u.Bytes >= most.StorageBytes:
		return "All " + ui.LimitSize(most.StorageBytes) + " of your account are in use"
	}
	return ""
}

// heldNote returns how much of a plan unfinished uploads hold and until when,
// in words, or "".
func (s *Shell) heldNote(u publish.Usage) string {
	if u.HeldBytes == 0 {
		return ""
	}
	return fmt.Sprintf("Unfinished uploads hold %s and %s for at most %s.", ui.Counted(u.HeldLinks, "link", "links"),
		ui.ByteSize(u.HeldBytes), httpx.Wait(u.HeldUntil.Sub(s.Now())))
}

// usageBars returns the limits of a plan.
func (s *Shell) usageBars(u publish.Usage) []usageBar {
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	bar := func(name string, used, limit int64, text func(int64) string, note string) usageBar {
		b := usageBar{Name: name, Used: text(used)}
		if limit > 0 {
			b.Limit, b.Part, b.Of, b.Full = text(limit), min(used, limit), limit, used >= limit
		}
		if b.Full {
			b.Note = note
		}
		return b
	}
	room := strings.TrimSpace("Delete a link to make room. " + s.heldNote(u))
	if u.Links == u.HeldLinks {
		room = s.heldNote(u)
	}
	bars := []usageBar{
		bar("Links and websites", u.Links, u.Limits.Links, number, room),
		bar("Storage", u.Bytes, u.Limits.StorageBytes, ui.LimitSize, room),
		bar("Uploads this hour", u.Uploads, u.Limits.HourlyUploads, number, ""),
	}
	if storage := &bars[1]; u.SpareBytes > 0 && u.Limits.StorageBytes > 0 {
		storage.Note = strings.TrimSpace(storage.Note + " " + ui.LimitSize(u.SpareBytes) +
			" of deleted files are kept until an upload needs the room.")
	}
	if last := &bars[len(bars)-1]; last.Full {
		last.Note = "You can upload again in " + httpx.Wait(u.NextUpload.Sub(s.Now())) + "."
	}
	return bars
}

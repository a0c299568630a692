package webhooks

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/app/events"
	"vitrine/internal/base/notation"
	"vitrine/internal/filetype"
)

// formats lists all formats.
var formats = []vitrine.WebhookFormat{vitrine.WebhookStandard, vitrine.WebhookSlack, vitrine.WebhookDiscord,
	vitrine.WebhookMattermost}

// formatOf returns the format for an address whose owner has named none.
func formatOf(u *url.URL) vitrine.WebhookFormat {
	switch host := u.Hostname(); {
	case host == "hooks.slack.com", host == "hooks.slack-gov.com":
		return vitrine.WebhookSlack
	case (host == "discord.com" || host == "discordapp.com") && strings.HasPrefix(u.Path, "/api/webhooks/"):
		return vitrine.WebhookDiscord
	}
	return vitrine.WebhookStandard
}

// inChat reports whether a chat gets an event that its webhook selects: one
// message for each visit, at its end, and only events of links unless others
// are selected.
func inChat(w *vitrine.Webhook, e *vitrine.Event) bool {
	all := len(w.Kinds) == 0
	if all && e.Link == 0 {
		return false
	}
	var data events.Numbers
	_ = json.Unmarshal(e.Data, &data) // of another form, it has no visit
	part := data.Visit != nil && (e.Kind == vitrine.EventFirstView || e.Kind == vitrine.EventDownload)
	return !part || !all && !slices.Contains(w.Kinds, vitrine.EventView)
}

// phrases says what happened to a link.
var phrases = map[vitrine.EventKind]string{
	vitrine.EventFirstView:    "was viewed for the first time",
	vitrine.EventView:         "was viewed",
	vitrine.EventDownload:     "was downloaded",
	vitrine.EventLinkLive:     "is live",
	vitrine.EventLinkReview:   "is held for review",
	vitrine.EventLinkDisabled: "was disabled",
	vitrine.EventLinkExpired:  "has expired",
	vitrine.EventLinkDeleted:  "was deleted",
	vitrine.EventVersionLive:  "has a new version",
	vitrine.EventWebsiteLive:  "is live",
}

// maxTitle and maxText bound the texts of a chat, in characters.
const maxTitle, maxText = 200, 1500

// chatBody returns the message about an event for a chat.
func (s *Service) chatBody(w *vitrine.Webhook, i events.Item) ([]byte, error) {
	c := chats[w.Format]
	form := i.Form(s.Addresses)
	var data struct {
		events.Numbers
		Reason, Detail string
	}
	if err := json.Unmarshal(i.Data, &data); err != nil {
		return nil, err
	}
	text := "This is a test of your webhook."
	if k := events.KindOf(i.Kind); k != nil {
		text = c.escape(k.Words)
	}
	switch phrase := phrases[i.Kind]; {
	case form.Link == nil:
	case i.Kind == vitrine.EventMilestone:
		text = c.link(form.Link, s) + fmt.Sprintf(" has %d views", data.Milestone)
	case phrase == "":
		text += ": " + c.link(form.Link, s)
	default:
		text = c.link(form.Link, s) + " " + phrase
	}
	var parts []string
	if to := i.Recipient; to != nil {
		parts = append(parts, to.Label)
	}
	if v := data.Visit; v != nil {
		if v.Engaged {
			parts = append(parts, spent(v.EngagedMs))
		}
		parts = append(parts, v.Progress, strings.Join(slices.DeleteFunc([]string{v.City, v.Country},
			func(s string) bool { return s == "" }), ", "), v.Device)
		if v.Downloaded && i.Kind != vitrine.EventDownload {
			parts = append(parts, "downloaded")
		}
	}
	parts = append(parts, access.OwnerMeaning(data.Reason), data.Detail)
	for _, p := range parts {
		if p != "" {
			text += " · " + c.escape(notation.Shorten(filetype.OneLine(p), maxTitle))
		}
	}
	return json.Marshal(c.message(notation.Shorten(text, maxText)))
}

// spent returns a time that was spent reading.
func spent(ms int64) string {
	switch s := (max(ms, 0) + 500) / 1000; {
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d min %02d s", s/60, s%60)
	default:
		return (time.Duration(s) * time.Second).Truncate(time.Minute).String()
	}
}

// chat is how a chat writes.
type chat struct {
	escape  func(string) string
	anchor  string // of a text and an address
	message func(string) any
}

// link returns the title of a link, which leads to its report.
func (c chat) link(l *events.FormLink, s *Service) string {
	address := l.URL
	if !strings.HasPrefix(address, s.Addresses.Site(l.Slug)) {
		address = s.Report(l.Slug)
	}
	return fmt.Sprintf(c.anchor, c.escape(notation.Shorten(filetype.OneLine(l.Title), maxTitle)), address)
}

// markdown escapes what Markdown understands. The invisible space keeps a word
// from being the name of a person or of a channel.
var markdown = strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "~", `\~`, "`", "\\`", "|", `\|`, "[", `\[`,
	"]", `\]`,
	"(", `\(`, ")", `\)`, "<", `\<`, ">", `\>`, "#", `\#`, "@", "@\u200b", "://", ":\u200b//")

var chats = map[vitrine.WebhookFormat]chat{
	vitrine.WebhookSlack: {
		escape: strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "|", "¦", "*", "∗", "_", "_\u200b", "~",
			"~\u200b", "`", "'").Replace,
		anchor: "<%[2]s|%[1]s>",
		message: func(text string) any {
			return map[string]any{"text": text, "unfurl_links": false, "unfurl_media": false}
		}},
	vitrine.WebhookDiscord: {
		escape: markdown.Replace,
		anchor: "[%s](<%s>)",
		message: func(text string) any { // 4: without previews of links
			return map[string]any{"content": text, "flags": 4,
				"allowed_mentions": map[string]any{"parse": []string{}}}
		}},
	vitrine.WebhookMattermost: {
		escape:  markdown.Replace,
		anchor:  "[%s](%s)",
		message: func(text string) any { return map[string]any{"text": text} }},
}

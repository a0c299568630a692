package web

import (
	"bytes"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"vitrine"
	"vitrine/internal/filetype"
	"vitrine/internal/markup"

	"github.com/dustin/go-humanize"
)

// form is where the page of a link is shown.
type form byte

const (
	ownPage  form = iota // in a window
	embedded             // in a frame, on a page of another site
)

// linkPage is the public page of one link.
type linkPage struct {
	chrome
	Form     form
	URL      string // public address
	Name     string // of the file
	Facts    []string
	ViewOnly bool
	Badge    string // the file's extension, for the card

	Show     string // how the content is shown: one of the show constants
	File     string // address of the bytes, or of the frame that shows them; "" for none
	Apart    bool   // File is of another origin than the page
	Tracks   []track
	Sandbox  string // of the frame
	Text     string
	Passing  bool            // the page is so for a while only, and another though the link is as it was
	Lines    bool            // Document is lines of code
	Document markup.Document // what is shown in place of Text, if it has HTML
	TextCut  bool
	Wrap     bool
	QR       string // address of the page's QR code, without the ending that says which kind of picture
	Kind     string // how progress is measured: a report.ContentKind
	Beacon   string // address that takes the page's beacons
	Download string // address; "" for a view-only link
	Report   string // address
	Notice   notice

	Embed   string  // HTML that shows the content on another page
	OEmbed  string  // address that tells the same to programs
	Picture picture // for cards of other sites
}

// template is what renders the page in its form.
func (p *linkPage) template() *template.Template {
	if p.Form == embedded {
		return embedTemplate()
	}
	return linkTemplate()
}

// Embedded reports whether the page is in a frame of another site.
func (p *linkPage) Embedded() bool { return p.Form == embedded }

// Viewer is the name of the script and the style that show content of this
// kind; "" where the page alone suffices.
func (p *linkPage) Viewer() string {
	switch p.Show {
	case showImage:
		return "image"
	case showVideo, showAudio:
		return "media"
	}
	return ""
}

// Type is what the page is to other sites, in the words of Open Graph.
func (p *linkPage) Type() string {
	switch p.Show {
	case showVideo:
		return "video.other"
	case showAudio:
		return "music.song"
	}
	return "website"
}

// track is captions of a video or sound, WebVTT.
type track struct {
	Language string // a BCP 47 tag
	Label    string // the language's name
	Address  string
}

// notice stands where content cannot be shown.
type notice struct{ Message, Download string }

// linkPage gathers what the page of a link shows: of the link as it is, and of
// the hour.
func (s *publicH) linkPage(r *http.Request, l *vitrine.Link, f form) (*linkPage, error) {
	t, _ := filetype.ByExt(l.Name)
	here := "/p/" + string(l.Slug)
	p := &linkPage{
		chrome: s.newChrome(l.Title), Form: f, URL: s.linkURL(l.Slug), Name: l.Name, ViewOnly: !l.AllowDownload, Badge: badge(t), Show: s.showOf(l),
		Apart: s.ContentURL.Host != s.PublicURL.Host, Kind: string(vitrine.ContentKindOf(l.Kind)), QR: here + "/qr", Beacon: here + "/beacon",
		Report: here + "/report", Facts: facts(l, t), Embed: s.embedOf(l).html(), OEmbed: s.oembedAddress(l), Picture: s.picture(l),
	}
	if l.AllowDownload && l.HasBytes {
		p.Download = here + "/download"
	}
	err := s.fill(p, r, l)
	p.Notice.Message = unshown(p.Show, l)
	return p, err
}

// identify gives the page the view token by which its beacons and its download
// are known to be of one open.
func (p *linkPage) identify(token string) {
	q := "?v=" + url.QueryEscape(token)
	p.Beacon += q
	if p.Download != "" {
		p.Download += q
	}
	p.Notice.Download = p.Download
}

// unshown is what is in the place of content: always for a card, otherwise
// where a browser cannot show it.
func unshown(show string, l *vitrine.Link) string {
	switch {
	case !l.HasBytes:
		return "Only the history of this link is kept here, not its file."
	case show == showCard && !l.AllowDownload:
		return "A browser cannot show this kind of file, and its owner has turned downloads off."
	case show == showCard:
		return "A browser cannot show this kind of file. Download it to open it."
	case !l.AllowDownload && show == showPDF:
		return "Reading this document here needs JavaScript. Its owner has turned downloads off."
	case show == showPDF:
		return "Reading this document here needs JavaScript. Without it, download the file."
	case !l.AllowDownload:
		return "This browser cannot show this file, and its owner has turned downloads off."
	default:
		return "This browser cannot show this file. Download it to open it."
	}
}

// badge shows a file's type on a sheet of paper.
func badge(t filetype.Type) string { return strings.ToUpper(t.Ext) }

// facts are what a page says of its file: type, pages, size.
func facts(l *vitrine.Link, t filetype.Type) []string {
	label := strings.TrimPrefix(strings.TrimPrefix(t.Label, "an "), "a ")
	if label == "" {
		label = "file"
	}
	f := []string{strings.ToUpper(label[:1]) + label[1:]}
	if l.Pages > 1 {
		f = append(f, strconv.Itoa(l.Pages)+" pages")
	} else if l.Pages == 1 {
		f = append(f, "1 page")
	}
	if l.Size > 0 {
		f = append(f, byteSize(l.Size))
	}
	return f
}

// byteSize is a size for people, in decimal units as plans count them.
func byteSize(n int64) string { return humanize.Bytes(uint64(n)) }

// maxText is how much of a text file its page shows.
const maxText = 1 << 20

// text reads the beginning of a text file as UTF-8, and tells whether there is
// more of it.
func (s *viewerH) text(r *http.Request, l *vitrine.Link) (string, bool, error) {
	blob, err := s.blob(r, l)
	if err != nil {
		return "", false, err
	}
	defer blob.Close()
	b, err := io.ReadAll(io.LimitReader(blob, maxText))
	if err != nil {
		return "", false, vitrine.Unavailable(err)
	}
	cut := blob.Size() > int64(len(b))
	return decodeText(b, cut), cut, nil
}

// decodeText turns text into valid UTF-8: by its byte order mark from UTF-16,
// otherwise from UTF-8 with what is invalid replaced. A character that was cut
// in two at the end is left out.
func decodeText(b []byte, cut bool) string {
	switch {
	case bytes.HasPrefix(b, []byte{0xff, 0xfe}):
		return decodeUTF16(b[2:], cut, func(b []byte) uint16 { return uint16(b[0]) | uint16(b[1])<<8 })
	case bytes.HasPrefix(b, []byte{0xfe, 0xff}):
		return decodeUTF16(b[2:], cut, func(b []byte) uint16 { return uint16(b[1]) | uint16(b[0])<<8 })
	}
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	if cut {
		for i := len(b) - 1; i >= max(0, len(b)-utf8.UTFMax); i-- {
			if utf8.RuneStart(b[i]) {
				if !utf8.FullRune(b[i:]) {
					b = b[:i]
				}
				break
			}
		}
	}
	return string(bytes.ToValidUTF8(b, []byte("\ufffd")))
}

func decodeUTF16(b []byte, cut bool, unit func([]byte) uint16) string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = unit(b[2*i:])
	}
	if n := len(units); cut && n > 0 && units[n-1] >= 0xd800 && units[n-1] < 0xdc00 {
		units = units[:n-1]
	}
	return string(utf16.Decode(units))
}

package web

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"vitrine"
	"vitrine/internal/filetype"

	"github.com/dustin/go-humanize"
)

// linkPage is the public page of one link.
type linkPage struct {
	chrome
	URL      string // public address
	Name     string // of the file
	Facts    []string
	ViewOnly bool
	Badge    string // the file's extension, for the card

	Show     string // how the content is shown: one of the show constants
	File     string // address of the bytes, or of the frame that shows them; "" for none
	Preview  string // address of a picture for cards of other sites
	Sandbox  string // of the frame
	Text     string
	TextCut  bool
	Wrap     bool
	QR       string // address of the page's QR code, without the ending that says which kind of picture
	Kind     string // how progress is measured: a report.ContentKind
	Beacon   string // address that takes the page's beacons
	Download string // address; "" for a view-only link
	Notice   notice
}

// notice stands where content cannot be shown.
type notice struct{ Message, Download string }

// How a public page shows its content.
const (
	showPDF   = "pdf"
	showImage = "image"
	showVideo = "video"
	showAudio = "audio"
	showText  = "text"
	showHTML  = "html"
	showCard  = "card" // what a browser does not show: name, size, download
)

func showOf(l *vitrine.Link) string {
	if !l.HasBytes {
		return showCard
	}
	switch l.Kind {
	case filetype.PDF:
		return showPDF
	case filetype.Image:
		return showImage
	case filetype.Video:
		return showVideo
	case filetype.Audio:
		return showAudio
	case filetype.Text:
		return showText
	case filetype.HTML:
		return showHTML
	default:
		return showCard
	}
}

// linkPage gathers what the page of a link shows: of the link as it is, and of the hour.
func (s *Server) linkPage(r *http.Request, l *vitrine.Link) (*linkPage, error) {
	t, _ := filetype.ByExt(l.Name)
	p := &linkPage{
		chrome: s.newChrome(l.Title), URL: s.linkURL(l.Slug), Name: l.Name, ViewOnly: !l.AllowDownload, Badge: strings.ToUpper(t.Ext), Show: showOf(l),
		Kind: string(vitrine.ContentKindOf(l.Kind)), QR: "/p/" + string(l.Slug) + "/qr",
	}
	p.Facts = facts(l, t)
	var err error
	p.Beacon = "/p/" + string(l.Slug) + "/beacon"
	if l.AllowDownload && l.HasBytes {
		p.Download = "/p/" + string(l.Slug) + "/download"
	}
	switch p.Show {
	case showPDF:
		p.File, p.Sandbox = s.contentAddress(l, "view"), pdfSandbox
	case showHTML:
		p.File, p.Sandbox = s.contentAddress(l, "frame"), frameSandbox
	case showImage:
		p.File = s.contentAddress(l, "file")
		if t.Ext != "svg" {
			p.Preview = p.File
		}
	case showVideo, showAudio:
		p.File = s.contentAddress(l, "file")
	case showText:
		p.Text, p.TextCut, err = s.text(r, l)
		p.Wrap = t.Ext == "txt" || t.Ext == "md"
	}
	p.Notice.Message = unshown(p.Show, l)
	return p, err
}

// identify gives the page the view token by which its beacons and its download are known to be of one open.
func (p *linkPage) identify(token string) {
	q := "?v=" + url.QueryEscape(token)
	p.Beacon += q
	if p.Download != "" {
		p.Download += q
	}
	p.Notice.Download = p.Download
}

// unshown is what stands in the place of content: always for a card, otherwise where a browser cannot show it.
func unshown(show string, l *vitrine.Link) string {
	switch {
	case !l.HasBytes:
		return "Only the history of this link is kept here, not its file."
	case show == showCard && !l.AllowDownload:
		return "A browser cannot show this kind of file, and its owner has turned downloads off."
	case show == showCard:
		return "A browser cannot show this kind of file. Download it to open it."
	case !l.AllowDownload && show == showPDF:
		return "Reading this document here needs scripting. Its owner has turned downloads off."
	case show == showPDF:
		return "Reading this document here needs scripting. Without it, download the file."
	case !l.AllowDownload:
		return "This browser cannot show this file, and its owner has turned downloads off."
	default:
		return "This browser cannot show this file. Download it to open it."
	}
}

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

// text reads the beginning of a text file as UTF-8, and tells whether there is more of it.
func (s *Server) text(r *http.Request, l *vitrine.Link) (string, bool, error) {
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

// decodeText turns text into valid UTF-8: by its byte order mark from UTF-16, otherwise from UTF-8 with what is invalid replaced. A
// character that was cut in two at the end is left out.
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

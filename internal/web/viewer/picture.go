package viewer

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/filetype"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"

	lru "github.com/hashicorp/golang-lru/v2"
)

// Picture is a link's picture on other sites.
type Picture struct {
	Address, Type string
	OfFile        bool // shows some of the content
	Width, Height int  // pixels
}

// Picture returns the picture made from the file, or otherwise a card, which is
// drawn on request.
func (s *Viewers) Picture(l *vitrine.Link) Picture {
	p := Picture{Address: s.Server.AddressOf(l) + "/picture", Type: "image/png", Width: vitrine.PictureWidth,
		Height: vitrine.PictureHeight}
	if l.Parts.Has(vitrine.PartPicture) {
		p.Type, p.OfFile = "image/jpeg", true
	}
	return p
}

// SendPicture sends a link's picture. It is not a view: seeing the picture is
// not visiting the link. Clients may store it but must revalidate it each time,
// so that the picture of a disabled link disappears at once.
func (s *Viewers) SendPicture(w http.ResponseWriter, r *http.Request, l *vitrine.Link, _ *vitrine.Account) error {
	content, tag, err := s.pictureOf(r, l)
	if err != nil {
		return err
	}
	if c, ok := content.(io.Closer); ok {
		defer c.Close()
	}
	h := w.Header()
	h.Set("Cache-Control", "private, no-cache")
	s.Server.SetPolicy(w, r, httpx.FileBytes)
	h.Set("Content-Type", s.Picture(l).Type)
	if tag.card {
		h.Set("Content-Type", "image/png")
	}
	h.Set("ETag", strconv.Quote(tag.text))
	http.ServeContent(w, r, "", time.Time{}, content)
	return nil
}

type pictureTag struct {
	text string
	card bool
}

func (s *Viewers) pictureOf(r *http.Request, l *vitrine.Link) (io.ReadSeeker, pictureTag, error) {
	if l.Parts.Has(vitrine.PartPicture) {
		blob, err := s.openPart(r, l, vitrine.PartPicture)
		if err == nil {
			return blob, pictureTag{text: fmt.Sprintf("%.16s-%d", l.SHA256, blob.Size())}, nil
		}
		if !errors.Is(err, vitrine.ErrNotFound) {
			return nil, pictureTag{}, vitrine.Unavailable(err)
		}
	}
	t, _ := filetype.ByExt(l.Name)
	card, err := cardOf(ui.Badge(l), strings.Join(ui.Facts(l, t), " · "))
	if err != nil {
		return nil, pictureTag{}, err
	}
	sum := sha256.Sum256(card)
	return bytes.NewReader(card), pictureTag{hex.EncodeToString(sum[:8]), true}, nil
}

// cards caches the last drawn cards, about 15 KB each.
var cards = func() *lru.Cache[[2]string, []byte] {
	c, err := lru.New[[2]string, []byte](128)
	if err != nil {
		panic(err) // of the size alone
	}
	return c
}()

// cardOf returns a card as PNG. It shows only the type and size of a file.
func cardOf(badge, line string) ([]byte, error) {
	key := [2]string{badge, line}
	if card, ok := cards.Get(key); ok {
		return card, nil
	}
	card, err := DrawCard(badge, line)
	if err == nil {
		cards.Add(key, card)
	}
	return card, err
}

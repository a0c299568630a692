package public

import (
	"fmt"
	"net/http"

	"vitrine"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"

	"rsc.io/qr"
)

// qrAddress returns the address in a link's QR code. Its query marks views that
// come from the code.
func (s *Handler) qrAddress(l *vitrine.Link) string { return s.Server.AddressOf(l) + "?qr=1" }

func (s *Handler) QrSVG(w http.ResponseWriter, r *http.Request, l *vitrine.Link, _ *vitrine.Account) error {
	c, err := ui.NewQRCode(s.qrAddress(l))
	if err != nil {
		return err
	}
	s.qrHeaders(w, r, "image/svg+xml", string(l.Slug)+".svg")
	if r.Method != http.MethodHead {
		fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="512" height="512" shape-rendering="crispEdges">`+
			`<path fill="#fff" d="M0 0h%dv%[1]dH0z"/><path d="%[4]s"/></svg>`+"\n", c.Size, c.Size, c.Size, c.Path)
	}
	return nil
}

func (s *Handler) QrPNG(w http.ResponseWriter, r *http.Request, l *vitrine.Link, _ *vitrine.Account) error {
	c, err := qr.Encode(s.qrAddress(l), qr.M)
	if err != nil {
		return fmt.Errorf("draw a QR code: %w", err)
	}
	c.Scale = 16
	s.qrHeaders(w, r, "image/png", string(l.Slug)+".png")
	if r.Method != http.MethodHead {
		_, _ = w.Write(c.PNG())
	}
	return nil
}

func (s *Handler) qrHeaders(w http.ResponseWriter, r *http.Request, contentType, name string) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", httpx.Disposition("inline", name))
	s.Server.SetPolicy(w, r, httpx.FileBytes)
	h.Set("Cache-Control", "private, max-age=300")
}

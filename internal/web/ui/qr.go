package ui

import (
	"fmt"
	"strings"

	"rsc.io/qr"
)

// qrMargin is the quiet zone around a code, in modules.
const qrMargin = 4

// QRCode is a QR code as an SVG path: black modules in a square of Size,
// including the margin.
type QRCode struct {
	Size int
	Path string
}

// NewQRCode draws a text. Rows of adjacent modules are one stroke each.
func NewQRCode(text string) (QRCode, error) {
	c, err := qr.Encode(text, qr.M)
	if err != nil {
		return QRCode{}, fmt.Errorf("draw a QR code: %w", err)
	}
	var b strings.Builder
	for y := range c.Size {
		for x := 0; x < c.Size; x++ {
			if !c.Black(x, y) {
				continue
			}
			start := x
			for x < c.Size && c.Black(x, y) {
				x++
			}
			fmt.Fprintf(&b, "M%d %dh%dv1h-%dz", start+qrMargin, y+qrMargin, x-start, x-start)
		}
	}
	return QRCode{Size: c.Size + 2*qrMargin, Path: b.String()}, nil
}

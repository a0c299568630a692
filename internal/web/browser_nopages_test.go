package web_test

import (
	"bytes"
	"testing"

	"vitrine/internal/test/webtest"
)

// TestBrowserNoPages checks that the page of a PDF without pages says so, and
// gives no advice that does not help.
func TestBrowserNoPages(t *testing.T) {
	s := webtest.NewSite(t)
	empty := bytes.Replace(bytes.Replace(webtest.NewPDF().Pages(1).Bytes(), []byte("/Count 1"), []byte("/Count 0"), 1),
		[]byte("/Kids ["), []byte("/Kidx ["), 1)
	tb := webtest.NewTab(t, s.Page(s.Publish("empty.pdf", empty)))
	tb.Until(`document.querySelector("#cannot:not([hidden]) .notice")?.textContent.includes("This document has no pages.")`)
}

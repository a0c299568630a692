package web_test

import (
	"bytes"
	"testing"
)

// TestBrowserNoPages checks that the page of a PDF without pages says so, and
// gives no advice that does not help.
func TestBrowserNoPages(t *testing.T) {
	s := newSite(t)
	empty := bytes.Replace(bytes.Replace(newPDF().pages(1).bytes(), []byte("/Count 1"), []byte("/Count 0"), 1),
		[]byte("/Kids ["), []byte("/Kidx ["), 1)
	tb := newTab(t, s.page(s.publish("empty.pdf", empty)))
	tb.until(`document.querySelector("#cannot:not([hidden]) .notice")?.textContent.includes("This document has no pages.")`)
}

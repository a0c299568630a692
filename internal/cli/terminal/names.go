package terminal

import (
	"regexp"
	"strconv"
	"strings"
)

// kindNames are the names of kinds of files.
var kindNames = map[string]string{"pdf": "PDF", "image": "Image", "video": "Video", "audio": "Audio",
	"document": "Document", "text": "Text", "html": "Web page", "archive": "Archive"}

// kindName returns the name of a kind of files.
func kindName(kind string) string {
	if name, ok := kindNames[kind]; ok {
		return name
	}
	return kind
}

// hostName returns a web address without scheme, "www." and final slash, which
// tell nothing in a list.
func hostName(address string) string {
	_, rest, found := strings.Cut(address, "://")
	if !found {
		rest = address
	}
	return strings.TrimSuffix(strings.TrimPrefix(rest, "www."), "/")
}

// widthName returns the name of a range of window widths.
func widthName(label string) string {
	if least, ok := strings.CutSuffix(label, "+"); ok {
		return least + " px and more"
	}
	if from, to, ok := strings.Cut(label, "-"); ok {
		return from + "–" + to + " px"
	}
	return label
}

// longNumber finds whole numbers that have no thousands separators.
var longNumber = regexp.MustCompile(`\b\d{4,18}\b`)

// separated adds thousands separators to the numbers in a text.
func separated(s string) string {
	return longNumber.ReplaceAllStringFunc(s, func(digits string) string {
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil {
			return digits
		}
		return Count(n)
	})
}

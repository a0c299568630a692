package links_test

import (
	"os"
	"testing"

	"vitrine/internal/app/links"

	"github.com/google/uuid"
)

func newKey() string { return uuid.NewString() }

func editTitle(title string) links.Edit { return links.Edit{Title: &title} }

// clip returns a short video.
func clip(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("../../test/webtest/testdata/clip.webm")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

package user

import (
	"strings"
	"testing"
)

// TestNormalServerNamesTheSchemeThatIsMissing checks the errors of addresses.
func TestNormalServerNamesTheSchemeThatIsMissing(t *testing.T) {
	for address, want := range map[string]string{
		"localhost:8080":    "write http://localhost:8080 instead of localhost:8080",
		"127.0.0.1:8080/":   "write http://127.0.0.1:8080 instead",
		"share.example":     "write https://share.example instead",
		"foo":               `"foo" is not the address of an instance`,
		"ftp://a.example":   "is not the address",
		"http://a.example?": "",
	} {
		_, err := normalServer(address)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("normalServer(%q) = %v, want %q", address, err, want)
		}
	}
}

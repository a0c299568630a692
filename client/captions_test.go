package client

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"
)

// TestCaptions checks that captions are sent completely and with their type,
// that a retry is sent where it helps, and that a refusal is returned.
func TestCaptions(t *testing.T) {
	var seen []string
	failures := 1
	hs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		seen = append(seen, fmt.Sprint(r.Method, " ", r.URL.EscapedPath(), " ", r.Header.Get("Content-Type"), " ",
			r.Header.Get("Authorization"), " ", string(body)))
		switch {
		case failures > 0:
			failures--
			refused(http.StatusServiceUnavailable, nil, `{"error":"Down.","code":"unavailable"}`)(w, nil)
		case r.Method == http.MethodDelete:
			w.WriteHeader(http.StatusNoContent)
		case string(body) == "rubbish":
			refused(http.StatusBadRequest, nil, `{"error":"No.","code":"invalid_request","field":"language"}`)(w, nil)
		default:
			io.WriteString(w, `{"captions":[{"language":"de","label":"Deutsch","url":"https://share.example/c/x"},{"language":"fr","label":"français"}]}`)
		}
	}))
	defer hs.Close()
	c, _ := fresh(t, hs.URL)
	want := []Captions{{"de", "Deutsch", "https://share.example/c/x"}, {"fr", "français", ""}}
	got, err := c.PutCaptions(t.Context(), "a/b", "pt-BR", []byte("\ufeffWEBVTT\n"))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("PutCaptions = %+v, %v, want %+v", got, err, want)
	}
	if got, err := c.PutCaptions(t.Context(), "ab", "de", []byte("1\n")); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("PutCaptions = %+v, %v, want %+v", got, err, want)
	}
	if _, err := c.PutCaptions(t.Context(), "ab", "../x", []byte("rubbish")); codeOf(err) != "invalid_request" {
		t.Errorf("PutCaptions with an invalid language = %v, want invalid_request", err)
	}
	if got, err := c.Captions(t.Context(), "ab"); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("Captions = %+v, %v, want %+v", got, err, want)
	}
	if err := c.DeleteCaptions(t.Context(), "ab", "de"); err != nil {
		t.Errorf("DeleteCaptions = %v, want nil", err)
	}
	const key = " Bearer vtr_key "
	wantSeen := []string{
		"PUT /api/v1/links/a%2Fb/captions/pt-BR text/vtt" + key + "\ufeffWEBVTT\n",
		"PUT /api/v1/links/a%2Fb/captions/pt-BR text/vtt" + key + "\ufeffWEBVTT\n",
		"PUT /api/v1/links/ab/captions/de application/x-subrip" + key + "1\n",
		"PUT /api/v1/links/ab/captions/..%2Fx application/x-subrip" + key + "rubbish",
		"GET /api/v1/links/ab/captions " + key,
		"DELETE /api/v1/links/ab/captions/de " + key,
	}
	if !reflect.DeepEqual(seen, wantSeen) {
		t.Errorf("requests\n got %q\nwant %q", seen, wantSeen)
	}
}

package httpx

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// PrefersMarkdown reports whether a request names Markdown among what it
// accepts, and HTML at most as much. Ranges such as */* name neither.
func PrefersMarkdown(r *http.Request) bool {
	accepted := strings.Join(r.Header.Values("Accept"), ",")
	markdown := quality(accepted, "text/markdown")
	return markdown > 0 && markdown >= quality(accepted, "text/html")
}

// quality returns that of a media type in the elements of an Accept header; 0
// if it is not named.
func quality(accepted, mediaType string) float64 {
	if !strings.Contains(accepted, mediaType) { // most requests
		return 0
	}
	for part := range strings.SplitSeq(accepted, ",") {
		t, params, err := mime.ParseMediaType(part)
		if err != nil || t != mediaType {
			continue
		}
		if q, err := strconv.ParseFloat(params["q"], 64); err == nil {
			return q
		}
		return 1
	}
	return 0
}

// Matches reports whether the client already has what an ETag names, by
// If-None-Match. A proxy may have weakened the tag.
func Matches(r *http.Request, etag string) bool {
	for _, line := range r.Header.Values("If-None-Match") {
		for tag := range strings.SplitSeq(line, ",") {
			tag = strings.TrimSpace(tag)
			if tag == "*" || strings.TrimPrefix(tag, "W/") == etag {
				return true
			}
		}
	}
	return false
}

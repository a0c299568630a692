package httpx

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"vitrine"
	"vitrine/internal/base/notation"
	"vitrine/internal/filetype"
	"vitrine/report"
)

// Query parses the query of a request. A part that cannot be read is an error,
// because what it selects is unknown. Its Field is the name of the parameter.
func Query(r *http.Request) (url.Values, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err == nil {
		return values, nil
	}
	for part := range strings.SplitSeq(r.URL.RawQuery, "&") {
		if _, err := url.ParseQuery(part); err == nil {
			continue
		}
		name, _, _ := strings.Cut(part, "=")
		if name, err = url.QueryUnescape(name); err != nil {
			break
		}
		e := unreadable(fmt.Sprintf("The parameter %q cannot be read. Write %%, &, + and ; in its value as %%25, %%26, %%2B and %%3B.",
			shortName(name)), shortName(name))
		if name == "range" {
			e.Code = vitrine.CodeBadRange
		}
		return nil, e
	}
	return nil, unreadable("The query of the address cannot be read: write % as %25.", "")
}

func unreadable(message, field string) *vitrine.Error {
	return &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: field, Message: message}
}

// OnlyParameters returns an error for a query with a parameter that is not
// known. It names the parameter, and the one that was probably meant.
func OnlyParameters(values url.Values, known []string) error {
	unknown := ""
	for name := range values {
		if !slices.Contains(known, name) && (unknown == "" || name < unknown) {
			unknown = name
		}
	}
	if unknown == "" && !values.Has("") {
		return nil
	}
	message := fmt.Sprintf("There is no parameter %q.", shortName(unknown))
	switch meant, dimension := nearest(unknown, known), strings.ToLower(unknown); {
	case slices.Contains(known, "filter") && report.Dimension(dimension).Row() != nil:
		message += fmt.Sprintf(" Use filter=%s:is:VALUE.", dimension)
	case meant != "":
		message += fmt.Sprintf(" Use %q.", meant)
	default:
		message += " The parameters are " + strings.Join(known, ", ") + "."
	}
	return unreadable(message, shortName(unknown))
}

// shortName cuts the name of a parameter for an error.
func shortName(name string) string {
	const most = 60
	return filetype.OneLine(name[:min(len(name), most)])
}

// joints removes what joins words in names of parameters.
var joints = strings.NewReplacer("_", "", "-", "", " ", "", "[", "", "]", "")

// nearest returns the known name that a misspelt one probably means, or "".
func nearest(name string, known []string) string {
	if len(name) > 40 {
		return ""
	}
	return notation.Nearest(joints.Replace(strings.ToLower(name)), known, 2)
}

// ErrPage is returned for an address of a page that is further down a list, if
// the parameter that says where the page begins is wrong.
func ErrPage(parameter string) error {
	return unreadable("The address of this page of the list is wrong. Begin with the first page.", parameter)
}

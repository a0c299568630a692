package web

import "vitrine"

// Documented reports whether the documentation lists a code for an operation of the API.
func Documented(op string, code vitrine.Code) bool {
	for _, e := range docErrors {
		if e.Code == code {
			return e.On(op)
		}
	}
	return false
}

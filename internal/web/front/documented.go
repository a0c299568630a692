package front

import "vitrine"

// Documented reports whether the documentation lists a code for an operation of
// the API.
func Documented(op string, code vitrine.Code) bool {
	for _, e := range docErrors {
		if e.Code == code {
			return e.On(op)
		}
	}
	return false
}

// DocumentedErrors calls f with each code that the documentation lists for an
// operation of the API, and its status.
func DocumentedErrors(f func(op string, code vitrine.Code, status int)) {
	for _, e := range docErrors {
		for _, op := range e.Ops {
			f(op, e.Code, e.Status())
		}
	}
}

package notation

// Shorten returns a text of at most some characters: if it is longer, its
// beginning and "…".
func Shorten(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}

package visitor

// screens are the ranges of viewport widths in CSS pixels, each from its first
// width to the next one's (contract, Screens).
var screens = []struct {
	from  int
	label string
}{
	{1, "0-575"}, {576, "576-767"}, {768, "768-991"}, {992, "992-1199"}, {1200, "1200-1439"}, {1440, "1440-1919"},
	{1920, "1920+"},
}

// maxWidth is the largest width that is accepted, in CSS pixels: two 8K
// displays side by side.
const maxWidth = 16384

// ScreenRanges returns the labels of viewport widths, ascending (contract,
// Screens).
func ScreenRanges() []string {
	labels := make([]string, len(screens))
	for i, s := range screens {
		labels[i] = s.label
	}
	return labels
}

// ScreenRange returns the range of a viewport's width in CSS pixels, or "" for
// a width of zero or one that no screen has.
func ScreenRange(width int) string {
	if width > maxWidth {
		return ""
	}
	for i := len(screens) - 1; i >= 0; i-- {
		if width >= screens[i].from {
			return screens[i].label
		}
	}
	return ""
}
